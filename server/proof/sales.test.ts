import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { DAY_MS, HOUR_MS } from '#kernel/time.ts'
import { checkpointText, leafText, type ReceiptOfSale, verifyReceipt } from '#packages/verify/verify.js'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { balancesOf } from '../ledger/index.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { leafHash, rootOf } from '../platform/tree.ts'
import { verifyTape } from '../prices/index.ts'
import { lateSaleOrders, replayOutcomes, replayUnsold, tickReader, voidTrade } from '../trading/index.ts'
import { signCheckpoint } from './checkpoints/checkpoints.ts'
import { type DayLine, dayLines } from './days/day-file.ts'
import { replayDay } from './days/replay-day.ts'
import { openProofKey } from './keys/key.ts'
import { receiptOf } from './receipts/receipt.ts'
import { verifyProof } from './verify-proof.ts'

const { database, market } = await marketOfFile()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-sales-'))
const key = openProofKey(folder)
const { instruments } = market.prices

beforeAll(async () => {
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db)
  // Everything happens on one day, whenever the test runs.
  const untilMidnight = DAY_MS - (market.clock.now() % DAY_MS)
  if (untilMidnight < 3 * HOUR_MS) market.clock.advance(untilMidnight)
  await market.frame({ BTCUSDT: '60000.00' })
  await market.passMinutes(32)
})
afterAll(() => rmSync(folder, { recursive: true }))

const checkpoint = () => signCheckpoint({ db: database.db, key, instruments })

/** A trade of five minutes that is open for a minute, with an entry at 60,000.00. */
async function openTrade(order: Parameters<typeof market.submit>[1] = {}) {
  const user = await market.trader(order.mode === 'real' ? 100_000n : 0n)
  const { trade_id } = await market.submit(user, { duration: 300, amount: 100, ...order })
  await market.frame({ BTCUSDT: '60000.00' })
  await market.pass(60_000)
  return { user, trade_id }
}

async function receiptText(user: bigint, tradeId: string): Promise<string> {
  await market.frame()
  await checkpoint()
  const made = await receiptOf({ db: database.db, instruments }, user, parsePublicId(tradeId)!)
  expect(made).toBeDefined()
  return JSON.stringify(made)
}

/** Nothing is wrong with the books, the tape, the checkpoints and the outcomes. */
async function nothingIsBroken() {
  expect(await market.broken()).toEqual([])
  expect((await verifyTape(database.db)).broken).toBeUndefined()
  expect((await verifyProof(database.db, instruments)).broken).toBeUndefined()
  expect((await replayOutcomes(database.db, () => tickReader(database.db))).divergence).toBeUndefined()
  expect((await replayUnsold(database.db, () => tickReader(database.db))).divergence).toBeUndefined()
  expect(await lateSaleOrders(database.db)).toEqual([])
}

test.each(['demo', 'real'] as const)(
  'a %s trade that is ahead is sold for more than its stake, and one behind for less',
  async (mode) => {
    const ahead = await openTrade({ mode })
    const behind = await openTrade({ mode, trade_mode: 'Sell', strike_rate: '1/61' })
    await market.sell(ahead.user, ahead.trade_id, 1)
    await market.sell(behind.user, behind.trade_id, 1)
    expect((await market.trade(ahead.trade_id)).status, 'no price has come since').toBe('Pending')
    await market.frame({ BTCUSDT: '60030.00' })
    const sold = await market.decided(ahead.trade_id)
    const cheap = await market.decided(behind.trade_id)
    expect(sold).toMatchObject({ outcome: 'sold', tick_price: 6_003_000n })
    expect(sold.payout).toBeGreaterThan(10_000n)
    expect(sold.payout).toBeLessThanOrEqual(17_500n - 700n)
    expect(cheap.payout).toBeGreaterThan(0n)
    expect(cheap.payout).toBeLessThan(8_050n)
    const { balance, demoBalance } = await balancesOf(database.db, ahead.user)
    const [begin, now] = mode === 'real' ? [100_000n, balance] : [1_000_000n, demoBalance]
    expect(now).toBe(begin - 10_000n + sold.payout!)
    expect(await market.trade(ahead.trade_id)).toMatchObject({
      status: 'Sold',
      payout: sold.payout,
      exit_price: 6_003_000n,
    })
    const profits = await profitsOf(ahead.user)
    expect(profits).toBe(mode === 'real' ? 1 : 0)
    expect(await profitsOf(behind.user), 'below the stake').toBe(0)
    for (const { user, trade_id } of [ahead, behind]) {
      const text = await receiptText(user, trade_id)
      const { ok, steps } = await verifyReceipt(text)
      expect(steps.filter((step) => !step.ok)).toEqual([])
      expect(ok).toBe(true)
    }
    await nothingIsBroken()
  },
)

