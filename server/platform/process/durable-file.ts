import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Error codes of a disk that accepts no more data: full, over quota, or read-only after a fault. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EROFS']
export const hasNoRoom = (error: unknown): boolean => NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * Writes a file that only this user can read and that survives a power loss. It's written under a temporary name and
 * renamed, so there is never a partial file.
 */
export async function writeDurably(path: string, bytes: Buffer | string): Promise<void> {
  const fresh = `${path}.new`
  try {
    const file = await open(fresh, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/**
 * Returns the content of a file that holds a secret, and creates it if it's missing. Renamed into place, so that a start
 * that is killed leaves no partial file.
 */
export function keepFile(path: string, create: () => string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const text = create()
  replaceFile(path, text)
  return text
}

/** Writes a small file that only this user can read; at any time it is the old one or the new one. */
export function replaceFile(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.new`, content, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}

export async function syncFolder(folder: string): Promise<void> {
  // Windows can't open folders; there the rename is as durable as it gets.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
