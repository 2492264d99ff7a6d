import { createHash, randomBytes } from 'node:crypto'
import { assert } from '#kernel/assert.ts'
import { first, last } from '#kernel/must.ts'
import { sqlState } from '#server/platform/database/db.ts'
import { APPLIED_MIGRATIONS } from '#server/platform/database/migrate.ts'
import { existingFilesKey, type FileStorage, keyFromText } from '#server/platform/files/index.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { listBackups, type Manifest, placeOf, readChain, removeBackup, writeManifest } from './manifest.ts'
import { type Place, partWriter, readParts } from './parts.ts'
import { connectForBackup, type ReplicationClient } from './replication.ts'
import { tarHeader, tarPadding } from './tar.ts'
import type { Target } from './target.ts'

/** An incremental restore reads every backup since the last full one: a fortnight of them at most. */
const CHAIN_MAX = 14

interface BackupOptions {
  target: Target
  key: Buffer
  /** A superuser, or a login with REPLICATION that can read the tables. */
  url: string
  kind: 'embedded' | 'external'
  dataDir: string
  /** `FILES_KEY`. */
  filesKey: string | undefined
  /** Undefined leaves the private files out. */
  files: FileStorage | undefined
  full?: boolean
  maxKibibytesPerSecond?: number | undefined
  say?(line: string): void
}

/**
 * Makes a backup: the database first, then the private files. A file that the database's copy names was written before
 * its row, so it's found; one that was deleted meanwhile is no longer needed by the installation either.
 */
export async function createBackup(options: BackupOptions): Promise<Manifest> {
  const { target, key, say = () => undefined } = options
  const client = await connectForBackup(options.url)
  try {
    const source = { ...options, about: await describeDatabase(client, options.kind), filesKey: filesKeyOf(options) }
    const parent = options.full ? undefined : await findParent(target, key, source.about, source.filesKey, say)
    try {
      return await copyAll(client, source, parent)
    } catch (error) {
      // PostgreSQL lacks the summaries of the WAL in between: summarize_wal was off for a while.
      if (parent === undefined || sqlState(error) !== OBJECT_NOT_IN_PREREQUISITE_STATE) throw error
      say(`A full backup is made, because PostgreSQL can't continue the last one: ${(error as Error).message}`)
    }
  } finally {
    await client.close()
  }
  return createBackup({ ...options, full: true })
}

interface Source extends Omit<BackupOptions, 'filesKey'> {
  about: Awaited<ReturnType<typeof describeDatabase>>
  filesKey: Manifest['filesKey']
}

async function copyAll(client: ReplicationClient, source: Source, parent: Manifest | undefined): Promise<Manifest> {
  const startedAt = await databaseTime(client)
  // Begins with the time to the millisecond: ids sort by age, also of backups made within a second.
  const id = `${startedAt.replace(/[-:.]/g, '')}-${randomBytes(8).toString('hex')}`
  const place = placeOf(source.target, source.key, id)
  try {
    const { stored, ...position } = await copyDatabase(client, place, source, parent)
    const files = source.files ? await copyFiles(source.files, place, parent) : undefined
    const manifest: Manifest = {
      id,
      startedAt,
      finishedAt: await databaseTime(client),
      parent: parent?.id ?? null,
      database: { kind: source.kind, ...source.about, ...position },
      files: files ? { names: files.names, parts: files.parts } : null,
      filesKey: source.filesKey,
      stored: stored + (files?.stored ?? 0),
    }
    await writeManifest(place, manifest)
    return manifest
  } catch (error) {
    // Without its manifest it's never used; what can't be removed now is removed by a later --keep-days.
    await removeBackup(source.target, id).catch(() => undefined)
    throw error
  }
}

const OBJECT_NOT_IN_PREREQUISITE_STATE = '55000'

async function databaseTime(client: ReplicationClient): Promise<string> {
  const rows = await client.rows<{ ms: string }>('select (extract(epoch from clock_timestamp()) * 1000)::text as ms')
  return new Date(Number(first(rows).ms)).toISOString()
}

