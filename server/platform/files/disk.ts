import { mkdirSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileStorage, storageDown } from './store.ts'

/** Error codes of a disk that accepts no more data: full, over quota, or read-only after a fault. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EROFS']
const hasNoRoom = (error: unknown): boolean => NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * Stores files in a local folder that only this user can read. Writes to a temporary file and renames it, so there is
 * never a partial file. A full disk is a 503.
 */
export function diskStorage(folder: string): FileStorage {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const placeOf = (name: string) => join(folder, name.slice(0, 2))
  return {
    async write(name, bytes) {
      const place = placeOf(name)
      const fresh = join(place, `${name}.new`)
      try {
        await mkdir(place, { recursive: true, mode: 0o700 })
        await writeDurably(fresh, bytes)
        await rename(fresh, join(place, name))
        await syncFolder(place)
      } catch (error) {
        await rm(fresh, { force: true })
        throw hasNoRoom(error) ? storageDown(error) : error
      }
    },
    async read(name) {
      try {
        return await readFile(join(placeOf(name), name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    remove: (name) => rm(join(placeOf(name), name), { force: true }),
  }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows can't open folders; there the rename is as durable as it gets.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
