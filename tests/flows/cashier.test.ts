import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Deposit, Withdraw } from '#contract/cashier.ts'
import type { Notice } from '#contract/notices.ts'
import { idSource, parsePublicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import {
  approveDeposit,
  approveWithdrawal,
  bankOf,
  creditCardDeposit,
  DEPOSIT_NEXT,
  type DecideDeps,
  type Operator,
  payWithdrawal,
  rejectDeposit,
  rejectWithdrawal,
  reverseDeposit,
  WITHDRAWAL_NEXT,
  withdrawDepositApproval,
  withdrawWithdrawalApproval,
} from '#server/cashier/index.ts'
import {
  type ReceiptColumns,
  receiptColumns,
  receiptFlags,
  type WayOutColumns,
  wayOutColumns,
  wayOutFlags,
} from '#server/desk/lists/money-flags.ts'
import { cashierChecks } from '#server/invariants/index.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql, type Tx } from '#server/platform/db.ts'
import { openSeal } from '#server/platform/seal.ts'
import { totpCode } from '#server/platform/totp.ts'
import { ORDER, type Reply, startWholeApp, type Trader, type WholeApp } from '#tests/support/app.ts'
import { openTestNotices, testPush } from '#tests/support/notices.ts'
import { GIF, HTML, PDF, photo, pngBomb, SCRIPT, SVG, webp } from '#tests/support/pictures.ts'

let app: WholeApp
let picture: Buffer
let deps: DecideDeps
const told: Notice[] = []
let ops: Operator[]

beforeAll(async () => {
  app = await startWholeApp()
  picture = await photo()
  deps = {
    push: testPush(),
    balances: { afterCommit: () => undefined },
    notices: openTestNotices(told),
    card: undefined,
    newId: idSource(1_000),
  }
  ops = await Promise.all(['anna', 'bert', 'cleo'].map((name) => operator(`${name}@desk.example`)))
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  expect(broken, 'the money adds up after all of it').toEqual([])
})

const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const BANK = {
  bank_name: 'Bank of Ada',
  type: 'Checking',
  account_number: '0001 2345 6789',
  routing_number: '021000021',
}

async function operator(email: string): Promise<Operator> {
  const { id } = await app.db
    .insertInto('operators')
    .values({ email, password_hash: 'x', totp_secret: Buffer.from('x'), roles: ['finance'] })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, email }
}

/** A trader with a confirmed e-mail and an approved ID. */
async function trader(dollars = 0): Promise<Trader> {
  const one = await app.trader()
  await app.verify(one)
  if (dollars > 0) await app.fund(one, dollars)
  return one
}

/** A picture that no other is equal to. */
const fresh = () => Buffer.concat([picture, randomBytes(16)])

/** A unique image, also after re-encoding. */
const drawn = () => {
  const [width, height] = [64, 64]
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

function announce(
  who: Trader,
  usdAmount: string,
  more: { currency?: string; file?: Buffer; key?: string; name?: string; type?: string } = {},
): Promise<Reply> {
  const form = new FormData()
  form.set('usd_amount', usdAmount)
  if (more.currency !== undefined) form.set('currency', more.currency)
  const type = more.type ?? 'image/jpeg'
  form.set('receipt', new Blob([new Uint8Array(more.file ?? fresh())], { type }), more.name ?? 'receipt.jpg')
  return app.send('POST', '/api/deposit', { token: who.token, body: form, headers: keyed(more.key) })
}
const keyed = (key: string | undefined): Record<string, string> => (key === undefined ? {} : { 'idempotency-key': key })
const withdraw = (who: Trader, amount: number, wallet: string = ETH, key?: string) =>
  app.send('POST', '/api/withdraw', { token: who.token, body: { amount, wallet }, headers: keyed(key) })
const withdrawToBank = (who: Trader, amount: number, more: object = {}, key?: string) =>
  app.send('POST', '/api/withdraw/bank', { token: who.token, body: { ...BANK, amount, ...more }, headers: keyed(key) })
const cancel = (who: Trader, id: string, key?: string) =>
  app.send('POST', `/api/withdraw/${id}/cancel`, { token: who.token, headers: keyed(key) })
const deposits = async (who: Trader) =>
  (await app.send('GET', '/api/deposit', { token: who.token })).json!.data as Deposit[]
const withdrawals = async (who: Trader) =>
  (await app.send('GET', '/api/withdraw', { token: who.token })).json!.data as Withdraw[]
const balance = async (who: Trader) => (await app.balances(who)).balance
const account = (who: Trader) =>
  app.db
    .selectFrom('accounts')
    .select(['balance', 'hold', 'owed'])
    .where('id', '=', accountOf(BigInt(who.id), 'real'))
    .executeTakeFirstOrThrow()
const refusal = ({ status, json }: Reply) => [status, json?.code]
const twenty = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, n) => work(n)))
const numberOf = (publicId: string) => parsePublicId(publicId)!

/** The desk's side: each step in a separate transaction. */
const step = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => inTransaction(app.db, work)
const approve = (id: bigint, who: Operator, dollars: number) =>
  step((tx) =>
    approveDeposit(deps, tx, { depositId: id, operator: who, amount: usd(BigInt(Math.round(dollars * 100))) }),
  )
const reject = (id: bigint, who: Operator, reason = 'Nothing arrived.') =>
  step((tx) => rejectDeposit(deps, tx, { depositId: id, operator: who, reason }))
/** Reverses as an event of a card provider would. */
const reverse = (id: bigint, dollars: number, reference: string = randomUUID()) =>
  step(async (tx) => {
    await sql`insert into card_events (id, kind) values (${reference}, 'test') on conflict do nothing`.execute(tx)
    return reverseDeposit(deps, tx, { depositId: id, amount: usd(BigInt(Math.round(dollars * 100))), reference })
  })
const approveOut = (id: bigint, who: Operator) =>
  step((tx) => approveWithdrawal(deps, tx, { withdrawalId: id, operator: who }))
const takeBack = (id: bigint, who: Operator) =>
  step((tx) => withdrawDepositApproval(deps, tx, { depositId: id, operator: who }))
const takeBackOut = (id: bigint, who: Operator) =>
  step((tx) => withdrawWithdrawalApproval(deps, tx, { withdrawalId: id, operator: who }))
const pay = (id: bigint, who: Operator, reference = 'tx 4711') =>
  step((tx) => payWithdrawal(deps, tx, { withdrawalId: id, operator: who, reference }))
const rejectOut = (id: bigint, who: Operator, reason = 'The payment bounced.') =>
  step((tx) => rejectWithdrawal(deps, tx, { withdrawalId: id, operator: who, reason }))
const refused = (code: string) => expect.objectContaining({ code })

/** A deposit that waits, and its number. */
async function announced(who: Trader, usdAmount: string): Promise<bigint> {
  const reply = await announce(who, usdAmount)
  expect(reply.status, reply.text).toBe(200)
  return numberOf((reply.json!.data as Deposit).deposit_id)
}
/** A withdrawal that waits, and its number. */
async function asked(who: Trader, amount: number): Promise<bigint> {
  const reply = await withdraw(who, amount)
  expect(reply.status, reply.text).toBe(200)
  return numberOf((reply.json!.data as Withdraw).withdraw_id)
}

