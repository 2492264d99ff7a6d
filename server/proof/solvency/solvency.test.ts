import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usd, usdToText } from '#kernel/money.ts'
import {
  entryText,
  SOLVENCY_STEPS,
  type SolvencyEntry,
  type SolvencyProof,
  statementText,
  verifySolvency,
} from '#packages/verify/solvency.js'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { fund, openUser } from '#tests/support/trades/money.ts'
import { grantPlayCapital, houseResult, openAccounts } from '../../ledger/index.ts'
import { inTransaction, sql } from '../../platform/database/db.ts'
import { createLog } from '../../platform/process/log.ts'
import { openProofKey } from '../keys/key.ts'
import { makeSolvencyStatement, newestSolvencyStatement, solvencyOf, toSolvencyStatement } from './solvency.ts'
import { startSolvency } from './solvency-loop.ts'
import { entryNode, NODE_BYTES, pathIn, readNode, rootOfSums, sumTree } from './sum-tree.ts'
import { verifySolvencyStatements } from './verify-solvency.ts'

let database: TestDatabase
const folder = mkdtempSync(join(tmpdir(), 'cleartick-solvency-'))
const key = openProofKey(folder)
let lastUser = 0n

beforeAll(async () => {
  database = await createTestDatabase()
  for (const cents of [0n, 10_001n, 12_345n, 100_000n, 10_005n]) await trader(cents)
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

async function trader(cents: bigint): Promise<bigint> {
  const id = ++lastUser
  await inTransaction(database.db, async (tx) => {
    await openUser(tx, id)
    await openAccounts(tx, id)
    if (cents > 0n) await fund(tx, id, usd(cents))
  })
  return id
}

const proofOf = async (userId: bigint): Promise<SolvencyProof> => (await solvencyOf(database.db, userId)).proof!
const check = (proof: object | string) =>
  verifySolvency(typeof proof === 'string' ? proof : JSON.stringify(proof), { published: [{ id: key.id }] })
const failedStep = async (proof: object | string) => {
  const { ok, steps } = await check(proof)
  expect(ok).toBe(false)
  return steps.at(-1)!
}

test("every trader's balances are part of the total, and demo money isn't", async () => {
  const number = await makeSolvencyStatement(database.db, key, false)
  expect(await newestSolvencyStatement(database.db)).toMatchObject({
    number,
    accounts: 4,
    entries: 8,
    total: '1323.51',
  })
  let total = 0
  for (const [user, available] of [
    [2n, '100.01'],
    [3n, '123.45'],
    [4n, '1000.00'],
    [5n, '100.05'],
  ] as const) {
    const proof = await proofOf(user)
    const cents = proof.entries.map(({ balances }) => Math.round(Number(balances.available) * 100))
    expect(cents.reduce((sum, part) => sum + part)).toBe(Math.round(Number(available) * 100))
    const { ok, steps } = await check(proof)
    expect(steps.filter((step) => !step.ok)).toEqual([])
    expect(ok).toBe(true)
    expect(steps.map(({ step }) => step)).toEqual(Object.keys(SOLVENCY_STEPS))
    total += Math.round(Number(available) * 100)
  }
  expect(total).toBe(132_351)
  expect((await solvencyOf(database.db, 1n)).proof, 'nothing is owed to the first').toBeNull()
  expect(await verifySolvencyStatements(database.db)).toMatchObject({ statements: number, broken: undefined })
})

test('a statement binds the address of its time: it stays provable after a change', async () => {
  const number = await makeSolvencyStatement(database.db, key, false)
  const client = await connectTo(database.superUrl)
  await client.query(`set session_replication_role = 'replica'`)
  const { rows } = await client.query('select email from users where id = 3')
  const email = rows[0].email as string
  await client.query(
    `insert into email_changes (user_id, session_id, old_email, new_email, old_confirmed_at, new_confirmed_at, outcome, ended_at)
     values (3, 1, $1, 'x' || $1, now(), now(), 'Done', now())`,
    [email],
  )
  await client.query(`update users set email = 'x' || email where id = 3`)
  try {
    const proof = await proofOf(3n)
    expect(proof.account).toBe(email)
    expect(await check(proof)).toMatchObject({ ok: true })
    expect(await verifySolvencyStatements(database.db)).toMatchObject({ statements: number, broken: undefined })
    await makeSolvencyStatement(database.db, key, false)
    expect((await proofOf(3n)).account).toBe(`x${email}`)
    expect(await verifySolvencyStatements(database.db)).toMatchObject({ broken: undefined })
  } finally {
    await client.query('update users set email = $1 where id = 3', [email])
    // The address at the newest statement is now a former one.
    await client.query(`update email_changes set old_email = 'x' || $1, new_email = $1 where user_id = 3`, [email])
    await client.end()
  }
})

test('an entry shows a random part of a balance, another one each night', async () => {
  const shown = new Set<string>()
  for (let night = 0; night < 5; night++) {
    await makeSolvencyStatement(database.db, key, false)
    for (const { balances } of (await proofOf(4n)).entries) shown.add(balances.available)
  }
  expect(shown.size).toBeGreaterThan(5)
  expect([...shown], "nobody's whole balance").not.toContain('1000.00')
})

test('every changed byte of a proof fails', async () => {
  await makeSolvencyStatement(database.db, key, false)
  const text = JSON.stringify(await proofOf(3n))
  const steps = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    // Another digit where there is one, so that the form stays right.
    const to = /\d/.test(text[at]!) ? String((Number(text[at]) + 1) % 10) : String.fromCharCode(text.charCodeAt(at) ^ 1)
    steps.add((await failedStep(text.slice(0, at) + to + text.slice(at + 1))).step)
  }
  expect([...steps].toSorted()).toEqual(['form', 'keys', 'path', 'root', 'statement'])
})

test('no one can lend an entry, leave out a level or sign for the platform', async () => {
  await makeSolvencyStatement(database.db, key, false)
  const proof = await proofOf(4n)
  expect(await failedStep({ ...proof, account: 'other@example.org' })).toMatchObject({ step: 'root' })
  const [entry, second] = proof.entries as [SolvencyEntry, SolvencyEntry]
  const withPath = (path: SolvencyEntry['path']) => ({ ...proof, entries: [{ ...entry, path }, second] })
  expect(await failedStep(withPath(entry.path.slice(1)))).toMatchObject({ step: 'path' })
  expect(await failedStep(withPath([...entry.path, entry.path[0]!]))).toMatchObject({ step: 'path' })
  const negative = { ...entry.path[0]!, sum: '-1.00' }
  expect(await failedStep(withPath([negative, ...entry.path.slice(1)]))).toMatchObject({ step: 'form' })
  expect(await failedStep({ ...proof, entries: [entry, entry] }), 'one entry counted twice').toMatchObject({
    step: 'form',
  })
  expect(await failedStep({ ...proof, entries: [] })).toMatchObject({ step: 'form' })
  const { ok, steps } = await verifySolvency(JSON.stringify(proof), { published: [] })
  expect([ok, steps.at(-1)!.step]).toEqual([false, 'keys'])
})

test('a proof from before entries were split is checked too', async () => {
  const account = 'ada@example.org'
  const balances = { available: '1.00', open_trades: '0.50', withdrawals: '0.00' }
  const entry = { nonce: '07'.repeat(32), balances }
  const root = hash('sha256', Buffer.concat([Buffer.from([0]), Buffer.from(entryText(account, entry))]), 'hex')
  const signed = { number: 1, time: 1, accounts: 1, total: '1.50', root, previous: '00'.repeat(32) }
  const statement = { ...signed, key: key.id, signature: key.sign(statementText(signed)).toString('hex') }
  const proof = {
    ...{ type: 'cleartick solvency proof', version: 1, account, ...entry, position: 0, path: [], statement },
    key: { id: key.id, public_key: key.publicKey.toString('hex') },
  }
  expect(await check(proof)).toMatchObject({ ok: true })
  expect(await failedStep({ ...proof, account: 'eve@example.org' })).toMatchObject({ step: 'root' })
})

test.each([
  [
    'an entry',
    'update solvency_entries set available = available + 1 where user_id = 3 and number = $1',
    "its root doesn't follow from its entries",
  ],
  ['the total', 'update solvency_statements set total = total + 1 where number = $1', 'its signature is wrong'],
  [
    'the tree',
    "update solvency_trees set nodes = overlay(nodes placing '\\x00' from 1) where number = $1",
    'its stored tree was changed',
  ],
  [
    'an address',
    "update users set email = 'x' || email where id = 3 and $1 > 0",
    "its root doesn't follow from its entries",
  ],
])('verify finds a change of %s', async (_, change, says) => {
  const number = await makeSolvencyStatement(database.db, key, false)
  const client = await connectTo(database.superUrl)
  await client.query(`set session_replication_role = 'replica'`)
  const { rows: before } = await client.query('select email from users where id = 3')
  await client.query(change, [number])
  try {
    expect((await verifySolvencyStatements(database.db)).broken).toContain(says)
  } finally {
    await client.query('update users set email = $1 where id = 3', [before[0].email])
    await client.query('delete from solvency_entries where number = $1', [number])
    await client.query('delete from solvency_trees where number = $1', [number])
    await client.query('delete from solvency_statements where number = $1', [number])
    await client.end()
  }
})

test('a tree of any size leads each entry to the total', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt(0n, 2n ** 40n), { minLength: 1, maxLength: 70 }), async (sums) => {
      const entries = sums.map((sum, i) => entryNode(`${i}`, sum))
      const nodes = await sumTree(Buffer.concat(entries))
      const root = rootOfSums(nodes)
      expect(root.sum).toBe(sums.reduce((a, b) => a + b, 0n))
      for (const [position, entry] of entries.entries()) {
        const path = pathIn(entries.length, position).map((place) =>
          readNode(nodes.subarray(place * NODE_BYTES, (place + 1) * NODE_BYTES)),
        )
        expect(path.reduce((sum, node) => sum + node.sum, readNode(entry).sum)).toBe(root.sum)
      }
    }),
    { numRuns: 50 },
  )
})

