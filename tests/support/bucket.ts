import type { AddressInfo } from 'node:net'
// @ts-expect-error: the package has no types
import S3rver from 's3rver'

/** Starts an S3-compatible server on a folder, with one bucket, `cleartick`, and the server's default keys. */
export async function bucketServer(directory: string, port = 0) {
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'cleartick', configs: [] }],
  })
  const { port: given } = (await server.run()) as AddressInfo
  return {
    port: given,
    url: `s3+http://S3RVER:S3RVER@127.0.0.1:${given}`,
    close: async (): Promise<void> => {
      await server.close()
    },
  }
}