/** Does something as the superuser, past the application's rights; and with `replica` past the triggers, undone at the end. */
async function asSuper<T>(work: (client: pg.Client) => Promise<T>, how: 'origin' | 'replica' = 'origin'): Promise<T> {
  const client = new pg.Client({ connectionString: app.superUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(`set local session_replication_role = '${how}'`)
    return await work(client)
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

describe('submitting a deposit', () => {
  test('keeps the rate, the coins and the receipt, and credits nothing', async () => {
    const one = await trader()
    const reply = await announce(one, '1234.56', { currency: 'eth' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.json!.message).toBe("Your deposit was submitted. We'll credit it once we've checked the payment.")
    const deposit = reply.json!.data as Deposit
    expect(deposit).toMatchObject({
      method: 'crypto',
      currency: 'ETH',
      amount: 1234.56,
      usd_amount: 1234.56,
      status: 'Pending',
      held_by: 'Operator (reviewing)',
      since: deposit.createdAt,
    })
    expect(deposit.coin_amount! * Number(deposit.rate)).toBeCloseTo(1234.56, 3)
    expect(Date.parse(deposit.due_by!) - Date.parse(deposit.since)).toBeGreaterThanOrEqual(86_400_000)
    expect(await deposits(one)).toEqual([deposit])
    expect(await balance(one)).toBe(0)
    const { json } = await app.send('GET', '/api/notices', { token: one.token })
    expect((json!.data as Notice[])[0]).toMatchObject({ kind: 'deposit', path: '/user/deposit-log', read: false })
  })

  test('defaults to Bitcoin, and accepts coins in either case', async () => {
    const one = await trader()
    expect(((await announce(one, '1')).json!.data as Deposit).currency).toBe('BTC')
    for (const currency of ['btc', 'BTC', 'Eth'])
      expect((await announce(one, '1.5', { currency })).json).toMatchObject({
        data: { currency: currency.toUpperCase() },
      })
    for (const currency of ['DOGE', '', 'constructor'])
      expect(refusal(await announce(one, '1', { currency }))).toEqual([422, 'validation_failed'])
  })

  test('requires a confirmed e-mail and unlocked deposits', async () => {
    const one = await app.trader()
    expect(refusal(await announce(one, '100'))).toEqual([422, 'email_not_confirmed'])
    await app.verify(one)
    await app.db
      .insertInto('user_locks')
      .values({ user_id: BigInt(one.id), kind: 'deposits', operator_id: ops[0]!.id, reason: 'Being looked at.' })
      .execute()
    expect(refusal(await announce(one, '100'))).toEqual([422, 'account_locked'])
    expect(refusal(await app.send('GET', '/api/deposit/wallet-address', { token: one.token }))).toEqual([
      422,
      'account_locked',
    ])
    await app.db.deleteFrom('user_locks').where('user_id', '=', BigInt(one.id)).execute()
    expect((await announce(one, '100')).status).toBe(200)
    expect(await deposits(one)).toHaveLength(1)
  })

  test.each(['0', '0.99', '-1', '1e3', '0x10', '1,000', '１０', 'NaN', 'Infinity', '1.005', ' ', '99999999999999999'])(
    'rejects the amount %j',
    async (amount) => {
      const one = await trader()
      expect(refusal(await announce(one, amount))).toEqual([422, 'validation_failed'])
      expect(await deposits(one)).toEqual([])
    },
  )

  test('only the owner can read a receipt, re-encoded as an image', async () => {
    const [one, other] = [await trader(), await trader()]
    const { receipt_url } = (await announce(one, '10')).json!.data as Deposit
    const read = await fetch(app.origin + receipt_url, { headers: { authorization: `Bearer ${one.token}` } })
    expect(read.status).toBe(200)
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    })
    const bytes = Buffer.from(await read.arrayBuffer())
    expect((await sharp(bytes).metadata()).exif).toBeUndefined()
    expect(bytes.includes('Secret Artist')).toBe(false)
    expect((await app.send('GET', receipt_url!, { token: other.token })).status).toBe(404)
    expect((await app.send('GET', receipt_url!)).status).toBe(401)
    for (const id of ['0000000000000', 'x', '..%2f..%2ffiles.key', '%00'])
      expect((await app.send('GET', `/api/deposit/${id}/receipt`, { token: one.token })).status).toBeGreaterThanOrEqual(
        400,
      )
  })

  test('accepts only images as receipts, judged by their bytes and never by their name', async () => {
    const one = await trader()
    const cases: [string, Buffer, number][] = [
      ['a script', Buffer.from(SCRIPT), 415],
      ['SVG', SVG, 415],
      ['HTML', HTML, 415],
      ['GIF', GIF, 415],
      ['PDF', PDF, 415],
      ['a bomb', pngBomb(16_000), 422],
      ['half a picture', picture.subarray(0, 400), 422],
      ['5 MB and a byte', Buffer.alloc(5_242_881), 413],
    ]
    for (const [what, file, status] of cases)
      expect((await announce(one, '10', { file, name: `${what}.jpg` })).status, what).toBe(status)
    expect(await deposits(one)).toEqual([])
    expect(
      (await announce(one, '10', { file: await webp(), name: '../../../etc/passwd', type: 'text/html' })).status,
    ).toBe(200)
  })

  test('flags a repeated receipt without rejecting it', async () => {
    const [one, other] = [await trader(), await trader()]
    const file = await drawn()
    const ids: bigint[] = []
    for (const who of [one, one, other])
      ids.push(numberOf(((await announce(who, '10', { file })).json!.data as Deposit).deposit_id))
    const clean = numberOf(((await announce(other, '10', { file: await drawn() })).json!.data as Deposit).deposit_id)
    // The same picture, in a file that differs.
    const padded = Buffer.concat([file, randomBytes(16)])
    const again = numberOf(((await announce(other, '10', { file: padded })).json!.data as Deposit).deposit_id)
    const flagsOf = async (id: bigint) => {
      const { rows } =
        await sql<ReceiptColumns>`select ${receiptColumns} from deposits item where item.id = ${id}`.execute(app.db)
      return receiptFlags(rows[0]!)
    }
    expect(await flagsOf(ids[1]!)).toEqual([
      'The same receipt was submitted before',
      `${other.email} submitted the same receipt: possible second account`,
    ])
    expect(await flagsOf(ids[2]!)).toEqual([`${one.email} submitted the same receipt: possible second account`])
    expect(await flagsOf(clean)).toEqual([])
    expect(await flagsOf(again)).toEqual([
      'The same receipt was submitted before',
      `${one.email} submitted the same receipt: possible second account`,
    ])
  })

  test('the same key always returns the same response for one deposit; another body is rejected', async () => {
    const one = await trader()
    const file = fresh()
    const replies = await twenty(() => announce(one, '50', { file, key: 'one' }))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await deposits(one)).toHaveLength(1)
    const id = numberOf((replies[0]!.json!.data as Deposit).deposit_id)
    await approve(id, ops[0]!, 40)
    expect((await announce(one, '50', { file, key: 'one' })).json).toEqual(replies[0]!.json)
    expect(refusal(await announce(one, '51', { file, key: 'one' }))).toEqual([409, 'idempotency_mismatch'])
    expect(refusal(await announce(one, '50', { file: fresh(), key: 'one' }))).toEqual([409, 'idempotency_mismatch'])
    expect(await balance(one)).toBe(40)
  })

  test('card deposits are unavailable without a provider', async () => {
    const one = await trader()
    const reply = await app.send('POST', '/api/deposit/card', { token: one.token, body: { amount: 100 } })
    expect([...refusal(reply), reply.json!.message]).toEqual([503, 'not_configured', "Card deposits aren't available"])
    expect(await deposits(one)).toEqual([])
  })

  test('marks the address of a test installation', async () => {
    const one = await trader()
    for (const currency of ['btc', 'ETH']) {
      const { json } = await app.send('GET', `/api/deposit/wallet-address?currency=${currency}`, { token: one.token })
      expect(json).toMatchObject({ status: true, test: true, data: expect.stringMatching(/TEST/) })
    }
  })
})

describe('deciding a deposit', () => {
  test('one operator credits up to the threshold, two above it, to the cent', async () => {
    const one = await trader()
    const at = await announced(one, '5000')
    await approve(at, ops[0]!, 1_000)
    expect(await balance(one)).toBe(1_000)
    const above = await announced(one, '1')
    await approve(above, ops[0]!, 1_000.01)
    expect(await balance(one)).toBe(1_000)
    expect((await deposits(one))[0]).toMatchObject({
      status: 'Pending',
      held_by: 'Second operator (reviewing)',
    })
    await approve(above, ops[1]!, 1_000.01)
    expect(await balance(one)).toBe(2_000.01)
    expect((await deposits(one))[0]).toMatchObject({
      status: 'Approved',
      amount: 1_000.01,
      usd_amount: 1,
      held_by: 'You',
    })
    expect((await deposits(one))[0]).not.toHaveProperty('due_by')
  })

  test('four eyes: rejects the same operator twice, another amount, and an own item', async () => {
    const one = await trader()
    const id = await announced(one, '3000')
    const own = await operator(one.email.toUpperCase())
    await expect(approve(id, own, 3_000)).rejects.toEqual(refused('own_item'))
    await expect(reject(id, own)).rejects.toEqual(refused('own_item'))
    await approve(id, ops[0]!, 3_000)
    await expect(approve(id, ops[0]!, 3_000)).rejects.toEqual(refused('second_person_required'))
    await expect(approve(id, ops[1]!, 2_999.99)).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringMatching(/\$3,000\.00\. Both must be for the same amount/),
    })
    // Not even below the threshold, where one would do.
    await expect(approve(id, ops[1]!, 10)).rejects.toEqual(refused('wrong_state'))
    expect(await balance(one)).toBe(0)
    await expect(
      asSuper((db) => db.query(`insert into deposit_approvals values (${id}, ${own.id}, 300000)`)),
    ).rejects.toThrow(/approve their own item/)
    await approve(id, ops[1]!, 3_000)
    expect(await balance(one)).toBe(3_000)
  })

  test('twenty approvals at once credit once, below the threshold and above', async () => {
    const one = await trader()
    const many = await Promise.all(Array.from({ length: 20 }, (_, n) => operator(`many-${n}@desk.example`)))
    for (const amount of [500, 5_000]) {
      const before = await balance(one)
      const id = await announced(one, String(amount))
      const done = await Promise.allSettled(many.map((who) => approve(id, who, amount)))
      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(amount > 1_000 ? 2 : 1)
      for (const result of done) if (result.status === 'rejected') expect(result.reason.code).toBe('wrong_state')
      expect(await balance(one)).toBe(before + amount)
    }
    const id = await announced(one, '100')
    const mixed = await Promise.allSettled(many.map((who, n) => (n % 2 ? approve(id, who, 100) : reject(id, who))))
    expect(mixed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('an operator revokes their undecided approval, then approves the right amount', async () => {
    const one = await trader()
    const own = await operator(one.email)
    const id = await announced(one, '3000')
    await expect(takeBack(id, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await approve(id, ops[0]!, 30_000)
    await expect(approve(id, ops[1]!, 3_000)).rejects.toEqual(refused('wrong_state'))
    await expect(takeBack(id, ops[1]!)).rejects.toEqual(refused('wrong_state'))
    await expect(takeBack(id, own)).rejects.toEqual(refused('own_item'))
    await takeBack(id, ops[0]!)
    expect((await deposits(one))[0]).toMatchObject({ status: 'Pending', held_by: 'Operator (reviewing)' })
    await expect(takeBack(id, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await approve(id, ops[0]!, 3_000)
    await expect(approve(id, ops[0]!, 3_000)).rejects.toEqual(refused('second_person_required'))
    expect((await deposits(one))[0]!.status).toBe('Pending')
    await approve(id, ops[1]!, 3_000)
    for (const who of ops) await expect(takeBack(id, who)).rejects.toEqual(refused('wrong_state'))
    await expect(takeBack(1n, ops[0]!)).rejects.toEqual(refused('not_found'))
  })

  test('of a revocation and a parallel approval, one wins, and one approval never credits', async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < 24; round++) {
      const one = await trader()
      const id = await announced(one, '5000')
      await approve(id, ops[0]!, 5_000)
      const both = [() => takeBack(id, ops[0]!), () => approve(id, ops[1]!, 5_000)]
      const [first, second] = await Promise.allSettled((round % 2 ? both.toReversed() : both).map((work) => work()))
      const [taken, approved] = round % 2 ? [second!, first!] : [first!, second!]
      expect(approved.status).toBe('fulfilled')
      const { rows } = await sql<{ approvals: number }>`
        select count(*)::int as approvals from deposit_approvals where deposit_id = ${id}`.execute(app.db)
      const found = { status: (await deposits(one))[0]!.status, balance: await balance(one), ...rows[0]! }
      expect(found).toEqual(
        taken.status === 'fulfilled'
          ? { status: 'Pending', balance: 0, approvals: 1 }
          : { status: 'Approved', balance: 5_000, approvals: 2 },
      )
      outcomes.add(taken.status)
    }
    expect([...outcomes].sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('a rejection has a reason, and undefined transitions are rejected', async () => {
    const one = await trader()
    const rejected = await announced(one, '100')
    await reject(rejected, ops[0]!, 'Nothing <b>arrived</b>.')
    expect((await deposits(one))[0]).toMatchObject({
      status: 'Rejected',
      reason: 'Nothing <b>arrived</b>.',
      held_by: 'You',
    })
    expect(told.at(-1)).toMatchObject({ title: 'Your deposit was rejected' })
    const approved = await announced(one, '100')
    await approve(approved, ops[0]!, 100)
    expect(told.at(-1)).toMatchObject({ title: 'Your deposit was credited' })
    for (const id of [rejected, approved]) {
      await expect(approve(id, ops[1]!, 100)).rejects.toEqual(refused('wrong_state'))
      await expect(reject(id, ops[1]!)).rejects.toEqual(refused('wrong_state'))
    }
    await expect(reverse(rejected, 1)).rejects.toEqual(refused('wrong_state'))
    await expect(approve(1n, ops[0]!, 1)).rejects.toEqual(refused('not_found'))
    expect(await balance(one)).toBe(100)
  })

  test('a reversal takes what the balance covers; the rest is owed and repaid first', async () => {
    const one = await trader()
    const id = await announced(one, '500')
    await approve(id, ops[0]!, 500)
    const out = await asked(one, 450)
    await reverse(id, 100, 'dispute 1')
    expect(await account(one)).toEqual({ balance: 0n, hold: 45_000n, owed: -5_000n })
    expect(await reverse(id, 100, 'dispute 1'), 'the same event counts once').toBeUndefined()
    expect((await deposits(one))[0]).toMatchObject({ status: 'Approved', reversed: 100 })
    await expect(reverse(id, 400.01)).rejects.toEqual(refused('wrong_state'))
    // Less than the debt, then more than it.
    await approve(await announced(one, '20'), ops[0]!, 20)
    expect(await account(one)).toEqual({ balance: 0n, hold: 45_000n, owed: -3_000n })
    expect(told.at(-1)!.text).toContain('$20.00 of it repaid your debt')
    await approve(await announced(one, '50'), ops[0]!, 50)
    expect(await account(one)).toEqual({ balance: 2_000n, hold: 45_000n, owed: 0n })
    await rejectOut(out, ops[0]!)
    await reverse(id, 400)
    expect(await account(one)).toEqual({ balance: 7_000n, hold: 0n, owed: 0n })
    expect(await app.broken()).toEqual([])
  })

  test('twenty parallel reversals never exceed the credit, and count one event once', async () => {
    const one = await trader()
    const id = await announced(one, '100')
    await approve(id, ops[0]!, 100)
    const done = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => reverse(id, 30, `event ${n % 10}`)))
    expect(done.filter((one) => one.status === 'fulfilled' && one.value !== undefined)).toHaveLength(3)
    expect(await account(one)).toMatchObject({ balance: 1_000n, owed: 0n })
  })

  test('only the provider credits a card deposit, once', async () => {
    const one = await trader()
    const id = deps.newId()
    await app.db
      .insertInto('deposits')
      .values({ id, user_id: BigInt(one.id), method: 'card', announced: 250_000n })
      .execute()
    await expect(approve(id, ops[0]!, 2_500)).rejects.toEqual(refused('wrong_state'))
    const word = { depositId: id, amount: usd(250_000n), reference: 'payment 1' }
    const done = await twenty(() => step((tx) => creditCardDeposit(deps, tx, word)))
    expect(done.filter((result) => result !== undefined)).toHaveLength(1)
    expect(await balance(one)).toBe(2_500)
    expect((await deposits(one))[0]).toMatchObject({
      method: 'card',
      currency: null,
      coin_amount: null,
      status: 'Approved',
    })
  })

  test('the database enforces transitions, four eyes and amounts', async () => {
    const one = await trader()
    const outcome = {
      Pending: '',
      Approved: ', credited = 200000, decided_at = now()',
      Rejected: ", reason = 'No.', decided_at = now()",
    }
    const waiting = await announced(one, '2000')
    await expect(
      asSuper((db) => db.query(`update deposits set status = 'Approved'${outcome.Approved} where id = ${waiting}`)),
    ).rejects.toThrow(/lacks an approval/)
    await approve(waiting, ops[0]!, 2_000)
    await expect(
      asSuper((db) => db.query(`update deposits set status = 'Approved'${outcome.Approved} where id = ${waiting}`)),
    ).rejects.toThrow(/lacks an approval/)
    await expect(
      asSuper((db) => db.query(`insert into deposit_approvals values (${waiting}, ${ops[1]!.id}, 1)`)),
    ).rejects.toThrow(/another amount/)
    // Approved by two, but not credited.
    await expect(
      asSuper(async (db) => {
        await db.query(`insert into deposit_approvals values (${waiting}, ${ops[1]!.id}, 200000)`)
        await db.query(`update deposits set status = 'Approved'${outcome.Approved} where id = ${waiting}`)
        await db.query('set constraints all immediate')
      }),
    ).rejects.toThrow(/not credited/)
    const rejected = await announced(one, '10')
    await reject(rejected, ops[0]!)
    const approved = await announced(one, '10')
    await approve(approved, ops[0]!, 10)
    for (const [from, id] of [
      ['Rejected', rejected],
      ['Approved', approved],
    ] as const)
      for (const to of ['Pending', 'Approved', 'Rejected'] as const) {
        expect(DEPOSIT_NEXT[from]).toEqual([])
        const wipe = 'credited = null, reason = null, decided_at = null'
        const set = to === 'Pending' ? wipe : outcome[to].slice(2)
        if (from === to) continue
        await expect(
          asSuper((db) => db.query(`update deposits set status = '${to}', ${set} where id = ${id}`)),
          `${from} to ${to}`,
        ).rejects.toThrow()
      }
    for (const entry of [
      `update deposits set credited = 1001 where id = ${approved}`,
      `update deposits set reversed = 1 where id = ${approved}; set constraints all immediate`,
      `insert into deposit_approvals values (${approved}, ${ops[2]!.id}, 1000)`,
      `delete from deposit_approvals where deposit_id = ${approved}`,
      `update deposit_approvals set amount = 1`,
      `truncate deposit_reversals`,
    ])
      await expect(
        asSuper((db) => db.query(entry)),
        entry,
      ).rejects.toThrow()
    // The application may not even try to change what was announced.
    await expect(app.db.updateTable('deposits').set({ announced: 1n }).execute()).rejects.toThrow(/permission denied/)
    await expect(app.db.deleteFrom('deposits').execute()).rejects.toThrow(/permission denied/)
  })
})

describe('requesting a withdrawal', () => {
  test('holds the amount immediately, and derives the coin from the address', async () => {
    const one = await trader(500)
    for (const [wallet, currency, left] of [
      [BTC, 'BTC', 400],
      [ETH, 'ETH', 300],
    ] as const) {
      const reply = await withdraw(one, 100, wallet)
      expect(reply.status, reply.text).toBe(200)
      const data = reply.json!.data as Withdraw
      expect(data).toMatchObject({
        method: 'crypto',
        wallet,
        currency,
        amount: 100,
        status: 'Pending',
        since: data.createdAt,
      })
      expect(Date.parse(data.due_by!) - Date.parse(data.since)).toBe(7 * 86_400_000 - weekendSlack(data.since))
      expect(await balance(one)).toBe(left)
    }
    expect(await account(one)).toMatchObject({ hold: 20_000n })
    expect(await withdrawals(one)).toHaveLength(2)
  })

  /** Five business days are a week, less what a start on a weekend saves. */
  const weekendSlack = (since: string) => [2, 0, 0, 0, 0, 0, 1][new Date(since).getUTCDay()]! * 86_400_000

  test('rejects an address that no one has the key of', async () => {
    const one = await trader(100)
    for (const wallet of [
      '0x0000000000000000000000000000000000000000',
      '0x000000000000000000000000000000000000dEaD',
      '1BitcoinEaterAddressDontSendf59kuE',
      '1111111111111111111114oLvT2',
    ]) {
      const reply = await withdraw(one, 10, wallet)
      expect(refusal(reply), wallet).toEqual([422, 'validation_failed'])
      expect(reply.json!.message).toContain('belongs to no one')
    }
    expect(await balance(one)).toBe(100)
  })

  test('to a bank: stores the numbers encrypted and shows them masked', async () => {
    const one = await trader(100)
    const reply = await withdrawToBank(one, 100)
    expect(reply.json).toMatchObject({
      data: { method: 'bank', currency: null, wallet: 'Bank, account ending 6789', amount: 100 },
    })
    expect(reply.text).not.toContain('2345')
    const row = await app.db
      .selectFrom('withdrawals')
      .selectAll()
      .where('user_id', '=', BigInt(one.id))
      .executeTakeFirstOrThrow()
    const { bank_sealed, bank_fingerprint, ...open } = row
    const everything = JSON.stringify(open, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
    for (const secret of ['2345', '021000021']) {
      expect(everything).not.toContain(secret)
      expect(bank_sealed!.includes(secret)).toBe(false)
    }
    expect(bank_fingerprint).toHaveLength(32)
    await expect(bankOf({ db: app.db, seal: openSeal(randomBytes(32), 'bank') }, row.id)).rejects.toThrow()
    await expect(bankOf({ db: app.db, seal: openSeal(randomBytes(32), 'bank') }, 1n)).rejects.toEqual(
      refused('not_found'),
    )
  })

  test.each([
    ['account_number', '12'],
    ['account_number', '<b>1234</b>'],
    ['account_number', '1234; drop'],
    ['account_number', '１２３４'],
    ['routing_number', '-'],
    ['routing_number', 'a'.repeat(101)],
    ['bank_name', ' '],
    ['type', 'checking'],
    ['type', ['Checking']],
    ['amount', '10'],
    ['amount', 0.5],
    ['amount', 10.001],
  ])('rejects %s %j', async (field, value) => {
    const one = await trader(100)
    expect(refusal(await withdrawToBank(one, 10, { [field]: value }))).toEqual([422, 'validation_failed'])
    expect(await balance(one)).toBe(100)
  })

  test('requires a confirmed e-mail, an approved ID if configured, and unlocked withdrawals', async () => {
    const one = await app.trader()
    await app.fund(one, 100)
    const need = async () =>
      (await app.send('GET', '/api/withdraw/requirements', { token: one.token })).json!.data as object
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'email_not_confirmed'])
    expect(await need()).toMatchObject({
      possible: false,
      email_verified: false,
      identity: null,
      identity_required: true,
    })
    await app.db.updateTable('users').set({ email_confirmed_at: new Date() }).where('id', '=', BigInt(one.id)).execute()
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'identity_required'])
    await app.verify(one)
    expect(await need()).toEqual({
      possible: true,
      email_verified: true,
      identity: 'Approved',
      identity_method: 'national_id',
      identity_required: true,
      locked: false,
      owed: 0,
      came_by: ['card'],
      two_person_amount: 1_000,
      business_days: 5,
    })
    await app.db
      .insertInto('user_locks')
      .values({ user_id: BigInt(one.id), kind: 'withdrawals', operator_id: ops[0]!.id, reason: 'Being looked at.' })
      .execute()
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'account_locked'])
    expect(await need()).toMatchObject({ possible: false, locked: true })
    await app.db.deleteFrom('user_locks').where('user_id', '=', BigInt(one.id)).execute()
    expect((await withdraw(one, 10)).status).toBe(200)
  })

  test('requires no ID without the setting', async () => {
    const one = await app.trader()
    await app.fund(one, 100)
    await app.db.updateTable('users').set({ email_confirmed_at: new Date() }).where('id', '=', BigInt(one.id)).execute()
    const setting = (on: boolean) =>
      app.db.updateTable('cashier_settings').set({ withdrawals_need_identity: on }).execute()
    await setting(false)
    try {
      expect((await withdraw(one, 10)).status).toBe(200)
    } finally {
      await setting(true)
    }
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'identity_required'])
  })

  test('asks for the second factor if there is one, but not for a repeated request', async () => {
    const one = await trader(100)
    const { token, password } = one
    const begun = await app.send('POST', '/api/auth/2fa/totp', { token, body: { password } })
    const { secret } = begun.json!.data as { secret: string }
    const on = await app.send('POST', '/api/auth/2fa/totp/confirm', { token, body: { code: totpCode(secret) } })
    const { recovery_codes } = on.json!.data as { recovery_codes: string[] }
    expect(refusal(await withdraw(one, 40, 'no address', 'key'))).toEqual([422, 'validation_failed'])
    expect(refusal(await withdraw(one, 40, ETH, 'key'))).toEqual([428, 'step_up_required'])
    expect(refusal(await withdrawToBank(one, 40))).toEqual([428, 'step_up_required'])
    expect(refusal(await withdraw(one, 40, ETH, 'key'))).toEqual([428, 'step_up_required'])
    expect(await account(one)).toMatchObject({ balance: 10_000n, hold: 0n })
    const granted = await app.send('POST', '/api/auth/step-up', { token, body: { code: recovery_codes[0] } })
    const headers = { ...keyed('key'), 'x-step-up': (granted.json!.data as { token: string }).token }
    const confirmed = (amount: number) =>
      app.send('POST', '/api/withdraw', { token, body: { amount, wallet: ETH }, headers })
    // The token is for that call alone, and another call does not spoil it.
    expect(refusal(await confirmed(50))).toEqual([428, 'step_up_required'])
    const replies = await twenty(() => confirmed(40))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect((await withdraw(one, 40, ETH, 'key')).json).toEqual(replies[0]!.json)
    expect(await account(one)).toMatchObject({ balance: 6_000n, hold: 4_000n })
  })

  test('allows the last cent and not one more, with its own message', async () => {
    const one = await trader(100.5)
    const reply = await withdraw(one, 100.51)
    expect([...refusal(reply), reply.json!.message]).toEqual([422, 'insufficient_balance', 'Insufficient balance'])
    expect((await withdraw(one, 100.5)).status).toBe(200)
    expect(await balance(one)).toBe(0)
  })

  test('parallel withdrawals, plans and trades spend the money once', async () => {
    const one = await trader(3_000)
    const spend = [
      () => withdraw(one, 1_000),
      () => withdrawToBank(one, 1_000),
      () => app.send('POST', '/api/users/set-plan', { token: one.token, body: { trading_plan: 'Beginner-3000' } }),
      () =>
        app.send('POST', '/api/trading/submit', { token: one.token, body: { ...ORDER, mode: 'real', amount: 1_000 } }),
    ]
    const replies = await twenty((n) => spend[n % 4]!())
    for (const reply of replies)
      if (reply.status !== 200) expect(['insufficient_balance', 'wrong_state']).toContain(reply.json?.code)
    const cost = replies.map((reply, n) => (reply.status === 200 ? (n % 4 === 2 ? 3_000 : 1_000) : 0))
    expect(cost.reduce<number>((a, b) => a + b, 0)).toBe(3_000)
    expect(await balance(one)).toBe(0)
  })

  test('another trader’s withdrawal is not found, and lists are separate', async () => {
    const [one, other] = [await trader(100), await trader()]
    const { withdraw_id } = (await withdraw(one, 10)).json!.data as Withdraw
    expect(refusal(await cancel(other, withdraw_id))).toEqual([404, 'not_found'])
    expect(refusal(await cancel(other, 'x'))).toEqual([404, 'not_found'])
    expect(await withdrawals(other)).toEqual([])
    expect((await withdrawals(one))[0]!.status).toBe('Pending')
  })
})