test('a statement says what the house owns besides, and no play money in production', async () => {
  await grantPlayCapital(database.db)
  const result = await houseResult(database.db)
  await makeSolvencyStatement(database.db, key, false)
  const proof = await proofOf(4n)
  expect(proof.version).toBe(3)
  expect(proof.statement.equity).toBe(usdToText(usd(10_000_000_000n + result)))
  expect(await check(proof)).toMatchObject({ ok: true })
  const richer = { ...proof, statement: { ...proof.statement, equity: '999999999999.00' } }
  expect(await failedStep(richer)).toMatchObject({ step: 'statement' })
  const { equity: _, ...without } = proof.statement
  expect(await failedStep({ ...proof, statement: without })).toMatchObject({ step: 'form' })
  await makeSolvencyStatement(database.db, key, true)
  expect((await proofOf(4n)).statement.equity).toBe(usdToText(result))
  expect((await verifySolvencyStatements(database.db)).broken).toBeUndefined()
})

test('a proof of version 2, whose statement has no equity, is checked too', async () => {
  const account = 'ada@example.org'
  const balances = { available: '1.00', open_trades: '0.50', withdrawals: '0.00' }
  const entry = { nonce: '07'.repeat(32), balances }
  const root = hash('sha256', Buffer.concat([Buffer.from([0]), Buffer.from(entryText(account, entry))]), 'hex')
  const signed = { number: 1, time: 1, accounts: 1, entries: 1, total: '1.50', root, previous: '00'.repeat(32) }
  const statement = { ...signed, key: key.id, signature: key.sign(statementText(signed)).toString('hex') }
  const proof = {
    ...{
      type: 'cleartick solvency proof',
      version: 2,
      account,
      entries: [{ ...entry, position: 0, path: [] }],
      statement,
    },
    key: { id: key.id, public_key: key.publicKey.toString('hex') },
  }
  expect(await check(proof)).toMatchObject({ ok: true })
})

