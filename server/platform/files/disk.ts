import { mkdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasNoRoom, writeDurably } from '../process/durable-file.ts'
import { noDataFolder } from '../process/start-problem.ts'
import { type FileStorage, isFileName, storageDown } from './store.ts'

/**
 * Stores files in a local folder that only this user can read. Writes to a temporary file and renames it, so there is
 * never a partial file. A full disk is a 503.
 */
export function diskStorage(folder: string): FileStorage {
  makeFolder(folder)
  const placeOf = (name: string) => join(folder, name.slice(0, 2))
  return {
    async write(name, bytes) {
      const place = placeOf(name)
      try {
        await mkdir(place, { recursive: true, mode: 0o700 })
        // What a write of the same name left when it was killed.
        await rm(join(place, `${name}.new`), { force: true })
        await writeDurably(join(place, name), bytes)
      } catch (error) {
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
    async list() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile() && isFileName(entry.name)).map((entry) => entry.name)
    },
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw noDataFolder(dirname(folder))
    if (code !== 'EEXIST') throw error
  }
}
