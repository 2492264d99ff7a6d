import { randomBytes } from 'node:crypto'
import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Config } from '#server/config/config.ts'
import { keyFromText } from '#server/platform/files/index.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'

type KeySettings = Pick<Config, 'BACKUP_KEY' | 'BACKUP_KEY_FILE' | 'BACKUP_URL'>

/**
 * Returns the key that backups are encrypted with. Rejects a key file that others can read, and one inside of the
 * backups' folder: with its key next to it, an encrypted backup protects nothing.
 */
export function backupKey(settings: KeySettings): Buffer {
  const { BACKUP_KEY, BACKUP_KEY_FILE } = settings
  if (BACKUP_KEY !== undefined) return keyFromText(BACKUP_KEY)
  if (BACKUP_KEY_FILE === undefined) {
    throw new StartProblem(
      'Backups are encrypted. Create a key once with npm run backup -- new-key FILE, set BACKUP_KEY_FILE to it, and keep a copy away from this machine: without the key, nobody can restore.',
    )
  }
  const file = resolve(BACKUP_KEY_FILE)
  let text: string
  try {
    // Containers get their secrets as files that every user in them can read.
    const isSecret = file.startsWith('/run/secrets/')
    if (process.platform !== 'win32' && !isSecret && (statSync(file).mode & 0o077) !== 0) {
      throw new StartProblem(`Other users can read the backup key. Run chmod 600 ${file}`)
    }
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof StartProblem) throw error
    throw new StartProblem(`Can't read the backup key (BACKUP_KEY_FILE): ${(error as Error).message}`)
  }
  if (isInside(file, settings.BACKUP_URL)) {
    throw new StartProblem('BACKUP_KEY_FILE is inside of the folder of the backups. Keep the key somewhere else.')
  }
  try {
    return keyFromText(text)
  } catch {
    throw new StartProblem(`${file} holds no key. It must hold 32 bytes, written as base64 or as 64 hex digits.`)
  }
}

/** Creates a key file that only this user can read. Never overwrites: an old key still opens old backups. */
export function createKeyFile(path: string): string {
  const file = resolve(path)
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new StartProblem(`${file} exists already. It may be the key of older backups, so it is never overwritten.`)
    }
    throw new StartProblem(`Can't write ${file}: ${(error as Error).message}`)
  }
  return file
}

function isInside(file: string, url: string | undefined): boolean {
  if (url === undefined || url.startsWith('s3+')) return false
  try {
    return !relative(realpathSync(url), realpathSync(dirname(file))).startsWith('..')
  } catch {
    return false
  }
}
