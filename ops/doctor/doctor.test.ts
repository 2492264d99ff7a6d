import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { roleHolders } from '#server/desk/index.ts'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import { diskStorage, openFiles, s3Storage } from '#server/platform/files/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { looseInstruments, tapeState } from '#server/prices/index.ts'
import { keyThatReceiptsWaitFor, openProofKey } from '#server/proof/index.ts'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { startSmtp } from '#tests/support/outside/smtp.ts'
import { testVenue } from '#tests/support/prices/venues.ts'
import { connectTo, createTestDatabase, type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { smallDisk } from '#tests/support/servers/small-disk.ts'
import {
  checkClock,
  checkDurability,
  checkReplicas,
  checkSchema,
  checkVersion,
  judgeCapital,
  judgeInstruments,
  judgeProofKey,
  judgeRoles,
  judgeStandby,
  judgeTape,
  type Query,
} from './database.ts'
import { checkSecrets, judgeSpace, spaceOf } from './disk.ts'
import { type Finding, reasonOf } from './finding.ts'
import { checkBuild, checkPort, judgeFiles, judgeProofFile, judgeSpelling } from './host.ts'
import { examineDatabase } from './index.ts'
import { checkMail, checkStorage, checkVenues, judgeArchive, judgeBackups } from './outside.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  return () => database.drop()
})
const queryOf =
  ({ db }: Pick<TestDatabase, 'db'>): Query =>
  async <Row>(text: string) =>
    (await sql.raw<Row>(text).execute(db)).rows
const states = (findings: Finding[]) => findings.map(({ state }) => state)
const HOUR = 3_600_000

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('every problem and warning says what to do', async () => {
  const found = [
    judgeTape(60_000, true),
    judgeSpace('The disk', '/', { free: 1, total: 100 }),
    judgeArchive({ mode: 'on', fails: true, waiting: 3 }),
  ]
  for (const { state, fix } of found) {
    expect(state).toBe('problem')
    expect(fix).toMatch(/\w/)
  }
})

test('version: 18 is right, others are not', async () => {
  expect(states(await checkVersion(queryOf(database)))).toEqual(['ok'])
  const older: Query = async <Row>() => [{ version: '17.6', major: 17 }] as Row[]
  expect(await checkVersion(older)).toMatchObject([{ state: 'problem', says: expect.stringContaining('17.6') }])
})

test('schema: up to date, behind, and of a newer version', async () => {
  const { superUrl } = await testDatabase()
  const client = await connectTo(superUrl)
  onTestFinished(() => client.end())
  const query: Query = async <Row>(text: string) => (await client.query(text)).rows as Row[]
  expect(states(await checkSchema(query))).toEqual(['ok'])
  const newest = await client.query('delete from migrations where id = (select max(id) from migrations) returning name')
  expect(await checkSchema(query)).toMatchObject([
    { state: 'warning', says: "The database lacks 1 of this version's migrations." },
  ])
  await client.query(`insert into migrations (name, run_on) values ('9999_tomorrow', now())`)
  expect(await checkSchema(query)).toMatchObject([{ state: 'warning', says: expect.stringContaining('9999_tomorrow') }])
  await client.query(
    `insert into migrations (name, run_on) values ('${newest.rows[0].name}', now()), ('9998_before', now())`,
  )
  await client.query(`insert into schema_needs (migration, needs) values ('9999_tomorrow', '9998_before')`)
  expect(await checkSchema(query)).toMatchObject([{ state: 'problem', says: expect.stringContaining('9998_before') }])
})