test('of old statements the entries are dropped, and the roots stay', async () => {
  for (let i = 0; i < 33; i++) await makeSolvencyStatement(database.db, key, false)
  const { rows } = await sql<{ trees: bigint; statements: bigint }>`
    select (select count(*) from solvency_trees) as trees, (select count(*) from solvency_statements) as statements`.execute(
    database.db,
  )
  expect(Number(rows[0]!.trees)).toBe(31)
  expect(Number(rows[0]!.statements)).toBeGreaterThan(33)
  expect((await verifySolvencyStatements(database.db)).broken).toBeUndefined()
})

test('a statement from before entries were split still follows, and another is due', async () => {
  const loop = () =>
    startSolvency({ db: database.db, log: createLog('silent'), key, leads: () => true, production: false, lookMs: 5 })
  const number = await makeSolvencyStatement(database.db, key, false)
  const client = await connectTo(database.superUrl)
  const { rows } = await client.query('select * from solvency_statements where number = $1', [number])
  const old = toSolvencyStatement({
    ...rows[0],
    entries: null,
    equity: null,
    total: usd(BigInt(rows[0].total)),
    t: BigInt(rows[0].t),
  })
  await client.query(`set session_replication_role = 'replica'`)
  await client.query('update solvency_statements set entries = null, equity = null, signature = $1 where number = $2', [
    key.sign(statementText(old)),
    number,
  ])
  await client.end()
  expect((await verifySolvencyStatements(database.db)).broken).toBeUndefined()
  const running = loop()
  await expect.poll(async () => (await newestSolvencyStatement(database.db))?.number).toBe(number + 1)
  await running.stop()
  expect(await newestSolvencyStatement(database.db), 'and no more').toMatchObject({ number: number + 1, entries: 8 })
})