describe('keys', () => {
  test('the same key and body give one withdrawal and always its first response', async () => {
    const one = await trader(100)
    const replies = await twenty(() => withdraw(one, 60, ETH, 'key'))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies[0]!.status).toBe(200)
    expect(await balance(one)).toBe(40)
    const { withdraw_id } = replies[0]!.json!.data as Withdraw
    await cancel(one, withdraw_id)
    expect((await withdraw(one, 60, ETH, 'key')).json).toEqual(replies[0]!.json)
    expect(refusal(await withdraw(one, 61, ETH, 'key'))).toEqual([409, 'idempotency_mismatch'])
    expect(await balance(one)).toBe(100)
  })

  test('a rejection frees a key, and keys are per trader', async () => {
    const [one, other] = [await trader(), await trader(10)]
    expect(refusal(await withdraw(one, 10, ETH, 'shared'))).toEqual([422, 'insufficient_balance'])
    expect((await withdraw(other, 10, ETH, 'shared')).status).toBe(200)
    await app.fund(one, 10)
    expect((await withdraw(one, 10, ETH, 'shared')).status).toBe(200)
  })

  /** Everything that a key can stand for; each works once for a trader who has 10,000. */
  const EFFECTS: Record<string, (who: Trader, key: string, open: string) => Promise<Reply>> = {
    withdrawal: (who, key) => withdraw(who, 5, ETH, key),
    bank: (who, key) => withdrawToBank(who, 5, {}, key),
    deposit: (who, key) => announce(who, '5', { key, file: picture }),
    cancel: (who, key, open) => cancel(who, open, key),
    plan: (who, key) =>
      app.send('POST', '/api/users/set-plan', {
        token: who.token,
        body: { trading_plan: 'Beginner-3000' },
        headers: keyed(key),
      }),
    reset: (who, key) => app.send('POST', '/api/trading/demo/reset', { token: who.token, headers: keyed(key) }),
    'demo trade': (who, key) =>
      app.send('POST', '/api/trading/submit', { token: who.token, body: ORDER, headers: keyed(key) }),
    'real trade': (who, key) =>
      app.send('POST', '/api/trading/submit', {
        token: who.token,
        body: { ...ORDER, mode: 'real' },
        headers: keyed(key),
      }),
  }
  const NAMES = Object.keys(EFFECTS)

  async function ready(): Promise<{ one: Trader; open: string }> {
    const one = await trader(10_000)
    const { withdraw_id } = (await withdraw(one, 5)).json!.data as Withdraw
    return { one, open: withdraw_id }
  }

  test("a key belongs to its first request, whatever it's used for next", async () => {
    for (const first of NAMES) {
      const { one, open } = await ready()
      const answer = await EFFECTS[first]!(one, 'key', open)
      expect(answer.status, `${first}: ${answer.text}`).toBe(200)
      for (const next of NAMES) {
        const reply = await EFFECTS[next]!(one, 'key', open)
        if (next === first) expect(reply.json, `${first} again`).toEqual(answer.json)
        else expect(refusal(reply), `${first}, then ${next}`).toEqual([409, 'idempotency_mismatch'])
      }
    }
  })

  test('all parallel requests under one key have one effect', async () => {
    for (let round = 0; round < 6; round++) {
      const { one, open } = await ready()
      const order = NAMES.map((_, n) => NAMES[(n + round) % NAMES.length]!)
      const replies = await Promise.all(
        [...order, ...order].map(async (name) => ({ name, reply: await EFFECTS[name]!(one, 'key', open) })),
      )
      const done = new Set(replies.filter(({ reply }) => reply.status === 200).map(({ name }) => name))
      expect([...done], replies.map(({ name, reply }) => `${name} ${reply.status}`).join(', ')).toHaveLength(1)
      for (const { name, reply } of replies)
        if (!done.has(name)) expect(reply.status, `${name}: ${reply.text}`).toBe(409)
    }
  })
})

