import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { last, must } from '#kernel/must.ts'
import { knownMigrations, migrate } from '#server/platform/database/migrate.ts'
import { diskStorage, type FileStorage, isFileName, keyFromText } from '#server/platform/files/index.ts'
import { refuseUnreachableFolder, stopOrphan } from '#server/platform/postgres/embedded.ts'
import { postgresUser } from '#server/platform/postgres/user.ts'
import { lockData } from '#server/platform/process/data-lock.ts'
import { hasNoRoom, syncFolder, writeDurably } from '#server/platform/process/durable-file.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { applyBackup } from './apply.ts'
import { fingerprintOf } from './create.ts'
import { damaged } from './envelope.ts'
import { listBackups, type Manifest, placeOf, readChain } from './manifest.ts'
import { type Place, readParts } from './parts.ts'
import { type RecoverOptions, recover } from './recover.ts'
import { readTar } from './tar.ts'
import type { Target } from './target.ts'

interface RestoreOptions extends Pick<RecoverOptions, 'wal' | 'until'> {
  target: Target
  key: Buffer
  /** A data folder that doesn't exist yet, or is empty. */
  into: string
  /** The newest backup if undefined; with `until`, the newest that was finished by then. */
  id?: string | undefined
  /** `FILES_KEY`. */
  filesKey?: string | undefined
  /** `FILES_KEY_OTHERS`. */
  otherFilesKeys?: readonly Buffer[]
  /** Where private files go; undefined for the data folder. */
  files?: FileStorage | undefined
  /** Checks the restored database; returns whether all is well. */
  verify(superUrl: string): Promise<boolean>
  say?(line: string): void
}

/**
 * Restores a backup into a new data folder: unpacks it, lets PostgreSQL recover it, migrates and verifies it. All of it
 * happens in a temporary folder, which gets its name at the very end: an interrupted restore never looks complete.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { target, key, say = () => undefined } = options
  const into = resolve(options.into)
  const chain = await chosenChain(options)
  const newest = last(chain)
  refuseUnsuitable(newest, options)
  const lock = await lockData(`${into}.restoring`).catch(() => {
    throw new StartProblem(`Another restore into ${into} is under way.`)
  })
  try {
    refuseOccupied(into)
    const work = `${into}.restoring`
    refuseStarted(work)
    // What an interrupted restore left.
    await stopOrphan(join(work, 'postgres'), createLog('silent'))
    rmSync(work, { recursive: true, force: true })
    mkdirSync(dirname(work), { recursive: true })
    // PostgreSQL may run as another user and must get to its folder.
    mkdirSync(work, { mode: 0o711 })
    mkdirSync(join(work, 'postgres'), { mode: 0o700 })
    refuseUnreachableFolder(work, postgresUser())
    try {
      for (const manifest of chain) {
        say(`Unpacking ${manifest.id} (${manifest.parent === null ? 'full' : 'incremental'})…`)
        await applyBackup(placeOf(target, key, manifest.id), manifest, join(work, 'postgres'))
      }
      await restoreFiles(chain, options, options.files ?? diskStorage(join(work, 'files')))
      if (newest.filesKey.content !== null) {
        await writeDurably(join(work, 'files.key'), `${newest.filesKey.content}\n`)
      }
      await bringUp(newest, options, work)
      // A folder that was empty makes way; one that was filled meanwhile doesn't.
      renameSync(work, into)
      await syncFolder(dirname(into))
    } catch (error) {
      rmSync(work, { recursive: true, force: true })
      if (!hasNoRoom(error)) throw error
      throw new StartProblem(`The disk of ${into} is full. Free some space, or restore to another disk.`)
    }
  } finally {
    await lock.release()
  }
  return newest
}

async function chosenChain({ target, key, id, until }: RestoreOptions): Promise<Manifest[]> {
  if (id !== undefined) return readChain(target, key, id)
  const { complete } = await listBackups(target)
  if (complete.length === 0) throw new StartProblem('There are no complete backups in BACKUP_URL.')
  for (const candidate of complete.toReversed()) {
    const chain = await readChain(target, key, candidate)
    if (until === undefined || new Date(last(chain).finishedAt) <= until) return chain
  }
  throw new StartProblem(`No backup was finished before ${must(until).toISOString()}.`)
}

function refuseUnsuitable({ id, database, filesKey }: Manifest, options: RestoreOptions): void {
  const known = new Set(knownMigrations())
  const unknown = database.migrations.find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw new StartProblem(
      `A newer version of Cleartick made backup ${id}: this one doesn't know the migration ${unknown}. Restore it with that version or a later one.`,
    )
  }
  const { filesKey: given, otherFilesKeys = [] } = options
  const keys = [...(given === undefined ? [] : [keyFromText(given)]), ...otherFilesKeys]
  if (filesKey.content === null && !keys.some((one) => fingerprintOf(one) === filesKey.fingerprint)) {
    throw new StartProblem(
      `The private files in backup ${id} are encrypted with the operator's own key. Set FILES_KEY to that key.`,
    )
  }
  if (options.until !== undefined && options.wal === undefined) {
    throw new StartProblem('A point in time needs the archived WAL: add --wal FOLDER.')
  }
  if (options.wal !== undefined && !existsSync(options.wal))
    throw new StartProblem(`There is no folder ${options.wal}.`)
}

function refuseOccupied(into: string): void {
  if (!existsSync(into) || readdirSync(into).length === 0) return
  throw new StartProblem(
    `${into} isn't empty, and a restore never overwrites anything. Choose a new folder, check the restored installation, then start it with DATA_DIR=NEW-FOLDER.`,
  )
}

/** A restore writes no address, so a folder that has one was started as an installation since. */
function refuseStarted(work: string): void {
  if (!existsSync(join(work, 'database-url'))) return
  throw new StartProblem(
    `${work} is an installation that was started, and a restore into this folder would work there. Choose another folder.`,
  )
}

