import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { rekey } from '#ops/commands/rekey.ts'
import { judgeKeys } from '#ops/doctor/index.ts'
import { startKey } from '#server/app/start-key.ts'
import { bankOf } from '#server/cashier/index.ts'
import { readConfig } from '#server/config/config.ts'
import { diskStorage, type FileStorage, openFiles, s3Storage } from '#server/platform/files/index.ts'
import { openSeal } from '#server/platform/secrets/seal.ts'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { BANK, startCashier } from '#tests/support/people/cashier.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { dataFolder, launch } from '#tests/support/servers/server.ts'

const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const { app, trader, withdrawToBank, withdraw, stop } = await startCashier({
  FILES_KEY: NEW.toString('hex'),
  FILES_KEY_OTHERS: OLD.toString('base64url'),
})
afterAll(stop)

/** Removes the operators: no key can decrypt their secrets. */
beforeAll(async () => {
  const client = await connectTo(app.superUrl)
  // Some have decided settings.
  await client.query("set session_replication_role = 'replica'")
  await client.query('delete from operators')
  await client.end()
})

const settings = (more: Record<string, string> = {}) => ({
  DATA_DIR: app.folder,
  DATABASE_URL: app.ownerUrl,
  FILES_KEY: NEW.toString('hex'),
  FILES_KEY_OTHERS: OLD.toString('hex'),
  ...more,
})
const run = async (more: Record<string, string> = {}, ...args: string[]) => {
  const { output, ended } = launch('ops/commands/rekey-command.ts', settings(more), args)
  return { code: await ended, output: output() }
}
const withKey = (storage: FileStorage, key: Buffer) => openFiles({ storage, key })
const FILES = 20

/** Stores data as a node with the old key would have. */
async function storeUnderOldKey(storage: FileStorage): Promise<string[]> {
  const files = withKey(storage, OLD)
  return Promise.all(Array.from({ length: FILES }, (_, n) => files.put(Buffer.from(`file ${n}`))))
}

async function countUnder(storage: FileStorage, key: Buffer, names: readonly string[]): Promise<number> {
  const read = await Promise.allSettled(names.map((name) => withKey(storage, key).get(name)))
  return read.filter((one) => one.status === 'fulfilled').length
}

async function sealUnderOldKey(one: Trader) {
  const owner = await connectTo(app.ownerUrl)
  onTestFinished(() => owner.end())
  const totp = (text: string) => openSeal(OLD, 'totp').seal(text, `totp of user ${one.id}`)
  await owner.query('insert into totp_factors (user_id, secret, confirmed_at, new_secret) values ($1, $2, now(), $3)', [
    one.id,
    totp('app'),
    totp('next app'),
  ])
  const email = `Ada${one.id}@desk.example`
  await owner.query(
    `insert into operators (email, password_hash, totp_secret, roles) values ($1, 'x', $2, '{finance}')`,
    [email, openSeal(OLD, 'operator').seal('desk app', `operator ${email.toLowerCase()}`)],
  )
  return email
}

const NUMBERS = { account_number: BANK.account_number, routing_number: BANK.routing_number }

/** Adds the bank account to the trader's address book, as a node with the old key would have. Returns the entry's id. */
async function addToBook(owner: Client, one: Trader): Promise<bigint> {
  const id = 4711n
  await owner.query(
    `insert into payout_addresses (id, user_id, name, method, bank_name, bank_ending, bank_sealed, bank_fingerprint)
     values ($1, $2, 'Mine', 'bank', 'Bank', '0000', $3, $4)`,
    [id, one.id, openSeal(OLD, 'bank').seal(JSON.stringify(NUMBERS), `address ${id}`), randomBytes(32)],
  )
  return id
}

