import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import * as z from 'zod'
import { type Db, sql, type Tx } from '#server/platform/database/db.ts'
import { APPLIED_MIGRATIONS } from '#server/platform/database/migrate.ts'

const MIGRATIONS = new URL('../../db/migrations/', import.meta.url)

/** A small installation of a version: its rows, its files and keys, and receipts that were downloaded from it. */
const Release = z.strictObject({
  version: z.string(),
  /** The migrations of its schema with the hashes of their text: a released one never changes. */
  migrations: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  /** The rows of each table, as JSON text that PostgreSQL wrote: numbers keep all of their digits. */
  tables: z.record(z.string(), z.string()),
  sequences: z.record(z.string(), z.string()),
  /** What the data folder holds besides the database, as base64. */
  files: z.record(z.string(), z.string()),
  /** The published keys, and the receipts, as downloaded. */
  keys: z.string(),
  receipts: z.array(z.string()),
})
export type Release = z.infer<typeof Release>

export const hashOf = (migration: string): string =>
  createHash('sha256')
    .update(readFileSync(new URL(`${migration}.sql`, MIGRATIONS)))
    .digest('hex')

export const pack = (release: Release): Buffer =>
  brotliCompressSync(JSON.stringify(release), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
export const unpack = (packed: Buffer): Release => Release.parse(JSON.parse(brotliDecompressSync(packed).toString()))

/** The runner's own table, which migrating fills. */
const TABLES = sql<{ name: string }>`
  select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migrations'
  order by relname`

/** Reads an installation in one snapshot, except for the database's own files. */
export async function dumpInstallation(
  db: Db,
  dataDir: string,
  about: Pick<Release, 'version' | 'keys' | 'receipts'>,
): Promise<Release> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows: applied } = await sql.raw<{ name: string }>(APPLIED_MIGRATIONS).execute(tx)
      const tables: Record<string, string> = {}
      for (const { name } of (await TABLES.execute(tx)).rows) {
        const { rows } = await sql<{
          all: string
        }>`select coalesce(json_agg(whole_row), '[]')::text as all from ${sql.table(name)} whole_row`.execute(tx)
        tables[name] = rows[0]!.all
      }
      const { rows: sequences } = await sql<{ name: string; last: string }>`
        select sequencename::text as name, last_value::text as last from pg_sequences
        where schemaname = 'public' and last_value is not null and sequencename not like 'migrations%'`.execute(tx)
      return {
        ...about,
        migrations: applied.map(({ name }) => ({ name, sha256: hashOf(name) })),
        tables,
        sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])),
        files: filesOf(dataDir),
      }
    })
}

/** The files and keys of a data folder. The database's address and logins belong to its own database. */
function filesOf(dataDir: string): Record<string, string> {
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)))
      .filter((name) => name.startsWith('files/') || name.endsWith('.key'))
      .map((name) => [name, readFileSync(join(dataDir, name)).toString('base64')]),
  )
}

/** Puts the rows of a release into a database of its schema. Needs a superuser: the rows are history, not changes. */
export async function restoreRows(tx: Tx, { tables, sequences }: Release): Promise<void> {
  await sql`set local session_replication_role = replica`.execute(tx)
  const names = Object.keys(tables)
  await sql`truncate ${sql.join(names.map((name) => sql.table(name)))}`.execute(tx)
  for (const [name, rows] of Object.entries(tables)) {
    const { rows: columns } = await sql<{ name: string }>`
      select attname::text as name from pg_attribute
      where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(tx)
    const list = sql.join(columns.map((column) => sql.ref(column.name)))
    await sql`
      insert into ${sql.table(name)} (${list}) overriding system value
      select ${list} from json_populate_recordset(null::${sql.table(name)}, ${rows}::json)`.execute(tx)
  }
  for (const [name, last] of Object.entries(sequences))
    await sql`select setval(${name}::regclass, ${last}::bigint)`.execute(tx)
}