describe('deciding a withdrawal', () => {
  test("one operator approves up to the threshold, and it's paid with a reference", async () => {
    const one = await trader(1_000)
    const id = await asked(one, 1_000)
    await approveOut(id, ops[0]!)
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Processing', held_by: 'Operator (paying)' })
    expect(refusal(await cancel(one, (await withdrawals(one))[0]!.withdraw_id))).toEqual([409, 'wrong_state'])
    await pay(id, ops[0]!, 'wire 42')
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Paid', reference: 'wire 42', held_by: 'You' })
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: 0n })
    expect(told.at(-1)).toMatchObject({ title: 'Your withdrawal was paid', text: expect.stringContaining('wire 42') })
  })

  test('above it, two different operators approve, and no one their own', async () => {
    const one = await trader(1_000.01)
    const id = await asked(one, 1_000.01)
    const own = await operator(one.email.toUpperCase())
    for (const work of [approveOut, pay, rejectOut]) await expect(work(id, own)).rejects.toEqual(refused('own_item'))
    await expect(
      asSuper((db) => db.query(`insert into withdrawal_approvals values (${id}, ${own.id})`)),
    ).rejects.toThrow(/approve their own item/)
    await approveOut(id, ops[0]!)
    expect((await withdrawals(one))[0]).toMatchObject({
      status: 'Pending',
      held_by: 'Second operator (reviewing)',
    })
    await expect(approveOut(id, ops[0]!)).rejects.toEqual(refused('second_person_required'))
    await expect(pay(id, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await approveOut(id, ops[1]!)
    await pay(id, ops[0]!)
    expect((await withdrawals(one))[0]!.status).toBe('Paid')
  })

  test("only the approver can revoke an approval, and only while it's pending", async () => {
    const one = await trader(3_000)
    const id = await asked(one, 3_000)
    const own = await operator(one.email)
    await approveOut(id, ops[0]!)
    await expect(takeBackOut(id, ops[1]!)).rejects.toEqual(refused('wrong_state'))
    await expect(takeBackOut(id, own)).rejects.toEqual(refused('own_item'))
    await takeBackOut(id, ops[0]!)
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Pending', held_by: 'Operator (reviewing)' })
    await approveOut(id, ops[1]!)
    expect((await withdrawals(one))[0]!.status).toBe('Pending')
    await approveOut(id, ops[0]!)
    const remove = () => app.db.deleteFrom('withdrawal_approvals').where('withdrawal_id', '=', id).execute()
    for (const work of [undefined, () => pay(id, ops[2]!)]) {
      await work?.()
      for (const who of ops) await expect(takeBackOut(id, who)).rejects.toEqual(refused('wrong_state'))
      await expect(remove()).rejects.toThrow(/cannot be revoked/)
    }
    await expect(app.db.updateTable('withdrawal_approvals').set({ at: new Date() }).execute()).rejects.toThrow()
  })

  test('a rejection returns the money, even if the payment bounced', async () => {
    const one = await trader(300)
    const [waiting, processing] = [await asked(one, 100), await asked(one, 200)]
    await approveOut(processing, ops[0]!)
    await rejectOut(waiting, ops[0]!, 'Not your wallet.')
    await rejectOut(processing, ops[1]!)
    expect(await account(one)).toEqual({ balance: 30_000n, hold: 0n, owed: 0n })
    expect((await withdrawals(one)).map(({ status, reason }) => [status, reason])).toEqual([
      ['Rejected', 'The payment bounced.'],
      ['Rejected', 'Not your wallet.'],
    ])
  })

  test('the use cases accept exactly the allowed transitions', async () => {
    type Status = keyof typeof WITHDRAWAL_NEXT
    async function go(to: Status, id: bigint, by: Operator, cancelled: () => Promise<Reply>): Promise<unknown> {
      if (to === 'Processing') return approveOut(id, by)
      if (to === 'Paid') return pay(id, by)
      if (to === 'Rejected') return rejectOut(id, by)
      const { status, json } = await cancelled()
      if (status !== 200) throw json
      return json
    }
    for (const from of Object.keys(WITHDRAWAL_NEXT) as (keyof typeof WITHDRAWAL_NEXT)[]) {
      for (const to of ['Processing', 'Paid', 'Rejected', 'Cancelled'] as const) {
        const one = await trader(10)
        const { withdraw_id } = (await withdraw(one, 10)).json!.data as Withdraw
        const id = numberOf(withdraw_id)
        const cancelled = () => cancel(one, withdraw_id)
        if (from === 'Paid') await go('Processing', id, ops[0]!, cancelled)
        if (from !== 'Pending') await go(from, id, ops[0]!, cancelled)
        const result = await go(to, id, ops[1]!, cancelled).then(
          () => true,
          (error: { code: string }) => error.code !== 'wrong_state' && error,
        )
        expect(result, `${from} to ${to}`).toBe(WITHDRAWAL_NEXT[from].includes(to))
      }
    }
  })

  test('the database accepts exactly the allowed transitions', async () => {
    const one = await trader(100)
    const fields = {
      Pending: 'processing_at = null, ended_at = null, reason = null, reference = null',
      Processing: 'processing_at = now(), ended_at = null, reason = null, reference = null',
      Paid: "processing_at = coalesce(processing_at, now()), ended_at = now(), reason = null, reference = 'x'",
      Rejected: "ended_at = now(), reason = 'x', reference = null",
      Cancelled: 'processing_at = null, ended_at = now(), reason = null, reference = null',
    } as const
    const states = Object.keys(fields) as (keyof typeof fields)[]
    const id = await asked(one, 10)
    for (const from of states)
      for (const to of states) {
        const attempt = asSuper(async (db) => {
          await db.query(`insert into withdrawal_approvals values (${id}, ${ops[0]!.id})`)
          // To the state it begins in past the triggers; what is tried is tried under them.
          await db.query("set local session_replication_role = 'replica'")
          await db.query(`update withdrawals set status = '${from}', ${fields[from]} where id = ${id}`)
          await db.query("set local session_replication_role = 'origin'")
          await db.query(`update withdrawals set status = '${to}', ${fields[to]} where id = ${id}`)
        })
        const isEdge = WITHDRAWAL_NEXT[from].includes(to)
        if (isEdge) await attempt
        else await expect(attempt, `${from} to ${to}`).rejects.toThrow()
      }
    await expect(
      asSuper((db) => db.query(`update withdrawals set status = 'Processing', processing_at = now() where id = ${id}`)),
    ).rejects.toThrow(/lacks an approval/)
    await expect(
      asSuper(async (db) => {
        await db.query(`update withdrawals set status = 'Rejected', ended_at = now(), reason = 'x' where id = ${id}`)
        await db.query('set constraints all immediate')
      }),
    ).rejects.toThrow(/not where its status says/)
    await expect(app.db.updateTable('withdrawals').set({ amount: 1n }).execute()).rejects.toThrow(/permission denied/)
  })

  test('of twenty parallel decisions of every kind, one wins, and the money is in one place', async () => {
    for (let round = 0; round < 3; round++) {
      const one = await trader(100)
      const { withdraw_id } = (await withdraw(one, 100)).json!.data as Withdraw
      const id = numberOf(withdraw_id)
      await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          [
            () => approveOut(id, ops[n % 3]!),
            () => pay(id, ops[n % 3]!),
            () => rejectOut(id, ops[n % 3]!),
            () => cancel(one, withdraw_id),
          ][(n + round) % 4]!(),
        ),
      )
      const { status } = (await withdrawals(one))[0]!
      const { balance, hold } = await account(one)
      expect({ balance, hold }).toEqual(
        status === 'Paid'
          ? { balance: 0n, hold: 0n }
          : status === 'Processing' || status === 'Pending'
            ? { balance: 0n, hold: 10_000n }
            : { balance: 10_000n, hold: 0n },
      )
    }
  })

  test('flags suspicious withdrawals', async () => {
    const [one, other] = [await trader(), await trader(100)]
    await approve(await announced(one, '100'), ops[0]!, 100)
    const toEth = numberOf(((await withdraw(one, 10, ETH.toLowerCase())).json!.data as Withdraw).withdraw_id)
    const toBtc = numberOf(
      ((await withdraw(one, 10, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')).json!.data as Withdraw).withdraw_id,
    )
    const account = { account_number: randomBytes(6).toString('hex') }
    const toBank = numberOf(((await withdrawToBank(one, 10, account)).json!.data as Withdraw).withdraw_id)
    await withdrawToBank(other, 10, {
      account_number: `${account.account_number.slice(0, 4)} ${account.account_number.slice(4)}`,
    })
    const flagsOf = async (id: bigint) => {
      const { rows } =
        await sql<WayOutColumns>`select ${wayOutColumns} from withdrawals item where item.id = ${id}`.execute(app.db)
      return wayOutFlags(rows[0]!)
    }
    expect(await flagsOf(toBtc)).toEqual([])
    expect(await flagsOf(toEth)).toEqual([
      'Withdrawal to ETH, but deposits came by BTC',
      expect.stringMatching(/^\S+@\S+ used the same wallet: possible second account$/),
    ])
    expect(await flagsOf(toBank)).toEqual([
      'Withdrawal to bank, but deposits came by BTC',
      `${other.email} used the same bank account: possible second account`,
    ])
  })
})

describe('a debtor', () => {
  /** A trader with $900 on hold for a withdrawal, whose deposit of $900 was then charged back. */
  async function debtor() {
    const one = await trader()
    const deposit = await announced(one, '900')
    await approve(deposit, ops[0]!, 900)
    const out = await asked(one, 900)
    return { one, out, chargeBack: () => reverse(deposit, 900) }
  }

  test('is never paid: released money repays the debt first', async () => {
    const { one, out, chargeBack } = await debtor()
    await chargeBack()
    expect(await account(one)).toEqual({ balance: 0n, hold: 90_000n, owed: -90_000n })
    const requirements = await app.send('GET', '/api/withdraw/requirements', { token: one.token })
    expect(requirements.json!.data).toMatchObject({ possible: false, owed: 900 })
    await expect(approveOut(out, ops[1]!)).rejects.toEqual(refused('debt_outstanding'))
    expect((await cancel(one, (await withdrawals(one))[0]!.withdraw_id)).status).toBe(200)
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: 0n })
    expect(refusal(await withdraw(one, 900))).toEqual([422, 'insufficient_balance'])
    expect(await app.broken()).toEqual([])
  })

  test("can't request more, and sees the debt", async () => {
    const { one, chargeBack } = await debtor()
    await chargeBack()
    for (const reply of [await withdraw(one, 1), await withdrawToBank(one, 1)]) {
      expect(refusal(reply)).toEqual([422, 'debt_outstanding'])
      expect(reply.json!.message).toContain('You owe $900.00')
    }
  })

  test("isn't paid a withdrawal approved before the debt; its rejection repays it", async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await chargeBack()
    await expect(pay(out, ops[0]!)).rejects.toEqual(refused('debt_outstanding'))
    await rejectOut(out, ops[0]!)
    expect(told.at(-1)!.text).toContain('$900.00 repaid your debt.')
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: 0n })
  })

  test('repays in part if less is released than owed', async () => {
    const one = await trader(50)
    const deposit = await announced(one, '900')
    await approve(deposit, ops[0]!, 900)
    const small = await asked(one, 300)
    const large = await asked(one, 600)
    await reverse(deposit, 900)
    expect(await account(one)).toEqual({ balance: 0n, hold: 90_000n, owed: -85_000n })
    await rejectOut(small, ops[0]!)
    expect(await account(one)).toEqual({ balance: 0n, hold: 60_000n, owed: -55_000n })
    await rejectOut(large, ops[0]!)
    expect(told.at(-1)!.text).toContain('$550.00 repaid your debt, and $50.00 is back in your balance.')
    expect(await account(one)).toEqual({ balance: 5_000n, hold: 0n, owed: 0n })
  })

  test('is rejected by the database too', async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await chargeBack()
    for (const statement of [
      sql`update withdrawals set status = 'Paid', reference = 'x', ended_at = clock_timestamp() where id = ${out}`,
      sql`insert into withdrawals (id, user_id, method, coin, wallet, amount)
          values (${deps.newId()}, ${one.id}, 'crypto', 'ETH', ${ETH}, 100)`,
    ])
      await expect(statement.execute(app.db)).rejects.toThrow(/owes money/)
    await expect(
      asSuper(
        (db) => db.query(`update accounts set balance = 1 where id = ${accountOf(BigInt(one.id), 'real')}`),
        'replica',
      ),
    ).rejects.toThrow(/accounts_debt_first/)
  })

  test('is found by verify if paid', async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await chargeBack()
    const found = await asSuper(async (db) => {
      const accountId = accountOf(BigInt(one.id), 'real')
      await db.query(
        `update withdrawals set status = 'Paid', reference = 'x', ended_at = clock_timestamp() where id = ${out}`,
      )
      await db.query(`insert into transfers (cause, cause_id, part, account_id, book, debit, credit, amount, account_seq, balance_after, at)
        select 'withdraw_paid', ${out}, 1, id, 'real', 'hold', 'external_out', 90000, seq + 1, 0, clock_timestamp() from accounts where id = ${accountId}`)
      await db.query(`update accounts set hold = 0, seq = seq + 1 where id = ${accountId}`)
      const says: string[] = []
      for (const check of cashierChecks) if ((await db.query(check.sql)).rowCount) says.push(check.says)
      return says
    }, 'replica')
    expect(found).toEqual([
      'no trader was paid more than they deposited and won, less what was reversed before the payment',
      'no debtor was paid',
    ])
  })

  test('whose debt came after the payment violates nothing', async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await pay(out, ops[0]!)
    await chargeBack()
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: -90_000n })
    expect(await app.broken()).toEqual([])
  })
})