test('clock: equal, a second apart, and far apart in either direction', async () => {
  const query = queryOf(database)
  expect(states(await checkClock(query))).toEqual(['ok'])
  expect(states(await checkClock(query, () => Date.now() - 1_200))).toEqual(['warning'])
  expect(await checkClock(query, () => Date.now() + 60_000)).toMatchObject([
    { state: 'problem', says: expect.stringMatching(/clock is (59|60)\d\d\d ms ahead of the database's/) },
  ])
  expect(await checkClock(query, () => Date.now() - 60_000)).toMatchObject([
    { state: 'problem', says: expect.stringMatching(/ms behind the database's/) },
  ])
})

test('fsync: on, off, and slow', async () => {
  // The tests' own PostgreSQL runs without, which is what an operator must never do.
  expect(await checkDurability(queryOf(database))).toMatchObject([
    { state: 'problem', says: expect.stringContaining('fsync and full_page_writes and synchronous_commit off') },
  ])
  const durable = await startInstallation({
    settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  })
  const [found] = await checkDurability(queryOf(durable))
  expect(found!.says).toMatch(/^fsync is on, and a commit takes [\d.]+ ms\.$/)
  const slow: Query = async <Row>(text: string) => {
    if (!text.includes('emit')) return []
    await new Promise((resume) => setTimeout(resume, 25))
    return [] as Row[]
  }
  expect(states(await checkDurability(slow))).toEqual(['warning'])
})

test('disk: enough, little and almost nothing; a folder to come counts as the one above it', (context) => {
  const disk = smallDisk(context, 20)
  expect(spaceOf(join(disk.folder, 'not', 'yet')).total).toBe(20 * 2 ** 20)
  expect(judgeSpace('It', disk.folder, spaceOf(disk.folder)).state).toBe('problem')
  const gibibytes = (free: number, total: number) => ({ free: free * 2 ** 30, total: total * 2 ** 30 })
  expect(judgeSpace('It', '/', gibibytes(5, 100)).state).toBe('warning')
  expect(judgeSpace('It', '/', gibibytes(50, 100)).state).toBe('ok')
  expect(judgeSpace('It', '/', gibibytes(50, 1000)).state).toBe('ok')
  expect(spaceOf('/').total).toBe(statfsSync('/').blocks * statfsSync('/').bsize)
})

test('secrets: private, and readable by others', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'files.key'), 'x', { mode: 0o600 })
  expect(checkSecrets(folder).state).toBe('ok')
  chmodSync(join(folder, 'files.key'), 0o644)
  expect(checkSecrets(folder)).toMatchObject({ state: 'problem', fix: `Run chmod 600 ${join(folder, 'files.key')}` })
})

test('replicas: none, close, far behind, and a slot that nobody reads', async () => {
  expect(await checkReplicas(queryOf(database))).toMatchObject([{ state: 'ok', says: 'There are no standbys.' }])
  const standby = { name: 'two', state: 'streaming', bytes: 1_000, ms: 10 }
  expect(judgeStandby(standby).state).toBe('ok')
  expect(judgeStandby({ ...standby, ms: 60_000 }).says).toBe('two is 60 s and 0 MiB behind (streaming).')
  for (const late of [{ ms: 60_000 }, { bytes: 2 ** 30 }, { state: 'catchup' }])
    expect(judgeStandby({ ...standby, ...late }).state).toBe('problem')
  // A walsender that streams, as to a standby.
  const settings = {
    connectionString: (await startInstallation()).superUrl,
    replication: 'true',
    application_name: 'three',
  }
  const receiver = new pg.Client(settings)
  receiver.on('error', () => undefined)
  await receiver.connect()
  const { rows } = await receiver.query('IDENTIFY_SYSTEM')
  receiver.query(`START_REPLICATION ${(rows[0] as { xlogpos: string }).xlogpos}`).catch(() => undefined)
  const watched = openDatabase(settings.connectionString, { max: 1, name: 'test', log: createLog('silent') })
  await expect
    .poll(() => checkReplicas(queryOf(watched)))
    .toMatchObject([{ state: 'ok', says: expect.stringMatching(/^three is 0 s and 0 MiB behind/) }])
  // A login without the rights of pg_monitor.
  await queryOf(watched)('set role pg_checkpoint')
  const { findings } = await examineDatabase(watched, undefined, { production: true })
  const of = (part: string) => findings.filter((finding) => finding.part === part)
  expect(of('replicas')).toMatchObject([{ state: 'warning', fix: expect.stringContaining('grant pg_monitor') }])
  expect(of('archive')).toMatchObject([{ state: 'ok' }])
  await watched.close()
  receiver.connection.stream.destroy()
  const held: Query = async <Row>(text: string) =>
    (text.includes('pg_replication_slots') ? [{ name: 'gone', bytes: 2 ** 31 }] : []) as Row[]
  expect(await checkReplicas(held)).toMatchObject([
    { state: 'problem', says: expect.stringContaining('The slot gone, which nobody reads, keeps 2048 MiB') },
  ])
})

test('tape: fresh, silent while the server runs, and stopped', async () => {
  expect(await tapeState(database.db)).toEqual({ isWritten: false, ageMs: undefined })
  expect(judgeTape(undefined, false).state).toBe('warning')
  expect(judgeTape(400, true).state).toBe('ok')
  expect(judgeTape(60_000, true)).toMatchObject({ state: 'problem', says: expect.stringContaining('60 s old') })
  expect(judgeTape(60_000, false)).toMatchObject({ state: 'ok', says: expect.stringContaining('stopped') })
})

test('mail: the mailbox, a server that answers, none, and one that rejects the login', async () => {
  expect((await checkMail(undefined)).state).toBe('ok')
  const smtp = await startSmtp()
  onTestFinished(() => smtp.stop())
  expect(await checkMail(smtp.url)).toMatchObject({ state: 'ok' })
  const down = await startSmtp()
  await down.stop()
  expect(await checkMail(down.url)).toMatchObject({ state: 'problem', says: expect.stringContaining('ECONNREFUSED') })
  const strict = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_login, _session, answer) => answer(new Error('Wrong user or password')),
  })
  await new Promise<void>((resolve) => strict.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => strict.close(resolve)))
  const { port } = strict.server.address() as AddressInfo
  const rejected = await checkMail(`smtp://ada:hunter2@127.0.0.1:${port}`)
  expect(rejected.says).toContain('Wrong user or password')
  expect(rejected.state).toBe('problem')
  expect(JSON.stringify(rejected)).not.toContain('hunter2')
})

