import { randomBytes } from 'node:crypto'
import { must } from '#kernel/must.ts'
import { type FileStorage, openFiles } from '#server/platform/files/index.ts'
import { reachMailServer } from '#server/platform/mail/index.ts'
import type { Venue } from '#server/venues/index.ts'
import { type Finding, lengthOf, ok, problem, reasonOf, warning, within } from './finding.ts'

/** `smtpUrl`: undefined for the test mailbox. */
export async function checkMail(smtpUrl: string | undefined, patienceMs = 10_000): Promise<Finding> {
  if (smtpUrl === undefined) return ok('mail', 'E-mails go to the test mailbox.')
  try {
    await reachMailServer(smtpUrl, patienceMs)
    return ok('mail', 'The mail server answers, and accepts the login if it asks for one.')
  } catch (error) {
    return problem(
      'mail',
      `The mail server can't be used: ${reasonOf(error)}.`,
      'Check SMTP_URL, its user and password, and that this machine may connect to that port.',
    )
  }
}

/** Writes, reads and deletes a probe, and opens one of the stored files with the key. */
export async function checkStorage(
  storage: FileStorage,
  key: Buffer,
  others: readonly Buffer[] = [],
): Promise<Finding> {
  const files = openFiles({ storage, key, others })
  const fix = 'Check FILES_URL and its key, or the permissions and the disk of DATA_DIR/files.'
  try {
    const probe = randomBytes(1_000)
    const name = await within(20, files.put(probe))
    const read = await within(20, files.get(name))
    await within(20, files.delete(name))
    if (!read?.equals(probe)) return problem('storage', 'A file that was written reads back differently.', fix)
    if ((await within(20, files.get(name))) !== undefined) {
      return problem('storage', "A deleted file is still there: private files can't be erased.", fix)
    }
  } catch (error) {
    return problem('storage', `Private files can't be written, read and deleted: ${reasonOf(error)}.`, fix)
  }
  const [one] = await storage.list()
  if (one === undefined) return ok('storage', 'A probe was written, read and deleted.')
  try {
    await files.get(one)
    return ok('storage', 'A probe was written, read and deleted, and the key opens the stored files.')
  } catch {
    return problem(
      'storage',
      "The key doesn't open the stored files.",
      'Use the key that they were written with: DATA_DIR/files.key, FILES_KEY or FILES_KEY_OTHERS, from a backup if it was lost.',
    )
  }
}

/** How many venues must answer for prices to be live. */
const VENUES_NEEDED = 2

/** Asks each venue for its markets. `isOptional`: prices are simulated where too few answer (`FEED=auto`). */
export async function checkVenues(venues: readonly Venue[], isOptional: boolean, seconds = 20): Promise<Finding[]> {
  const answers = await Promise.allSettled(venues.map((venue) => within(seconds, venue.markets())))
  await Promise.all(venues.map((venue) => venue.stop()))
  const answering = answers.filter(({ status }) => status === 'fulfilled').length
  const isEnough = answering >= Math.min(VENUES_NEEDED, venues.length)
  return answers.map((answer, at) => {
    const { id, name } = must(venues[at])
    if (answer.status === 'fulfilled') return ok('feed', `${name} answers and lists ${answer.value.length} markets.`)
    const says = `${name} can't be reached: ${reasonOf(answer.reason)}.`
    if (isEnough) return warning('feed', says, `Nothing if it comes back; otherwise take ${id} out of FEED.`)
    const fix = 'Check outgoing connections and the proxy, or name other exchanges in FEED.'
    return isOptional
      ? warning('feed', says, `Prices are simulated until two exchanges answer. ${fix}`)
      : problem('feed', says, fix)
  })
}

/** A backup is made every hour, or at least every night. */
const OLD_BACKUP_MS = 26 * 3_600_000

interface StoredBackups {
  complete: readonly string[]
  incomplete: readonly string[]
}

/** `timeOf`: when a backup was begun. */
export function judgeBackups(
  { complete, incomplete }: StoredBackups,
  timeOf: (id: string) => number,
  now: number,
): Finding {
  const fix = 'Run npm run backup now, and see why its timer did not; docs/operations/backup.md.'
  const newest = complete.at(-1)
  if (newest === undefined) {
    const says = incomplete.length > 0 ? 'The only backups are incomplete.' : 'There is no backup.'
    return problem('backup', says, fix)
  }
  const ageMs = now - timeOf(newest)
  const says = `The newest of ${complete.length} backups is ${lengthOf(ageMs)} old.`
  if (ageMs > OLD_BACKUP_MS) return problem('backup', says, fix)
  const failed = incomplete.filter((id) => timeOf(id) > timeOf(newest) && now - timeOf(id) > OLD_BACKUP_MS / 26)
  if (failed.length === 0) return ok('backup', says)
  return warning('backup', `${says} ${failed.length} were begun since and are incomplete.`, fix)
}

export interface Archiver {
  mode: string
  /** Whether the last attempt to copy the log failed. */
  fails: boolean
  waiting: number
}

/** Copying of the write-ahead log for restores to a point in time. */
export function judgeArchive({ mode, fails, waiting }: Archiver): Finding {
  if (mode === 'off') return ok('archive', 'The write-ahead log is not archived; a restore reaches the newest backup.')
  if (!fails) return ok('archive', 'The write-ahead log is archived.')
  return problem(
    'archive',
    `The write-ahead log can't be archived, and ${waiting} files wait: they will fill PostgreSQL's disk.`,
    "PostgreSQL's log says why. Check the space and the permissions of WAL_ARCHIVE.",
  )
}

/** `other`: how many files and values only a key of `FILES_KEY_OTHERS` opens. `unreadable`: how many none does. */
export function judgeKeys(other: number, unreadable: number): Finding {
  if (unreadable > 0) {
    return problem(
      'keys',
      `No key opens ${unreadable} private files or sealed values.`,
      'npm run rekey -- --check names them: add their key to FILES_KEY_OTHERS, or restore them from a backup.',
    )
  }
  if (other > 0) {
    return warning(
      'keys',
      `${other} private files or sealed values still need a key of FILES_KEY_OTHERS.`,
      'Run npm run rekey once every node has the new FILES_KEY.',
    )
  }
  return warning('keys', 'FILES_KEY opens everything.', 'Unset FILES_KEY_OTHERS; keep the old key for older backups.')
}