const profitsOf = async (userId: bigint) => {
  const answer = await market.trading.routes['GET /profit']({
    who: { userId, sessionId: 0n, isGuest: false },
    query: {},
    reads: database.db,
  } as never)
  return 'data' in answer ? answer.data.length : -1
}

test('a byte of the receipt that is changed is found', async () => {
  const { user, trade_id } = await openTrade()
  await market.sell(user, trade_id, 1)
  await market.frame({ BTCUSDT: '60030.00' })
  await market.decided(trade_id)
  const text = await receiptText(user, trade_id)
  const receipt = JSON.parse(text) as ReceiptOfSale
  expect((await verifyReceipt(text)).ok).toBe(true)
  const changes: ((changed: ReceiptOfSale) => void)[] = [
    (changed) => (changed.outcome.payout = (Number(changed.outcome.payout) + 0.01).toFixed(2)),
    (changed) => (changed.outcome.sale.variance += 1),
    (changed) => (changed.outcome.sale.fee = '6.99'),
    (changed) => (changed.outcome.sale.ordered_at += 1),
    (changed) => (changed.outcome.sale.minimum = '1.01'),
    (changed) => (changed.sold.before.sequence -= 1),
    (changed) => (changed.sold.variance_frame += 1),
    (changed) => (changed.ticks.exit!.price = '60030.01'),
    (changed) => (changed.trade.stake = '100.01'),
  ]
  for (const change of changes) {
    const changed = structuredClone(receipt)
    change(changed)
    expect((await verifyReceipt(JSON.stringify(changed))).ok, String(change)).toBe(false)
  }
  for (let at = 0; at < text.length; at += Math.ceil(text.length / 150)) {
    const code = text.charCodeAt(at)
    const flipped = text.slice(0, at) + String.fromCharCode(code ^ 1) + text.slice(at + 1)
    expect((await verifyReceipt(flipped)).ok, `byte ${at}: ${text.slice(at - 20, at + 20)}`).toBe(false)
  }
})

