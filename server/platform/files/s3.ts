import { type FileStorage, storageDown } from './store.ts'

const TIMEOUT_MS = 15_000

/**
 * Stores files in a bucket of any S3-compatible store: `s3+https://KEY:SECRET@host/bucket/prefix?region=eu-central-1`
 * (`s3+http` on a private network). An unreachable store is a 503, and nothing was stored.
 */
export async function s3Storage(address: string): Promise<FileStorage> {
  // Loaded only when used.
  const { S3mini } = await import('s3mini')
  const { endpoint, prefix, accessKeyId, secretAccessKey, region } = readAddress(address)
  const bucket = new S3mini({ accessKeyId, secretAccessKey, endpoint, region, requestAbortTimeout: TIMEOUT_MS })
  const pathOf = (name: string) => `${prefix}${name}`
  return {
    async write(name, bytes) {
      const answer = await reach(() => bucket.putObject(pathOf(name), bytes, 'application/octet-stream'))
      if (!answer.ok) throw storageDown()
    },
    async read(name) {
      const bytes = await reach(() => bucket.getObjectArrayBuffer(pathOf(name)))
      return bytes === null ? undefined : Buffer.from(bytes)
    },
    async remove(name) {
      await reach(() => bucket.deleteObject(pathOf(name)))
    },
  }
}

/** Parses the setting. Throws a readable sentence if it is unusable. */
export function readAddress(address: string) {
  const url = new URL(address.replace(/^s3\+/, ''))
  const [bucket, ...rest] = url.pathname.split('/').filter((part) => part !== '')
  if (!bucket || !url.username || !url.password) {
    throw new Error('must be s3+https://KEY:SECRET@host/bucket, with an optional prefix and ?region=')
  }
  return {
    endpoint: `${url.protocol}//${url.host}/${bucket}`,
    prefix: rest.length === 0 ? '' : `${rest.join('/')}/`,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    region: url.searchParams.get('region') ?? 'us-east-1',
  }
}

async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    // The error's text may contain addresses and keys.
    throw storageDown()
  }
}