test('rotates the key while the server runs, and no longer needs the old key then', async () => {
  const owner = await connectTo(app.ownerUrl)
  onTestFinished(() => owner.end())
  const one = await trader(500)
  // A withdrawal and its fingerprint under the new key, resealed under the old one as an earlier node would have.
  const reply = await withdrawToBank(one, 100)
  expect(reply.status, reply.text).toBe(200)
  const email = await sealUnderOldKey(one)
  const { rows } = await owner.query('select id, bank_sealed, bank_fingerprint from withdrawals')
  const { id, bank_sealed: sealed, bank_fingerprint: fingerprint } = rows[0]
  const about = `withdrawal ${id}`
  await owner.query('update withdrawals set bank_sealed = $2, bank_fingerprint = $3 where id = $1', [
    id,
    openSeal(OLD, 'bank').seal(openSeal(NEW, 'bank').open(sealed, about), about),
    randomBytes(32),
  ])
  const entry = await addToBook(owner, one)
  const storage = diskStorage(join(app.folder, 'files'))
  const names = await storeUnderOldKey(storage)

  const before = await run({}, '--check')
  expect(before).toMatchObject({ code: 1, output: expect.stringMatching(/\d+ still need a key of FILES_KEY_OTHERS/) })
  expect(await countUnder(storage, NEW, names)).toBe(0)

  const doctor = async () => {
    const { output, ended } = launch('ops/commands/doctor-command.ts', settings({ FEED: 'simulation' }))
    await ended
    return output()
  }
  expect(await doctor()).toMatch(
    /WARNING keys +\d+ private files or sealed values still need a key of FILES_KEY_OTHERS/,
  )

  await owner.query('select pg_advisory_lock(7070)')
  expect(await run()).toMatchObject({ code: 1, output: expect.stringMatching(/Another npm run rekey is under way/) })
  await owner.query('select pg_advisory_unlock(7070)')

  const rotated = await run()
  expect(rotated.code, rotated.output).toBe(0)
  expect(rotated.output).toContain(`private files: ${FILES} encrypted again, 0 under the current key.`)
  expect(rotated.output).toMatch(/FILES_KEY_OTHERS is not needed any more/)
  expect(rotated.output).not.toContain(OLD.toString('hex'))
  expect(await doctor()).toMatch(/WARNING keys +FILES_KEY opens everything/)
  expect((await run()).output).toContain('private files: 0 encrypted again')

  for (const [n, name] of names.entries()) expect(String(await withKey(storage, NEW).get(name))).toBe(`file ${n}`)
  const { rows: factors } = await owner.query('select secret, new_secret from totp_factors')
  const totp = openSeal(NEW, 'totp')
  expect(totp.open(factors[0].secret, `totp of user ${one.id}`)).toBe('app')
  expect(totp.open(factors[0].new_secret, `totp of user ${one.id}`)).toBe('next app')
  const { rows: operators } = await owner.query('select totp_secret from operators where email = $1', [email])
  expect(openSeal(NEW, 'operator').open(operators[0].totp_secret, `operator ${email.toLowerCase()}`)).toBe('desk app')
  expect(await bankOf({ db: app.db, seal: openSeal(NEW, 'bank') }, BigInt(id))).toMatchObject({
    account_number: BANK.account_number,
  })
  const { rows: book } = await owner.query('select bank_sealed, bank_fingerprint from payout_addresses where id = $1', [
    entry,
  ])
  expect(JSON.parse(openSeal(NEW, 'bank').open(book[0].bank_sealed, `address ${entry}`))).toEqual(NUMBERS)
  expect(book[0].bank_fingerprint).toEqual(fingerprint)
  const { rows: after } = await owner.query('select bank_fingerprint, status from withdrawals')
  expect(after[0]).toEqual({ bank_fingerprint: fingerprint, status: 'Pending' })
  const only = await run({ FILES_KEY_OTHERS: '' }, '--check')
  expect(only.code, only.output).toBe(0)
}, 300_000)

test('resumes after a kill', async () => {
  // The bucket holds all files after the fifth, until the command has been killed.
  let writes = Number.NEGATIVE_INFINITY
  const halfway = Promise.withResolvers<void>()
  const bucket = await bucketServer(join(dataFolder(), 'bucket'), 0, async ({ method }) => {
    if (method !== 'PUT' || ++writes <= 5) return
    halfway.resolve()
    await new Promise(() => {})
  })
  onTestFinished(bucket.close)
  const storage = await s3Storage(bucket.url)
  const names = await storeUnderOldKey(storage)
  writes = 0
  const killed = launch('ops/commands/rekey-command.ts', settings({ FILES_URL: bucket.url }))
  await halfway.promise
  killed.child.kill('SIGKILL')
  expect(await killed.ended).toBeNull()
  expect(await countUnder(storage, NEW, names)).toBe(5)

  writes = Number.NEGATIVE_INFINITY
  const resumed = await run({ FILES_URL: bucket.url })
  expect(resumed.code, resumed.output).toBe(0)
  expect(resumed.output).toContain(`private files: ${FILES - 5} encrypted again, 5 under the current key.`)
  expect(await countUnder(storage, NEW, names)).toBe(FILES)
})

