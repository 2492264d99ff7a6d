import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { checkBackup, createBackup, listBackups, restoreBackup } from '#ops/backup/index.ts'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import { knownMigrations, migrate } from '#server/platform/database/migrate.ts'
import { diskStorage, filesKey, openFiles, s3Storage } from '#server/platform/files/index.ts'
import { archiveSettings } from '#server/platform/postgres/wal.ts'
import { createLog } from '#server/platform/process/log.ts'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { folderTarget, key, objectsOf, source, TIMEOUT_MS, verify } from '#tests/support/servers/backups.ts'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { dataFolder, openSuper, startServer } from '#tests/support/servers/server.ts'
import { healthy } from '#tests/support/trades/crowd.ts'
import { writeEntries } from '#tests/support/trades/ledger-entries.ts'

/** The drill that docs/operations/backup.md promises. */
const ENTRIES = 1_000_000
const DRILL_MS = 300_000

test(
  'restores and verifies a million entries and private files within five minutes, and starts a new tape epoch',
  async () => {
    const installation = await startInstallation()
    await writeEntries(installation.db, { traders: 1_000, entries: ENTRIES })
    const began = performance.now()
    const picture = randomBytes(200_000)
    const name = await installation.files.put(picture)
    const { folder, target } = await folderTarget()
    const made = await createBackup({ ...source(installation), target, key })
    expect(made).toMatchObject({ parent: null, files: { names: [name] } })
    for (const object of objectsOf(folder)) expect(statSync(object).mode & 0o777).toBe(0o600)
    await installation.stop()

    const into = join(dataFolder(), 'restored')
    await restoreBackup({ target, key, into, verify })
    expect(performance.now() - began).toBeLessThan(DRILL_MS)
    const files = openFiles({ storage: diskStorage(join(into, 'files')), key: filesKey(into, undefined) })
    expect(await files.get(name)).toEqual(picture)
    for (const file of ['postgres.password', 'files.key']) expect(statSync(join(into, file)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(into, 'postgres.password'), 'utf8')).not.toBe(
      readFileSync(join(installation.dataDir, 'postgres.password'), 'utf8'),
    )

    const server = await startServer(into)
    await healthy(server)
    const { db, close } = openSuper(into)
    const { rows } = await sql<{ n: bigint }>`select count(*) as n from transfers`.execute(db)
    expect(Number(rows[0]!.n)).toBe(ENTRIES)
    await close()
    expect(await server.end('SIGTERM')).toBe(0)
  },
  2 * DRILL_MS,
)