test('an open request prevents registering an unconfirmed address again', async () => {
  const one = await app.trader()
  const { json } = await app.send('GET', '/api/deposit', { token: one.token })
  expect(json!.data).toEqual([])
  await app.db
    .insertInto('deposits')
    .values({ id: deps.newId(), user_id: BigInt(one.id), method: 'card', announced: 100n })
    .execute()
  const reply = await app.send('POST', '/api/auth/register', {
    body: {
      firstname: 'Eve',
      lastname: 'Byron',
      email: one.email,
      phone: '+44 20 7946 0000',
      password: 'another engine',
      confirmPassword: 'another engine',
    },
  })
  expect(refusal(reply)).toEqual([409, 'already_exists'])
})

test('open screens are notified', async () => {
  const one = await trader(100)
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/stream`)
  const heard: { op: string; data: unknown }[] = []
  socket.onmessage = ({ data }) => heard.push(JSON.parse(String(data)))
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  socket.send(JSON.stringify({ op: 'auth', token: one.token }))
  await expect.poll(() => heard.some(({ op }) => op === 'ready')).toBe(true)
  const asked = (await withdraw(one, 30)).json!.data as Withdraw
  await expect.poll(() => heard.find(({ op }) => op === 'balance')?.data).toEqual({ balance: 70, demo_balance: 10_000 })
  expect(heard.find(({ op }) => op === 'withdraw')?.data).toEqual(asked)
  await expect.poll(() => heard.find(({ op }) => op === 'notice')?.data).toMatchObject({ kind: 'withdraw' })
  const deposit = (await announce(one, '5')).json!.data
  await expect.poll(() => heard.find(({ op }) => op === 'deposit')?.data).toEqual(deposit)
  socket.close()
})

test('verify finds planted violations', async () => {
  const one = await trader()
  const deposit = await announced(one, '200')
  await approve(deposit, ops[0]!, 200)
  const open = await asked(one, 50)
  const paid = await asked(one, 60)
  await approveOut(paid, ops[0]!)
  await pay(paid, ops[0]!)
  const found = (entry: string) =>
    asSuper(async (db) => {
      expect((await db.query(entry)).rowCount, entry).not.toBe(0)
      const names: string[] = []
      for (const { name, sql } of cashierChecks) if ((await db.query(sql)).rowCount) names.push(name)
      return [...new Set(names)]
    }, 'replica')
  const id = accountOf(BigInt(one.id), 'real')
  expect(await found(`update withdrawals set status = 'Cancelled', ended_at = now() where id = ${open}`)).toEqual([
    'L8',
    'L9',
    'W1',
  ])
  expect(await found(`update withdrawals set amount = 5001 where id = ${open}`)).toEqual(['L8', 'L9', 'W1'])
  expect(await found(`update deposits set credited = 20001 where id = ${deposit}`)).toEqual(['L9', 'W3'])
  expect(await found(`update deposits set reversed = 1 where id = ${deposit}`)).toEqual(['L9'])
  expect(await found(`delete from transfers where cause = 'deposit_credit' and cause_id = ${deposit}`)).toEqual(['L9'])
  expect(await found(`delete from transfers where cause = 'withdraw_paid' and cause_id = ${paid}`)).toEqual(['W1'])
  expect(await found(`update accounts set hold = hold + 1 where id = ${id}`)).toEqual(['L8'])
  expect(await found(`update accounts set balance = balance + 1 where id = ${id}`)).toEqual(['L9'])
  expect(await found(`delete from withdrawal_approvals where withdrawal_id = ${paid}`)).toEqual(['W3'])
  expect(
    await found(`update users set email = (select email from operators where id = ${ops[0]!.id}) where id = ${one.id}`),
  ).toEqual(['W3'])
  expect(await found(`update withdrawals set amount = 30000 where id = ${paid}`)).toEqual(['L9', 'W1', 'W2'])
})
