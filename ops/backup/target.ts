import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { openBucket } from '#server/platform/files/index.ts'
import { hasNoRoom, writeDurably } from '#server/platform/process/durable-file.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'

/** Where backups are stored: a folder or a bucket. Names have one slash: the backup's id and the object. */
export interface Target {
  /** Durable once it resolves; there is never a partial object. */
  write(name: string, bytes: Buffer): Promise<void>
  read(name: string): Promise<Buffer | undefined>
  remove(name: string): Promise<void>
  /** The names of all objects that begin so. */
  list(beginning: string): Promise<string[]>
}

/** Opens `BACKUP_URL`: a path, or a bucket as in `FILES_URL`. */
export async function openTarget(url: string | undefined): Promise<Target> {
  if (url === undefined) {
    throw new StartProblem(
      'Set BACKUP_URL to where backups are stored: a folder on another disk, or a bucket as s3+https://KEY:SECRET@host/bucket.',
    )
  }
  return targetAt(url, 'backups')
}

/** Opens a folder or a bucket; `what` is stored there, for messages. */
export async function targetAt(url: string, what: string): Promise<Target> {
  return url.startsWith('s3+') ? bucketTarget(url, what) : folderTarget(resolve(url), what)
}

function folderTarget(folder: string, what: string): Target {
  return {
    async write(name, bytes) {
      const path = join(folder, name)
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeDurably(path, bytes)
      } catch (error) {
        const why = hasNoRoom(error) ? 'its disk is full or read-only' : (error as Error).message
        throw new StartProblem(`Can't write to the folder of the ${what}, ${folder}: ${why}.`)
      }
    },
    async read(name) {
      try {
        return await readFile(join(folder, name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async remove(name) {
      await rm(join(folder, name), { force: true })
      // The last object takes the backup's folder with it.
      await rmdir(join(folder, dirname(name))).catch(() => undefined)
    },
    async list(beginning) {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      })
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .filter((name) => name.startsWith(beginning))
    },
  }
}

/** A bucket answers within seconds or not at all; an upload that takes minutes must survive such a moment. */
const ATTEMPTS = 4

async function bucketTarget(url: string, what: string): Promise<Target> {
  const bucket = await openBucket(url)
  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch {
        if (attempt === ATTEMPTS) {
          throw new StartProblem(`Can't reach the bucket of the ${what}, or it refuses the key in its address.`)
        }
        await new Promise((resume) => setTimeout(resume, 250 * 4 ** (attempt - 1)))
      }
    }
  }
  return {
    write: (name, bytes) => patiently(() => bucket.put(name, bytes)),
    read: (name) => patiently(() => bucket.get(name)),
    remove: (name) => patiently(() => bucket.delete(name)),
    list: (beginning) => patiently(() => bucket.list(beginning)),
  }
}