test('rewrites a bucket, and reports objects that no key can decrypt without changing them', async () => {
  const bucket = await bucketServer(join(dataFolder(), 'bucket'))
  onTestFinished(bucket.close)
  const storage = await s3Storage(bucket.url)
  const names = [
    await withKey(storage, OLD).put(Buffer.from('one')),
    await withKey(storage, OLD).put(Buffer.from('two')),
  ]
  const stored = (await storage.read(names[1]!))!
  stored[stored.length - 1]! ^= 1
  await storage.write(names[1]!, stored)
  const flipped = await run({ FILES_URL: bucket.url })
  expect(flipped.code).toBe(1)
  expect(flipped.output).toContain(`UNREADABLE private files: ${names[1]}`)
  expect(flipped.output).toMatch(/No key opens 1 of them: they were changed, or their key is missing/)
  expect(String(await withKey(storage, NEW).get(names[0]!))).toBe('one')
  expect((await storage.read(names[1]!))!.equals(stored)).toBe(true)
  const both = openFiles({ storage, key: NEW, others: [OLD] })
  await expect(both.get(names[1]!)).rejects.toThrow(/can't be decrypted: it was changed, or its key is neither/)

  const one = await trader()
  await sealUnderOldKey(one)
  const config = readConfig(settings({ FILES_KEY_OTHERS: '', FILES_URL: bucket.url }))
  const lost = await rekey(config, app.db, { rewrite: false })
  expect(lost.unreadable).toContain(`authenticator secrets: totp of user ${one.id}`)
  expect(judgeKeys(lost.other, lost.unreadable.length).state).toBe('problem')
  expect(judgeKeys(1, 0).says).toBe('1 private files or sealed values still need a key of FILES_KEY_OTHERS.')
  expect(judgeKeys(0, 0).fix).toMatch(/Unset FILES_KEY_OTHERS/)
})

test('no start makes another key where values are sealed with the one that is missing, and no command makes any', async () => {
  const folder = dataFolder()
  const config = { dataDir: folder, FILES_KEY: undefined, FILES_KEY_OTHERS: [], FILES_URL: undefined }
  await sealUnderOldKey(await trader())
  await expect(startKey(config, app.db)).rejects.toThrow(/files\.key is missing, and private files and sealed secrets/)
  await expect(rekey(config, app.db, { rewrite: false })).rejects.toThrow(/files\.key is missing/)
  expect(readdirSync(folder)).toEqual([])
  expect(await startKey({ ...config, FILES_KEY: OLD.toString('hex') }, app.db)).toEqual(OLD)

  const { db } = await testDatabase()
  const key = await startKey(config, db)
  expect(readdirSync(folder)).toEqual(['files.key'])
  expect(await startKey(config, app.db)).toEqual(key)
})

test('resealing the bank account of a withdrawal may change nothing else', async () => {
  const owner = await connectTo(app.ownerUrl)
  onTestFinished(() => owner.end())
  const one = await trader(500)
  expect((await withdrawToBank(one, 100)).status).toBe(200)
  expect((await withdraw(one, 100)).status).toBe(200)
  await expect(
    owner.query(
      `update withdrawals set bank_sealed = '\\x00', bank_ending = '1111' where user_id = $1 and bank_sealed is not null`,
      [one.id],
    ),
  ).rejects.toThrow(/does not go from Pending to Pending/)
  await expect(
    owner.query('update withdrawals set bank_fingerprint = bank_fingerprint where user_id = $1', [one.id]),
  ).rejects.toThrow(/does not go from Pending to Pending/)
  await expect(
    app.db
      .updateTable('withdrawals')
      .set({ bank_sealed: Buffer.from('x') })
      .where('user_id', '=', BigInt(one.id))
      .execute(),
  ).rejects.toThrow(/permission denied/)
})
