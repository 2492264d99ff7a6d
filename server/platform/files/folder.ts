import { mkdirSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Shelf } from './store.ts'

/** Files in a local folder that nobody else may enter. Written beside and renamed: there is never half a file. */
export function folderShelf(folder: string): Shelf {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const placeOf = (name: string) => join(folder, name.slice(0, 2))
  return {
    async write(name, bytes) {
      const place = placeOf(name)
      await mkdir(place, { recursive: true, mode: 0o700 })
      const fresh = join(place, `${name}.new`)
      try {
        await writeDurably(fresh, bytes)
        await rename(fresh, join(place, name))
        await syncFolder(place)
      } catch (error) {
        await rm(fresh, { force: true })
        throw error
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
  // Windows cannot open folders; there the rename is as durable as it gets.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
