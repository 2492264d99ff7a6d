import type { AddressInfo } from 'node:net'
// @ts-expect-error: it brings no types
import S3rver from 's3rver'

/** An S3-compatible server on a folder, with one bucket, `cleartick`; the keys are those it always has. */
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