test('storage: a folder and a bucket that work, one that is gone, one that keeps deleted files, and another key', async () => {
  const key = randomBytes(32)
  const disk = diskStorage(join(temporaryFolder(), 'files'))
  expect((await checkStorage(disk, key)).state).toBe('ok')
  expect(await disk.list()).toEqual([])
  await openFiles({ storage: disk, key }).put(Buffer.from('a passport'))
  expect((await checkStorage(disk, key)).state).toBe('ok')
  expect(await checkStorage(disk, randomBytes(32))).toMatchObject({
    state: 'problem',
    says: "The key doesn't open the stored files.",
  })
  expect((await checkStorage({ ...disk, remove: async () => undefined }, key)).says).toMatch(
    /deleted file is still there/,
  )

  const bucket = await bucketServer(join(temporaryFolder(), 'bucket'))
  expect((await checkStorage(await s3Storage(bucket.url), key)).state).toBe('ok')
  for (const forged of bucket.forged) expect((await checkStorage(await s3Storage(forged), key)).state).toBe('problem')
  await bucket.close()
  expect((await checkStorage(await s3Storage(bucket.url), key)).says).toMatch(/can't be written, read and deleted/)
})

test('feed: exchanges that answer, one that is down, too few, and one that never answers', async () => {
  const [one, two, three] = ['one', 'two', 'three'].map((id) => testVenue(id, 'BTC/USDT')) as [
    ReturnType<typeof testVenue>,
    ReturnType<typeof testVenue>,
    ReturnType<typeof testVenue>,
  ]
  expect(states(await checkVenues([one, two], false))).toEqual(['ok', 'ok'])
  two.isDown = true
  expect(states(await checkVenues([one, two, three], false))).toEqual(['ok', 'warning', 'ok'])
  expect(await checkVenues([one, two], false)).toMatchObject([
    { state: 'ok' },
    { state: 'problem', says: "Two can't be reached: two is down." },
  ])
  expect(states(await checkVenues([one, two], true))).toEqual(['ok', 'warning'])
  const silent = { ...three, markets: () => new Promise<never>(() => undefined) }
  expect((await checkVenues([silent], false, 0.05))[0]!.says).toBe("Three can't be reached: no answer within 0.05 s.")
})

test('backup: fresh, old, none, and only incomplete ones', () => {
  const timeOf = Number
  const now = 1_000 * HOUR
  const at = (hours: number) => String(now - hours * HOUR)
  const judge = (complete: string[], incomplete: string[] = []) => judgeBackups({ complete, incomplete }, timeOf, now)
  expect(judge([at(30), at(1)]).state).toBe('ok')
  expect(judge([at(60), at(30)])).toMatchObject({ state: 'problem', says: 'The newest of 2 backups is 30 h old.' })
  expect(judge([]).says).toBe('There is no backup.')
  expect(judge([], [at(1)]).says).toBe('The only backups are incomplete.')
  expect(judge([at(5)], [at(4), at(3)])).toMatchObject({ state: 'warning' })
  expect(judge([at(5)], [at(0.5)]).state, 'one that is being made').toBe('ok')
})

test('archive: off, on, and failing', () => {
  expect(judgeArchive({ mode: 'off', fails: false, waiting: 0 }).state).toBe('ok')
  expect(judgeArchive({ mode: 'on', fails: false, waiting: 1 }).state).toBe('ok')
  expect(judgeArchive({ mode: 'on', fails: true, waiting: 7 })).toMatchObject({
    state: 'problem',
    says: expect.stringContaining('7 files wait'),
  })
})

test('reasons hold no addresses, which may contain passwords', () => {
  expect(reasonOf(new Error('GET s3+https://KEY:SECRET@host/bucket failed.\n at'))).toBe('GET (address) failed')
})

test('says whether real trades have the capital that they need', () => {
  const until = new Date('2026-12-26T00:00:00Z')
  const judge = (capital: bigint, grace?: Date) => judgeCapital(usd(capital), grace, until.getTime() - 1)
  expect(judge(5n)).toMatchObject({ state: 'ok' })
  expect(judge(0n, until)).toMatchObject({ state: 'warning', says: expect.stringContaining('from 2026-12-26') })
  expect(judge(0n)).toMatchObject({ state: 'problem', says: expect.stringContaining('real trades are rejected') })
})

test('names the roles that one person or nobody holds, whatever their addresses', async () => {
  expect(judgeRoles(await roleHolders(database.db))).toMatchObject({
    state: 'warning',
    says: expect.stringContaining('compliance (nobody), finance (nobody), risk (nobody), admin (nobody)'),
  })
  const client = await connectTo(database.ownerUrl)
  onTestFinished(() => client.end())
  await client.query(`
    insert into operators (email, password_hash, totp_secret, roles, ended_at) values
      ('ann@desk.example', 'x', 'x', '{admin, finance, risk}', null), ('Ann+2@desk.example', 'x', 'x', '{finance}', null),
      ('bob@desk.example', 'x', 'x', '{admin, compliance}', null), ('eve@desk.example', 'x', 'x', '{risk}', now())`)
  expect(judgeRoles(await roleHolders(database.db)).says).toContain(
    ': compliance (bob@desk.example), finance (ann@desk.example), risk (ann@desk.example).',
  )
  await client.query(
    `insert into operators (email, password_hash, totp_secret, roles) values ('dan@desk.example', 'x', 'x', '{compliance, finance, risk}')`,
  )
  expect(judgeRoles(await roleHolders(database.db)).state).toBe('ok')
})

test('lists the instruments whose exchanges may be far apart', async () => {
  expect(judgeInstruments(await looseInstruments(database.db)).state, 'the terms of a new installation').toBe('ok')
  const client = await connectTo(database.ownerUrl)
  onTestFinished(() => client.end())
  await client.query(
    "update instruments set largest_spread_bps = 500, largest_deviation_bps = 100 where symbol = 'XLMGBP'",
  )
  const found = judgeInstruments(await looseInstruments(database.db))
  expect(found.state).toBe('warning')
  expect(found.says).toContain('XLMGBP (spread up to 5%, deviation up to 1%)')
})

test('receipts: names the key that waits, until a checkpoint is signed after it', async () => {
  const own = await createTestDatabase()
  onTestFinished(() => own.drop())
  const [first, lost] = [temporaryFolder(), temporaryFolder()].map((folder) => openProofKey(folder))
  const judge = async () => judgeProofKey(await keyThatReceiptsWaitFor(own.db))
  await sql`insert into proof_keys (id, public_key) values (${first!.id}, ${first!.publicKey})`.execute(own.db)
  expect((await judge()).state).toBe('ok')
  await sql`insert into waiting_proof_keys (id, public_key) values (${lost!.id}, ${lost!.publicKey})`.execute(own.db)
  expect(await judge()).toMatchObject({ state: 'problem', says: expect.stringContaining(lost!.id) })
  const client = await connectTo(own.superUrl)
  onTestFinished(() => client.end())
  // The published key is back.
  const at = Date.now() + 60_000
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into checkpoints (frame, epoch, t, hash, trade_ids, leaves, root, settled_until, key, signature)
     values (1, 1, $1, sha256(''), '', '', sha256(''), now(), $2, sha512(''))`,
    [at, first!.id],
  )
  expect((await judge()).state).toBe('ok')
  // Eleven minutes of tape later, no other checkpoint: the engine with the key that waits leads again.
  await client.query('update tape_head set t = $1', [at + 660_000])
  expect((await judge()).state).toBe('problem')
})

test('build: present, missing, and with a file missing that a page names', () => {
  const build = temporaryFolder()
  expect(checkBuild(build)).toMatchObject({ state: 'problem', says: expect.stringContaining('is not built') })
  for (const folder of ['client/assets', 'desk/assets']) mkdirSync(join(build, folder), { recursive: true })
  for (const page of ['__spa-fallback', 'index'])
    writeFileSync(join(build, 'client', `${page}.html`), '<script src="/assets/app.js"></script>')
  writeFileSync(join(build, 'desk', 'index.html'), '<link href="/desk/assets/desk.css">')
  expect(checkBuild(build)).toMatchObject({ state: 'problem', says: expect.stringContaining('app.js is missing') })
  writeFileSync(join(build, 'client', 'assets', 'app.js'), '')
  expect(checkBuild(build)).toMatchObject({ state: 'problem', says: expect.stringContaining('desk.css is missing') })
  writeFileSync(join(build, 'desk', 'assets', 'desk.css'), '')
  expect(checkBuild(build)).toMatchObject({ state: 'ok' })
})

test('port: taken by another program, or by the server itself', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const at = { PORT: (other.address() as AddressInfo).port, HOST: '127.0.0.1' }
  expect(await checkPort(at, false)).toMatchObject({ state: 'problem', says: expect.stringContaining(String(at.PORT)) })
  expect(await checkPort(at, true)).toMatchObject({ state: 'ok' })
  expect(await checkPort({ ...at, PORT: 0 }, false)).toMatchObject({ state: 'ok' })
})

test('settings: a misspelt name is reported, with the one that was meant', () => {
  const known = {
    PUBLIC_URL: 'x',
    SMTP_URL_FILE: 'x',
    FEED: 'x',
    HOME: '/',
    HOSTNAME: 'x',
    PATH: '/',
    MAIL: '/var/mail',
  }
  expect(judgeSpelling({ ...known, HTTP_PROXY: 'x', NODE_OPTIONS: 'x', TERM: 'x', LOGNAME: 'x' })).toEqual([])
  const meant = (name: string) =>
    judgeSpelling({ [name]: 'x' }).map(({ fix }) => /If you mean (\w+)/.exec(fix ?? '')?.[1])
  expect(meant('PUBLIC_ULR')).toEqual(['PUBLIC_URL'])
  expect(meant('TRUSTPROXY')).toEqual(['TRUST_PROXY'])
  expect(meant('CLEARTICK_FEED')).toEqual(['FEED'])
  expect(judgeSpelling({ CLEARTICK_COLOUR: 'x' })).toMatchObject([{ fix: expect.stringContaining('settings.md') }])
  expect(meant('backup_url')).toEqual(['BACKUP_URL'])
  expect(meant('BACKUP_KEY_FIL')).toEqual(['BACKUP_KEY_FILE'])
})

test('keys and files that the roles of this machine need', () => {
  const dataDir = temporaryFolder()
  const engine = { PROOF_KEY: undefined, dataDir }
  expect(states(judgeProofFile({ ...engine, ROLES: ['engine'] }))).toEqual(['problem'])
  expect(judgeProofFile({ ...engine, ROLES: ['web'] })).toEqual([])
  writeFileSync(join(dataDir, 'proof.key'), '')
  expect(judgeProofFile({ ...engine, ROLES: ['engine'] })).toEqual([])
  expect(states(judgeFiles({ ROLES: ['web'], FILES_URL: undefined }))).toEqual(['warning'])
  expect(judgeFiles({ ROLES: ['web'], FILES_URL: 's3+https://x' })).toEqual([])
  expect(judgeFiles({ ROLES: ['web', 'engine'], FILES_URL: undefined })).toEqual([])
})
