import { type FileStorage, isFileName, storageDown } from './store.ts'

const TIMEOUT_MS = 15_000

/** The objects below the prefix of a bucket. An unreachable store is a 503, and nothing was stored. */
interface Bucket {
  put(name: string, bytes: Buffer): Promise<void>
  get(name: string): Promise<Buffer | undefined>
  delete(name: string): Promise<void>
  /** The names of all objects that begin so. */
  list(beginning: string): Promise<string[]>
}

/**
 * Opens a bucket of any S3-compatible store: `s3+https://KEY:SECRET@host/bucket/prefix?region=eu-central-1` (`s3+http`
 * on a private network).
 */
export async function openBucket(address: string): Promise<Bucket> {
  // Loaded only when used.
  const { S3mini } = await import('s3mini')
  const { endpoint, prefix, accessKeyId, secretAccessKey, region } = readAddress(address)
  const bucket = new S3mini({ accessKeyId, secretAccessKey, endpoint, region, requestAbortTimeout: TIMEOUT_MS })
  const pathOf = (name: string) => `${prefix}${name}`
  return {
    async put(name, bytes) {
      const answer = await reach(() => bucket.putObject(pathOf(name), bytes, 'application/octet-stream'))
      if (!answer.ok) throw storageDown()
    },
    async get(name) {
      const bytes = await reach(() => bucket.getObjectArrayBuffer(pathOf(name)))
      return bytes === null ? undefined : Buffer.from(bytes)
    },
    async delete(name) {
      await reach(() => bucket.deleteObject(pathOf(name)))
    },
    async list(beginning) {
      const objects = await reach(() => bucket.listObjects('/', pathOf(beginning)))
      if (objects === null) throw storageDown()
      return objects.map(({ Key }) => Key.slice(prefix.length))
    },
  }
}

/** Stores private files in a bucket. */
export async function s3Storage(address: string): Promise<FileStorage> {
  const bucket = await openBucket(address)
  return {
    write: bucket.put,
    read: bucket.get,
    remove: bucket.delete,
    list: async () => (await bucket.list('')).filter(isFileName),
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