/** Copies the files that existed at the newest backup from wherever in the chain they are. */
async function restoreFiles(chain: Manifest[], options: RestoreOptions, storage: FileStorage): Promise<void> {
  const wanted = new Set(last(chain).files?.names)
  const present = options.files ? new Set(await storage.list()) : new Set<string>()
  for (const { id, files } of chain) {
    if (files === null) continue
    for await (const { name, bytes } of filesOf(placeOf(options.target, options.key, id), files.parts)) {
      if (wanted.delete(name) && !present.has(name)) await storage.write(name, bytes)
    }
  }
  const [missing] = wanted
  if (missing !== undefined) throw damaged(last(chain).id, `files/${missing}`, 'it is missing')
}

async function* filesOf(place: Place, parts: number): AsyncGenerator<{ name: string; bytes: Buffer }> {
  let current = ''
  let pieces: Buffer[] = []
  let done: { name: string; bytes: Buffer }[] = []
  const tar = readTar({
    entry({ name }) {
      if (!isFileName(name)) throw damaged(place.id, name, 'it is no private file')
      current = name
      pieces = []
    },
    data: (bytes) => pieces.push(bytes),
    end: () => done.push({ name: current, bytes: Buffer.concat(pieces) }),
  })
  for await (const piece of readParts(place, 'files', parts)) {
    tar.write(piece)
    yield* done
    done = []
  }
  tar.finish()
}

/** Recovers, migrates and verifies the database in `work`, and leaves it stopped. */
async function bringUp({ database }: Manifest, options: RestoreOptions, work: string): Promise<void> {
  const { wal, until, say = () => undefined } = options
  say('Recovering the database…')
  const postgres = await recover({ folder: join(work, 'postgres'), wal: wal && resolve(wal), until })
  try {
    const superUrl = postgres.urlOf(database.superuser, database.name)
    const added = await migrate(postgres.urlOf(database.owner, database.name))
    if (added.length > 0) say(`Migrated from ${database.migrations.at(-1)} to ${added.at(-1)}.`)
    // A copy gets its own password, so that no copy can be used to reach another.
    if (database.kind === 'embedded') await newPassword(superUrl, database.superuser, work)
    say('Verifying…')
    if (!(await options.verify(superUrl))) {
      throw new StartProblem(
        'The restored database breaks the invariants above, so nothing was kept. Try an older backup.',
      )
    }
  } finally {
    await postgres.stop()
  }
}

async function newPassword(superUrl: string, superuser: string, work: string): Promise<void> {
  const password = randomBytes(24).toString('base64url')
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  try {
    await client.query(`alter role ${pg.escapeIdentifier(superuser)} password '${password}'`)
  } finally {
    await client.end()
  }
  await writeDurably(join(work, 'postgres.password'), password)
}

/** Reads and decrypts all of a backup and those that it continues, without writing anything. */
export async function checkBackup(target: Target, key: Buffer, id: string): Promise<Manifest[]> {
  const chain = await readChain(target, key, id)
  for (const manifest of chain) {
    const place = placeOf(target, key, manifest.id)
    for (const [stream, parts] of [
      ['database', manifest.database.parts],
      ['database-manifest', manifest.database.manifestParts],
      ['files', manifest.files?.parts ?? 0],
    ] as const)
      for await (const _ of readParts(place, stream, parts));
  }
  return chain
}