async function describeDatabase(client: ReplicationClient, kind: 'embedded' | 'external') {
  const spaces = await client.rows(`select from pg_tablespace where spcname not in ('pg_default', 'pg_global')`)
  if (spaces.length > 0) {
    throw new StartProblem(
      "This PostgreSQL has tablespaces, which npm run backup doesn't cover. Use PostgreSQL's tools.",
    )
  }
  const [found] = await client.rows<Record<string, string>>(
    `select current_database() as name, pg_get_userbyid(c.relowner) as owner, pg_get_userbyid(10) as superuser,
      current_setting('server_version_num') as version
    from pg_class c where c.oid = to_regclass('migrations')`,
  )
  if (!found) throw new StartProblem('This database has no Cleartick tables yet. Start the server once.')
  const [system] = await client.rows<{ systemid: string }>('IDENTIFY_SYSTEM')
  const { name, owner, superuser, version } = found
  const systemId = String(system?.systemid)
  assert(name && owner && superuser && version && system, 'PostgreSQL describes itself')
  if (kind === 'external' && Number(version) < 170_000) throw new StartProblem('npm run backup needs PostgreSQL 18.')
  const migrations = await client.rows<{ name: string }>(APPLIED_MIGRATIONS)
  return { name, owner, superuser, systemId, version, migrations: migrations.map((row) => row.name) }
}

/** Returns the newest backup if this one can continue it. */
async function findParent(
  target: Target,
  key: Buffer,
  about: { systemId: string },
  filesKey: Manifest['filesKey'],
  say: (line: string) => void,
): Promise<Manifest | undefined> {
  const newest = (await listBackups(target)).complete.at(-1)
  if (newest === undefined) return undefined
  try {
    const chain = await readChain(target, key, newest)
    const parent = last(chain)
    // A file of the chain is not copied again, and would keep the former key.
    const isSameKey = parent.filesKey.fingerprint === filesKey.fingerprint
    return parent.database.systemId === about.systemId && isSameKey && chain.length < CHAIN_MAX ? parent : undefined
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    say(`A full backup is made, because the last one can't be continued. ${error.message}`)
    return undefined
  }
}

async function copyDatabase(
  client: ReplicationClient,
  place: Place,
  { target, key, maxKibibytesPerSecond }: Source,
  parent: Manifest | undefined,
) {
  const since = parent && (await wholeManifest(placeOf(target, key, parent.id), parent))
  const archive = partWriter(place, 'database')
  const postgresManifest = partWriter(place, 'database-manifest')
  let bytes = 0
  const position = await client.baseBackup({
    label: `cleartick ${place.id}`,
    since,
    maxKibibytesPerSecond,
    async archive(piece) {
      bytes += piece.length
      await archive.write(piece)
    },
    manifest: postgresManifest.write,
  })
  const [written, described] = [await archive.finish(), await postgresManifest.finish()]
  return {
    ...position,
    bytes,
    parts: written.parts,
    manifestParts: described.parts,
    stored: written.stored + described.stored,
  }
}

/** Returns PostgreSQL's own manifest of a backup. */
export async function wholeManifest(place: Place, { database }: Manifest): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of readParts(place, 'database-manifest', database.manifestParts)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Files never change: only those that no earlier backup of the chain holds are copied. */
async function copyFiles(files: FileStorage, place: Place, parent: Manifest | undefined) {
  const earlier = new Set(parent?.files?.names)
  const archive = partWriter(place, 'files')
  const names: string[] = []
  for (const name of await files.list()) {
    if (!earlier.has(name)) {
      const bytes = await files.read(name)
      // Deleted since it was listed.
      if (bytes === undefined) continue
      await archive.write(tarHeader(name, bytes.length))
      await archive.write(bytes)
      await archive.write(tarPadding(bytes.length))
    }
    names.push(name)
  }
  return { names, ...(await archive.finish()) }
}

function filesKeyOf({ dataDir, filesKey }: Pick<BackupOptions, 'dataDir' | 'filesKey'>): Manifest['filesKey'] {
  if (filesKey !== undefined) return { fingerprint: fingerprintOf(keyFromText(filesKey)), content: null }
  const key = existingFilesKey(dataDir, undefined)
  return { fingerprint: fingerprintOf(key), content: key.toString('base64url') }
}

export const fingerprintOf = (key: Buffer): string =>
  createHash('sha256').update('cleartick files key\0').update(key).digest('hex').slice(0, 16)