test("an operator who holds the key can't sign another sale than the tape's", async () => {
  const { user, trade_id } = await openTrade()
  await market.sell(user, trade_id, 1)
  await market.frame({ BTCUSDT: '60030.00' })
  await market.decided(trade_id)
  const receipt = JSON.parse(await receiptText(user, trade_id)) as ReceiptOfSale
  /** The first step at which a change fails that is signed like the truth. */
  const failure = async (change: (forged: ReceiptOfSale) => void) => {
    const forged = structuredClone(receipt)
    change(forged)
    const { checkpoint: one } = forged.settlement
    const root = rootOf([leafHash(leafText(forged))]).toString('hex')
    const changed = { ...one, trades: 1, root }
    Object.assign(forged.settlement, {
      ...{ position: 0, path: [] },
      checkpoint: { ...changed, signature: key.sign(checkpointText(changed)).toString('hex') },
    })
    const { ok, steps } = await verifyReceipt(JSON.stringify(forged), { published: [{ id: key.id }] })
    return ok ? undefined : steps.find((step) => !step.ok)?.says
  }
  expect(await failure(() => undefined)).toBeUndefined()
  const variance = (times: number) => (forged: ReceiptOfSale) => {
    forged.outcome.sale.variance = Math.round(forged.outcome.sale.variance * times) + 1
  }
  expect(await failure(variance(1))).toMatch(/doesn't state the variance/)
  expect(await failure(variance(100))).toMatch(/doesn't state the variance/)
  expect(
    await failure((forged) => {
      forged.outcome.payout = (Number(forged.outcome.payout) - 0.01).toFixed(2)
    }),
  ).toMatch(/outcome|payout|pays/i)
  expect(await failure((forged) => (forged.outcome.sale.fee = '6.99'))).toMatch(/fee/)
  expect(await failure((forged) => (forged.outcome.sale.minimum = '174.00'))).toMatch(/minimum/)
  expect(await failure((forged) => (forged.outcome.sale.ordered_at = forged.ticks.exit!.time))).toMatch(
    /before it ended/,
  )
  expect(await failure((forged) => (forged.outcome.sale.ordered_at = forged.sold.before.time - 1))).toMatch(
    /after the order to sell too/,
  )
})

test('a trade that is worth less than the minimum at the next price is not sold, and runs to its end', async () => {
  const { user, trade_id } = await openTrade()
  await market.sell(user, trade_id, 150)
  await expect(market.sell(user, trade_id, 1)).rejects.toMatchObject({ code: 'wrong_state' })
  await market.frame({ BTCUSDT: '59990.00' })
  const order = await market.decided(trade_id)
  expect(order).toMatchObject({ outcome: 'unsold', payout: null, tick_price: 5_999_000n })
  expect(order.says).toMatch(/^At the next price it was worth \$\d+\.\d\d, less than your minimum of \$150\.00\.$/)
  await market.pass(250_000)
  await market.settled()
  await expect.poll(async () => (await market.trade(trade_id)).status).toBe('Lost')
  await expect(market.sell(user, trade_id, 1)).rejects.toMatchObject({ code: 'wrong_state' })
  await receiptText(user, trade_id)
  await nothingIsBroken()
})

test('without a price within ten seconds, nothing is sold', async () => {
  const { user, trade_id } = await openTrade()
  await market.sell(user, trade_id, 1)
  await market.pass(14_000, { silent: true })
  expect(await market.decided(trade_id)).toMatchObject({
    outcome: 'unsold',
    says: 'No price came within 10 seconds after your order.',
  })
  await expect(market.sell(user, trade_id, 1), 'no fresh price').rejects.toMatchObject({ code: 'price_unavailable' })
  await market.passMinutes(32)
})

test('the first and last ten seconds, other traders and trades from before are refused, and nothing changes', async () => {
  const user = await market.trader()
  const { trade_id } = await market.submit(user, { duration: 60 })
  await market.frame({ BTCUSDT: '60000.00' })
  await expect(market.sell(user, trade_id, 1)).rejects.toMatchObject({ code: 'wrong_state' })
  await expect(market.sell(await market.trader(), trade_id, 1)).rejects.toMatchObject({ code: 'not_found' })
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  const setRule = (rule: string | null) =>
    client.query('update trades set sale_rule = $1 where id = $2', [rule, parsePublicId(trade_id)])
  await market.pass(30_000)
  await setRule(null)
  await expect(market.sell(user, trade_id, 1)).rejects.toMatchObject({ code: 'wrong_state' })
  await setRule('SE-1')
  await market.pass(21_000)
  await expect(market.sell(user, trade_id, 1)).rejects.toMatchObject({ code: 'wrong_state' })
  expect(
    await database.db.selectFrom('sale_orders').selectAll().where('trade_id', '=', parsePublicId(trade_id)!).execute(),
  ).toEqual([])
  await market.pass(15_000)
  await market.settled()
})

test('an undecided order holds its trade back from settlement, and a void by two operators wins', async () => {
  const { user, trade_id } = await openTrade()
  const held = await openTrade()
  await market.sell(user, trade_id, 1)
  await market.sell(held.user, held.trade_id, 1)
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  // As if nobody had decided it until long after the end.
  await client.query('begin')
  await client.query('select from trades where id = $1 for update', [parsePublicId(held.trade_id)])
  const { rows } = await sql<{ id: bigint }>`
    insert into operators (email, password_hash, totp_secret, roles)
    select gen_random_uuid() || '@desk.example', 'x', '\\x00', '{risk}' from generate_series(1, 2) returning id`.execute(
    database.db,
  )
  for (const { id } of rows)
    await inTransaction(database.db, (tx) =>
      voidTrade(tx, { tradeId: parsePublicId(trade_id)!, operatorId: id, reason: 'A wrong price.' }),
    )
  await market.pass(300_000)
  expect(await market.decided(trade_id)).toMatchObject({ outcome: 'unsold', says: 'The trade had ended before.' })
  expect(await market.trade(trade_id)).toMatchObject({ status: 'Void', payout: 10_000n })
  expect((await market.trade(held.trade_id)).status, 'its row is locked').toBe('Pending')
  await client.query('commit')
  expect(await market.decided(held.trade_id)).toMatchObject({ outcome: 'sold' })
  expect((await market.trade(held.trade_id)).status, 'by the first price after its order').toBe('Sold')
  await receiptText(held.user, held.trade_id)
  await nothingIsBroken()
})

test('a locked account keeps only its own trade from being sold', async () => {
  const locked = await openTrade()
  const other = await openTrade()
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  await market.sell(locked.user, locked.trade_id, 1)
  await market.sell(other.user, other.trade_id, 1)
  await client.query('begin')
  await client.query('select from accounts where id = $1 for update', [String(locked.user * 2n + 1n)])
  await market.frame({ BTCUSDT: '60030.00' })
  expect(await market.decided(other.trade_id)).toMatchObject({ outcome: 'sold' })
  expect((await market.trade(locked.trade_id)).status).toBe('Pending')
  await client.query('commit')
  expect(await market.decided(locked.trade_id)).toMatchObject({ outcome: 'sold', tick_price: 6_003_000n })
})

test('the same key is one order, and another body under it is refused', async () => {
  const { user, trade_id } = await openTrade()
  const first = await market.sell(user, trade_id, 1, 'sell-once')
  expect(await market.sell(user, trade_id, 1, 'sell-once')).toEqual(first)
  await expect(market.sell(user, trade_id, 2, 'sell-once')).rejects.toMatchObject({ code: 'idempotency_mismatch' })
  await market.frame({ BTCUSDT: '60030.00' })
  await market.decided(trade_id)
  expect(await market.sell(user, trade_id, 1, 'sell-once')).toEqual(first)
  expect((await market.trade(trade_id)).status).toBe('Sold')
})

test('the replay of the day sells the same, and finds a changed variance', async () => {
  await market.frame({ BTCUSDT: '60000.00' })
  await checkpoint()
  const lines: DayLine[] = []
  const day = new Date(market.clock.now()).toISOString().slice(0, 10)
  for await (const line of dayLines(database.db, instruments, day)) lines.push(line)
  const each = async function* (from: readonly DayLine[]) {
    yield* from
  }
  const verdict = await replayDay(each(lines))
  expect(verdict.broken).toBeUndefined()
  const sold = lines
    .flatMap((line) => ('trades' in line ? (line.trades ?? []) : []))
    .filter(({ outcome }) => outcome.status === 'Sold')
  expect(sold.length).toBeGreaterThanOrEqual(6)
  const changed = structuredClone(lines)
  for (const line of changed)
    if ('trades' in line)
      for (const { outcome } of line.trades ?? []) if (outcome.status === 'Sold') outcome.sale.variance += 1
  expect((await replayDay(each(changed))).broken).toMatch(/was sold by the variance/)
})

test('verify finds a sale that was changed afterwards', async () => {
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  const changed = async (change: string, undo: string) => {
    await client.query(`set session_replication_role = replica; ${change}`)
    const found = (await replayOutcomes(database.db, () => tickReader(database.db))).divergence?.says
    const broken = await market.broken()
    await client.query(`${undo}; set session_replication_role = default`)
    return [found, broken.map((name) => name.slice(0, 3))] as const
  }
  const { rows } = await client.query<{ id: string }>(`select id from trades where status = 'Sold' limit 1`)
  const id = rows[0]!.id
  expect(
    await changed(
      `update sale_orders set fee = fee - 1 where trade_id = ${id}`,
      `update sale_orders set fee = fee + 1 where trade_id = ${id}`,
    ),
  ).toEqual([expect.stringContaining('was sold for a fee of'), []])
  expect(
    await changed(
      `update trades set payout = payout + 1 where id = ${id}; update sale_orders set payout = payout + 1 where trade_id = ${id}`,
      `update trades set payout = payout - 1 where id = ${id}; update sale_orders set payout = payout - 1 where trade_id = ${id}`,
    ),
  ).toEqual([expect.stringContaining('was sold for'), expect.arrayContaining(['T2:'])])
  expect(
    await changed(
      `update sale_orders set outcome = 'unsold', says = 'no', payout = null where trade_id = ${id} and outcome = 'sold'`,
      `update sale_orders o set outcome = 'sold', says = null, payout = t.payout from trades t where t.id = o.trade_id and t.id = ${id}`,
    ),
  ).toEqual(['is Sold, but no order sold it', ['T12']])
})

test('verify finds an order that was left unsold for a reason that the tape does not give', async () => {
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  const ORDER = "select trade_id, says from sale_orders where outcome = 'unsold' and starts_with(says, $1) limit 1"
  const unsold = async (says: string): Promise<{ trade_id: string; says: string }> =>
    (await client.query(ORDER, [says])).rows[0]
  /** Changes an order; returns what the replay then says about it. */
  const found = async (id: string, change: string) => {
    await client.query(`begin; set local session_replication_role = replica;
      update sale_orders set ${change} where trade_id = ${id}; commit`)
    const says = (await replayUnsold(database.db, () => tickReader(database.db))).divergence?.says
    return says?.replace(/^has an order to sell of \d+ that /, '')
  }
  const changed = async (id: string, change: string, back: string) => {
    const says = await found(id, change)
    expect(await found(id, back), back).toBeUndefined()
    return says
  }
  expect((await replayUnsold(database.db, () => tickReader(database.db))).checked).toBe(3)
  const { trade_id: id, says } = await unsold('At the next price it was worth')
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
  const saysAgain = `says = ${quote(says)}`
  expect(await changed(id, "says = 'No price came within 10 seconds after your order.'", saysAgain)).toMatch(
    /^says "No price came .*", but the tape gives: At the next price it was worth/,
  )
  expect(await changed(id, `says = replace(says, 'worth $', 'worth $1')`, saysAgain)).toMatch(/but the tape gives/)
  expect(await changed(id, "says = 'The trade had ended before.'", saysAgain)).toMatch(/it had not$/)
  expect(await changed(id, 'minimum = 1', 'minimum = 15000')).toMatch(/^was not carried out, but the tape gives a sale/)
  expect(await changed(id, 'tick_price = tick_price - 1', 'tick_price = tick_price + 1')).toMatch(/another price/)
  expect(await changed(id, 'at = at + 300000', 'at = at - 300000')).toMatch(/was not for sale$/)
  const silent = (await unsold('No price came')).trade_id
  expect(
    await changed(silent, 'at = at - 1000', 'at = at + 1000'),
    'a price came within ten seconds after that',
  ).toBeDefined()

  // An order that nobody decided, of a trade that is over: it stays like that.
  await client.query(`create function test_keep() returns trigger language plpgsql as 'begin return null; end';
    create trigger test_keep before update on sale_orders for each row execute function test_keep()`)
  await client.query(`begin; set local session_replication_role = replica;
    update sale_orders set decided_at = null, outcome = null, says = null, tick_seq = null, tick_time = null, tick_price = null
    where trade_id = ${id}; commit`)
  expect(await market.broken()).toEqual([expect.stringMatching(/^T12: .*undecided/)])
  expect(await lateSaleOrders(database.db)).toMatchObject([{ id: BigInt(id) }])
})