test(
  'detects a flipped byte anywhere, and a missing, truncated, extended or swapped object',
  async () => {
    const installation = await startInstallation()
    await installation.files.put(randomBytes(10_000))
    const { folder, target } = await folderTarget()
    const { id } = await createBackup({ ...source(installation), target, key })
    await checkBackup(target, key, id)
    const objects = objectsOf(folder)
    expect(objects.map((path) => path.replace(/.*\/|-\d+$/g, ''))).toEqual(
      expect.arrayContaining(['database', 'database-manifest', 'files', 'manifest']),
    )
    for (const path of objects) {
      const whole = readFileSync(path)
      const flip = (at: number) => {
        const flipped = Buffer.from(whole)
        flipped[at]! ^= 1 << Math.floor(Math.random() * 8)
        return flipped
      }
      const spoiled = [flip(Math.floor(Math.random() * whole.length)), flip(whole.length - 1)]
      // The format, the key's number, the nonce and the tag; the same code opens the other parts.
      if (/manifest$|00000$/.test(path)) {
        const lengths = [whole.subarray(0, -1), Buffer.concat([whole, Buffer.from([0])]), Buffer.alloc(0)]
        spoiled.push(...[0, 4, 12, 24].map(flip), ...lengths)
      }
      for (const bytes of spoiled) {
        writeFileSync(path, bytes)
        await expect(checkBackup(target, key, id), path).rejects.toThrow(/^Backup \S+ can't be used/)
      }
      writeFileSync(path, whole)
    }
    const [one, other] = objects.filter((path) => path.includes('database-0')) as [string, string]
    const [bytes, others] = [readFileSync(one), readFileSync(other)]
    writeFileSync(one, others)
    writeFileSync(other, bytes)
    await expect(checkBackup(target, key, id)).rejects.toThrow(/its bytes were changed/)
    writeFileSync(one, bytes)
    writeFileSync(other, others)
    await checkBackup(target, key, id)
    await target.remove(`${id}/files-00000`)
    await expect(checkBackup(target, key, id)).rejects.toThrow(/in files-00000, it is missing/)
    await expect(restoreBackup({ target, key, into: join(folder, 'into'), verify })).rejects.toThrow(/it is missing/)
    expect(existsSync(join(folder, 'into'))).toBe(false)
    expect(existsSync(join(folder, 'into.restoring'))).toBe(false)
  },
  TIMEOUT_MS,
)

test(
  'an incremental backup contains the changes, and restores with the backups before it',
  async () => {
    const installation = await startInstallation()
    const { db } = installation
    await writeEntries(db, { traders: 10, entries: 20_000 })
    await sql`create table grown as select n, repeat('x', 200) as filler from generate_series(1, 20000) n`.execute(db)
    // Freeze, so that unchanged blocks aren't rewritten: otherwise PostgreSQL sends the whole file.
    await sql`vacuum (freeze) grown`.execute(db)
    await sql`create table dropped as select 1`.execute(db)
    const { rows: paths } = await sql<{ grown: string; dropped: string }>`
    select pg_relation_filepath('grown') as grown, pg_relation_filepath('dropped') as dropped`.execute(db)
    const [stays, leaves] = [
      await installation.files.put(Buffer.from('stays')),
      await installation.files.put(Buffer.from('leaves')),
    ]
    const { target } = await folderTarget()
    const full = await createBackup({ ...source(installation), target, key })

    // A table that was truncated and grew again, one changed in the middle, a dropped one and a new one.
    await sql`delete from grown where n > 10000`.execute(db)
    await sql`vacuum grown`.execute(db)
    await sql`insert into grown select n, repeat('y', 100) from generate_series(30001, 31000) n`.execute(db)
    await sql`update grown set filler = 'z' where n % 1000 = 0`.execute(db)
    await sql`drop table dropped`.execute(db)
    await installation.files.delete(leaves)
    const arrives = await installation.files.put(Buffer.from('arrives'))
    const second = await createBackup({ ...source(installation), target, key })
    await sql`create table later as select generate_series(1, 1000) as n`.execute(db)
    const third = await createBackup({ ...source(installation), target, key })
    expect([second.parent, third.parent]).toEqual([full.id, second.id])
    expect(third.stored).toBeLessThan(full.stored / 5)

    const picture = async (url: string) => {
      const { db, close } = openDatabase(url, { max: 1, name: 'test', log: createLog('silent') })
      const read = sql`select (select md5(string_agg(g::text, ',' order by n)) from grown g) as grown,
      (select count(*) from later) as later, to_regclass('dropped') as dropped,
      (select md5(string_agg(t::text, ',' order by t)) from transfers t) as transfers`
      const { rows } = await read.execute(db)
      await close()
      return rows[0]
    }
    const before = await picture(installation.superUrl)
    const into = join(dataFolder(), 'restored')
    let restored: unknown
    await restoreBackup({
      target,
      key,
      into,
      async verify(url) {
        restored = await picture(url)
        return verify(url)
      },
    })
    expect(restored).toEqual(before)
    const isThere = (dropped: string) => existsSync(join(into, 'postgres', dropped))
    expect([isThere(paths[0]!.grown), isThere(paths[0]!.dropped)]).toEqual([true, false])
    const files = openFiles({ storage: diskStorage(join(into, 'files')), key: filesKey(into, undefined) })
    expect(
      await Promise.all([stays, leaves, arrives].map(async (name) => (await files.get(name))?.toString())),
    ).toEqual(['stays', undefined, 'arrives'])
    expect((await listBackups(target)).complete).toEqual([full.id, second.id, third.id])
  },
  TIMEOUT_MS,
)

test(
  "migrates an older version's backup, and rejects a newer version's before writing anything",
  async () => {
    const names = knownMigrations()
    const older = await startInstallation({ migrateWith: (url) => migrate(url, { count: names.length - 1 }) })
    const { folder, target } = await folderTarget()
    const made = await createBackup({ ...source(older), target, key })
    expect(made.database.migrations).toEqual(names.slice(0, -1))
    const lines: string[] = []
    await restoreBackup({ target, key, into: join(folder, 'one'), verify, say: (line) => lines.push(line) })
    expect(lines.join('\n')).toContain(`Migrated from ${names.at(-2)} to ${names.at(-1)}.`)

    await sql`insert into migrations (name, run_on) values ('9999_tomorrow', now())`.execute(older.db)
    await createBackup({ ...source(older), target, key })
    const into = join(folder, 'two')
    await expect(restoreBackup({ target, key, into, verify })).rejects.toThrow(
      /A newer version of Cleartick made backup/,
    )
    expect(existsSync(into) || existsSync(`${into}.restoring`)).toBe(false)
  },
  TIMEOUT_MS,
)

test(
  'restores to any second since the backup with the archived WAL',
  async () => {
    const archive = join(dataFolder(), 'wal')
    const installation = await startInstallation({ settings: archiveSettings(archive) })
    const { db } = installation
    await sql`create table events (name text)`.execute(db)
    const event = async (name: string) => {
      await sql`insert into events values (${name})`.execute(db)
      await sleep(20)
      const { rows } = await sql<{
        ms: string
      }>`select (extract(epoch from clock_timestamp()) * 1000)::text as ms`.execute(db)
      await sleep(20)
      return new Date(Math.floor(Number(rows[0]!.ms)))
    }
    await event('before')
    const { folder, target } = await folderTarget()
    await createBackup({ ...source(installation), target, key })
    await event('wanted')
    const until = await event('wanted too')
    // A backup after that time must not be chosen.
    await createBackup({ ...source(installation), target, key })
    await event('a mistake')
    const { rows } = await sql<{ file: string }>`select pg_walfile_name(pg_switch_wal()) as file`.execute(db)
    await expect.poll(() => existsSync(join(archive, `${rows[0]!.file}.gz`)), { timeout: 20_000 }).toBe(true)

    const restoredTo = async (into: string, moment: Date | undefined) => {
      let found: string[] = []
      await restoreBackup({
        target,
        key,
        into: join(folder, into),
        wal: archive,
        until: moment,
        async verify(url) {
          const { db, close } = openDatabase(url, { max: 1, name: 'test', log: createLog('silent') })
          found = (await sql<{ name: string }>`select name from events`.execute(db)).rows.map(({ name }) => name)
          await close()
          return verify(url)
        },
      })
      return found
    }
    expect(await restoredTo('then', until)).toEqual(['before', 'wanted', 'wanted too'])
    expect(await restoredTo('now', undefined)).toEqual(['before', 'wanted', 'wanted too', 'a mistake'])
    // The archive ends before that time.
    await expect(restoredTo('later', new Date(Date.now() + 3_600_000))).rejects.toThrow(
      /couldn't recover the backup up to .*recovery ended before configured recovery target was reached/s,
    )
    await expect(restoredTo('earlier', new Date(Date.now() - 3_600_000))).rejects.toThrow(
      /No backup was finished before/,
    )
  },
  TIMEOUT_MS,
)

test(
  'restores only the missing private files of a bucket',
  async () => {
    const installation = await startInstallation()
    const bucket = await bucketServer(join(dataFolder(), 'bucket'))
    onTestFinished(bucket.close)
    const storage = await s3Storage(bucket.url.replace('/cleartick', '/cleartick/files'))
    const filesKeyText = key.toString('hex')
    const files = openFiles({ storage, key })
    const names = await Promise.all(Array.from({ length: 12 }, (_, n) => files.put(Buffer.from(`number ${n}`))))
    const { folder, target } = await folderTarget()
    const made = await createBackup({ ...source(installation), target, key, files: storage, filesKey: filesKeyText })
    expect(made.filesKey.content).toBeNull()
    for (const name of names.slice(0, 5)) await storage.remove(name)
    const written: string[] = []
    const watched = {
      ...storage,
      write: (name: string, bytes: Buffer) => {
        written.push(name)
        return storage.write(name, bytes)
      },
    }
    const options = { target, key, into: join(folder, 'restored'), verify, files: watched }
    await expect(restoreBackup(options)).rejects.toThrow(/Set FILES_KEY to that key/)
    await expect(restoreBackup({ ...options, filesKey: 'ab'.repeat(32) })).rejects.toThrow(/Set FILES_KEY to that key/)
    await restoreBackup({ ...options, filesKey: filesKeyText })
    expect(written.sort()).toEqual(names.slice(0, 5).sort())
    expect(await Promise.all(names.map(async (name) => String(await files.get(name))))).toEqual(
      names.map((_, n) => `number ${n}`),
    )
  },
  TIMEOUT_MS,
)

test(
  'backups of a copy and its original never build on each other, and both restore',
  async () => {
    const original = await startInstallation()
    const { folder, target } = await folderTarget()
    await createBackup({ ...source(original), target, key })
    const into = join(folder, 'copy')
    await restoreBackup({ target, key, into, verify })
    const copy = await startInstallation({ dataDir: into })
    await sql`create table copied as select 1 as n`.execute(copy.db)
    const ofCopy = await createBackup({ ...source(copy), target, key })
    await sql`create table original as select 1 as n`.execute(original.db)
    const ofOriginal = await createBackup({ ...source(original), target, key })
    const copyAgain = await createBackup({ ...source(copy), target, key })
    expect(ofOriginal.parent).not.toBe(ofCopy.id)
    expect(copyAgain.parent).not.toBe(ofOriginal.id)
    for (const [made, table] of [
      [ofCopy, 'copied'],
      [ofOriginal, 'original'],
      [copyAgain, 'copied'],
    ] as const) {
      let found: unknown[] = []
      await restoreBackup({
        target,
        key,
        id: made.id,
        into: join(dataFolder(), 'restored'),
        async verify(url) {
          const { db, close } = openDatabase(url, { max: 1, name: 'test', log: createLog('silent') })
          const read = sql`select to_regclass('copied') is not null as copied, to_regclass('original') is not null as original`
          found = (await read.execute(db)).rows
          await close()
          return verify(url)
        },
      })
      expect(found).toEqual([{ copied: table === 'copied', original: table === 'original' }])
    }
  },
  TIMEOUT_MS,
)
