import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { type Receipt, STEPS, verifyReceipt } from '#packages/verify/verify.js'
import { HAS_OPENSSL, startAuthority } from '#tests/support/outside/time-stamp-authority.ts'
import { connectTo, createTestDatabase } from '#tests/support/servers/database.ts'
import { type Market, marketOfFile, openMarket } from '#tests/support/trades/market.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { bodyHash, verifyTape } from '../prices/index.ts'
import { voidTrade } from '../trading/index.ts'
import { signCheckpoint } from './checkpoints/checkpoints.ts'
import { openProofKey } from './keys/key.ts'
import { receiptOf } from './receipts/receipt.ts'
import { linkedReceipt, shareReceipt } from './receipts/receipt-links.ts'
import { newestLine, stampNewest } from './time-stamps/timestamps.ts'
import { verifyProof } from './verify-proof.ts'

const { database, market } = await marketOfFile()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-proof-'))
const key = openProofKey(folder)

beforeAll(() => sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db))
beforeEach(() => market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00', LTCUSDT: '90.10' }))
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

const checkpoint = () => signCheckpoint({ db: database.db, key, instruments: market.prices.instruments })
const receipt = (userId: bigint, tradeId: string) =>
  receiptOf({ db: database.db, instruments: market.prices.instruments }, userId, parsePublicId(tradeId)!)

/** A settled trade whose entry and exit have these prices, and its receipt. */
async function settledTrade(
  order: Parameters<Market['submit']>[1],
  [entry, exit]: [string, string],
): Promise<{ user: bigint; made: Receipt; text: string }> {
  const user = await market.trader()
  const symbol = order?.symbol ?? 'BTCUSDT'
  const { trade_id } = await market.submit(user, order)
  await market.frame({ [symbol]: entry })
  await checkpoint()
  await market.pass(58_000)
  await market.frame({ [symbol]: exit })
  await market.pass(6_000)
  await market.settled()
  await checkpoint()
  const made = (await receipt(user, trade_id))!
  return { user, made, text: JSON.stringify(made) }
}

const failedStep = async (text: string) => {
  const { ok, steps } = await verifyReceipt(text)
  expect(ok).toBe(false)
  const last = steps.at(-1)!
  expect(last.ok).toBe(false)
  expect(last.title).toBe(STEPS[last.step])
  return last
}

test.each([
  [
    'Buy',
    ['60001.00', '60002.50'],
    'Won',
    '1751.75',
    '60002.50 is above 60001.00; you bought: $1001.00 + 75% = $1751.75 paid',
  ],
  ['Sell', ['60001.00', '60002.50'], 'Lost', '0.00', '60002.50 is above 60001.00; you sold: $0.00 paid'],
  ['Buy', ['60003.00', '60003.00'], 'Draw', '1001.00', '60003.00 equals 60003.00; you bought: $1001.00 paid'],
] as const)('a receipt of a %s from %j checks: %s', async (side, prices, status, payout, words) => {
  const { made, text } = await settledTrade(
    { trade_mode: side, amount: 1001, strike_rate: side === 'Buy' ? '75/3' : '1/61' },
    [...prices],
  )
  expect(made.outcome).toMatchObject({ status, payout })
  expect(made.ticks.entry!.price).toBe(prices[0])
  expect(made.ticks.exit!.price).toBe(prices[1])
  const { ok, steps } = await verifyReceipt(text, { published: [{ id: key.id }] })
  expect(steps.filter((step) => !step.ok)).toEqual([])
  expect(ok).toBe(true)
  expect(steps.map(({ step }) => step)).toEqual(Object.keys(STEPS))
  expect(steps.at(-1)!.says).toBe(words)
  expect(steps.at(-3)!.says).toContain('the first price after the order')
})

test('every changed byte fails, with the step that it breaks', async () => {
  // The shortest chains: the checkpoints follow the frames at once.
  const user = await market.trader()
  const { trade_id } = await market.submit(user, { symbol: 'LTCUSDT' })
  await market.frame({ LTCUSDT: '90.20' })
  await checkpoint()
  await market.pass(56_000, { symbols: [] })
  await market.frame({ LTCUSDT: '90.30' })
  await market.pass(3_000, { symbols: [] })
  await market.frame({ LTCUSDT: '90.40' }, { afterMs: 5_000 })
  await market.settled()
  await checkpoint()
  const text = JSON.stringify(await receipt(user, trade_id))
  expect((await verifyReceipt(text)).ok).toBe(true)
  const seen = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    for (const flip of [1, 16]) {
      const changed = text.slice(0, at) + String.fromCharCode(code ^ flip) + text.slice(at + 1)
      const { ok, steps } = await verifyReceipt(changed)
      if (ok) throw new Error(`byte ${at} can change unnoticed: ${text.slice(at - 30, at + 30)}`)
      seen.add(steps.at(-1)!.step)
    }
  }
  expect([...seen].sort()).toEqual(['chain', 'checkpoints', 'form', 'keys', 'order', 'ticks', 'times', 'trade'])
}, 300_000)

test('a receipt that someone rewrites fails at the step that the lie is about', async () => {
  const { made, text } = await settledTrade({ amount: 100 }, ['60010.00', '60020.00'])
  const lie = (change: (receipt: Receipt) => void) => {
    const copy = JSON.parse(text) as Receipt
    change(copy)
    return failedStep(JSON.stringify(copy))
  }
  expect((await lie((r) => (r.trade.stake = '900.00'))).step).toBe('order')
  expect((await lie((r) => (r.outcome.payout = '175.01'))).step).toBe('trade')
  expect((await lie((r) => (r.trade.side = 'Sell'))).step).toBe('order')
  expect((await lie((r) => (r.ticks.exit!.price = '60020.01'))).step).toBe('ticks')
  expect((await lie((r) => (r.ticks.before_entry = null))).step).toBe('ticks')
  expect((await lie((r) => (r.ticks.exit = r.ticks.entry))).step).toBe('ticks')
  expect((await lie((r) => (r.segments[0]!.frames[0]![0] += 1))).step).toBe('chain')
  expect((await lie((r) => (r.segments[0]!.checkpoint.hash = r.segments[1]!.checkpoint.hash))).step).toBe('checkpoints')
  expect((await lie((r) => (r.settlement.checkpoint.trades += 1))).step).toBe('checkpoints')
  expect((await lie((r) => (r.settlement.position += 1))).step).toBe('trade')
  expect((await lie((r) => r.keys.push(r.keys[0]!))).step).toBe('keys')
  expect((await lie((r) => Object.assign(r, { note: 'paid twice' }))).step).toBe('form')
  const spaced = await failedStep(JSON.stringify(made, null, 1))
  expect(spaced).toMatchObject({ step: 'form', says: 'The file is spelled differently from what the platform writes' })
  expect(await failedStep('a picture')).toMatchObject({ step: 'form', says: "The file isn't JSON" })
  const revoked = await verifyReceipt(text, { published: [] })
  expect(revoked.steps.at(-1)).toMatchObject({ step: 'keys', ok: false })
})

test('a trade without an entry has a receipt that shows how late the next price was', async () => {
  const user = await market.trader()
  const { trade_id } = await market.submit(user, { symbol: 'ETHUSDT' })
  await market.pass(14_000, { symbols: ['BTCUSDT'] })
  await expect.poll(async () => (await market.trade(trade_id)).status).toBe('Void')
  await market.frame({ ETHUSDT: '2601.00' })
  await checkpoint()
  const { ok, steps } = await verifyReceipt(JSON.stringify(await receipt(user, trade_id)))
  expect(ok).toBe(true)
  expect(steps.find(({ step }) => step === 'entry')!.says).toContain('but more than 10 seconds later')
})

test('a trade whose symbol is silent at the end has a receipt of the last price', async () => {
  const user = await market.trader()
  await market.frame({ ETHUSDT: '2600.00', BTCUSDT: '60000.00' })
  const { trade_id } = await market.submit(user, { symbol: 'ETHUSDT' })
  await market.frame({ ETHUSDT: '2601.00', BTCUSDT: '60001.00' })
  await market.pass(30_000)
  await market.pass(40_000, { symbols: ['BTCUSDT'] })
  await market.settled()
  await market.frame({ ETHUSDT: '2602.00' })
  await checkpoint()
  const made = (await receipt(user, trade_id))!
  expect(made.outcome.status).toBe('Void')
  expect((await verifyReceipt(JSON.stringify(made))).steps.filter(({ ok }) => !ok)).toEqual([])
})

test('a symbol that never has another price has receipts whose frames show the silence', async () => {
  const user = await market.trader()
  const unentered = await market.submit(user, { symbol: 'ETHUSDT' })
  await market.frame({ LTCUSDT: '90.20' })
  const silentAtEnd = await market.submit(user, { symbol: 'LTCUSDT' })
  await market.frame({ LTCUSDT: '90.30' })
  await market.pass(54_000, { symbols: ['BTCUSDT', 'LTCUSDT'] })
  await market.frame({ LTCUSDT: '90.40' })
  await checkpoint()
  await market.pass(4_000, { symbols: ['BTCUSDT'] })
  await checkpoint()
  expect(await receipt(user, silentAtEnd.trade_id).catch((error) => error.message)).toContain('still open')
  await market.pass(7_000, { symbols: ['BTCUSDT'] })
  await market.settled()
  await checkpoint()

  const noEntry = (await receipt(user, unentered.trade_id))!
  expect(noEntry.ticks).toMatchObject({ entry: null, before_entry: { price: '2600.00' } })
  const { ok, steps } = await verifyReceipt(JSON.stringify(noEntry))
  expect(steps.find(({ step }) => step === 'entry')!.says).toContain('None: no price came within 10 seconds')
  expect(ok).toBe(true)

  const won = (await receipt(user, silentAtEnd.trade_id))!
  expect(won.outcome.status).toBe('Won')
  expect(won.ticks).toMatchObject({ exit: { price: '90.4000' }, after_exit: null })
  expect((await verifyReceipt(JSON.stringify(won))).steps.filter((step) => !step.ok)).toEqual([])

  // Without one of the frames, nothing shows that it holds no price. All bodies are there, but for one's hash.
  for (const made of [noEntry, won]) {
    const bodies = made.segments.flatMap(({ frames }, s) =>
      frames.flatMap((frame, f) => (frame.length === 3 ? [{ s, f, frame }] : [])),
    )
    expect(bodies.length).toBeGreaterThan(8)
    const { s, f, frame } = bodies[6]!
    const short = structuredClone(made)
    short.segments[s]!.frames[f] = [frame[0], bodyHash(Buffer.from(frame[2]!, 'hex')).toString('hex')]
    expect((await failedStep(JSON.stringify(short))).says).toMatch(/incomplete|holds no price of this receipt/)
  }

  // An earlier price as the exit, with the bodies of all frames: one of them has the price that is left out.
  const { rows } = await sql<{ n: bigint; body: Buffer }>`select n, body from frames`.execute(database.db)
  const stored = new Map(rows.map(({ n, body }) => [Number(n), body.toString('hex')]))
  const early = structuredClone(won)
  const at = won.ticks.exit!
  const tick = await sql<{ seq: bigint; source_ms: bigint }>`
    select seq, source_ms from ticks join instruments i on i.id = symbol_id
    where i.symbol = 'LTCUSDT' and frame = ${at.frame - 1}`.execute(database.db)
  const { seq, source_ms } = tick.rows[0]!
  expect(Number(seq)).toBe(at.sequence - 1)
  for (const { first, frames } of early.segments)
    for (const [i, [t]] of frames.entries())
      if (t >= Number(source_ms) && t <= at.time) frames[i] = [t, 'body', stored.get(first + i)!]
  early.ticks.exit = { ...at, sequence: Number(seq), time: Number(source_ms), price: '90.3000', frame: at.frame - 1 }
  expect(await failedStep(JSON.stringify(early))).toMatchObject({
    step: 'exit',
    says: `Frame ${at.frame} has a price of LTCUSDT that the receipt leaves out`,
  })

  // Packing the minutes changes no receipt.
  await market.pass(1_000_000, { symbols: ['BTCUSDT'] })
  await market.prices.runHousekeeping()
  expect(await receipt(user, unentered.trade_id)).toEqual(noEntry)
  expect(await receipt(user, silentAtEnd.trade_id)).toEqual(won)
})

test('a trade whose source changed has a receipt of the first price of the new source', async () => {
  const own = await createTestDatabase({ max: 20 })
  onTestFinished(() => own.drop())
  const before = await openMarket(own)
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(own.db)
  await before.frame({ BTCUSDT: '60000.00' })
  const user = await before.trader()
  const entered = await before.submit(user)
  await before.frame({ BTCUSDT: '60001.00' })
  const unentered = await before.submit(user)
  await before.close()
  const after = await openMarket(own, { kind: 'live' })
  onTestFinished(() => after.close())
  after.clock.set(before.clock.now())
  await after.frame({ BTCUSDT: '60002.00' })
  await after.pass(70_000)
  await after.settled()
  const { instruments } = after.prices
  await signCheckpoint({ db: own.db, key, instruments })
  for (const { trade_id } of [entered, unentered]) {
    const made = (await receiptOf({ db: own.db, instruments }, user, parsePublicId(trade_id)!))!
    expect(made.outcome).toMatchObject({ status: 'Void', reason: expect.stringContaining('source') })
    expect(made.ticks.change).toMatchObject({ price: '60002.00', source: 'live' })
    const { ok, steps } = await verifyReceipt(JSON.stringify(made))
    expect(steps.filter((step) => !step.ok)).toEqual([])
    expect(ok).toBe(true)
  }
})

test('a receipt is for the owner, follows the result, and is the same after its minutes were packed', async () => {
  const user = await market.trader()
  const { trade_id } = await market.submit(user)
  await expect(receipt(user, trade_id)).rejects.toThrow('still open')
  await market.frame({ BTCUSDT: '60100.00' })
  await market.pass(64_000)
  await market.settled()
  expect(await receipt(user, trade_id)).toBeUndefined()
  await checkpoint()
  await expect(receipt(user + 1n, trade_id)).rejects.toThrow('Trade not found')
  const before = JSON.stringify(await receipt(user, trade_id))
  await market.pass(1_000_000)
  await market.prices.runHousekeeping()
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from tape_minutes`.execute(database.db)
  expect(rows[0]!.n).toBeGreaterThan(0n)
  const after = JSON.stringify(await receipt(user, trade_id))
  expect(after).toBe(before)
  expect((await verifyReceipt(after)).ok).toBe(true)
})

test('all checkpoints verify; whatever is changed afterwards is found', async () => {
  await settledTrade({}, ['60010.00', '60020.00'])
  await checkpoint()
  const { instruments } = market.prices
  const whole = await verifyProof(database.db, instruments)
  expect(whole.broken).toBeUndefined()
  expect(whole.trades).toBeGreaterThan(5)
  expect((await verifyTape(database.db, whole.frames)).broken).toBeUndefined()
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  await client.query("set session_replication_role = 'replica'")
  const planted = async (change: string, restore: string) => {
    await client.query(change)
    try {
      const { broken, frames } = await verifyProof(database.db, instruments)
      return broken ?? (await verifyTape(database.db, frames)).broken
    } finally {
      await client.query(restore)
    }
  }
  const copied = 'create temp table kept as select * from checkpoints order by frame desc limit 1'
  await client.query(copied)
  const back = `delete from checkpoints where frame = (select frame from kept) or frame = (select frame from kept) - 1;
    insert into checkpoints select * from kept`
  const newest = 'frame = (select frame from kept)'
  expect(await planted(`update checkpoints set t = t + 1 where ${newest}`, back)).toContain('its signature is wrong')
  expect(await planted(`update checkpoints set hash = sha256(hash) where ${newest}`, back)).toContain('signature')
  await client.query("update trades set stale_after_ms = stale_after_ms + 1 where status = 'Won'")
  expect((await verifyProof(database.db, instruments)).broken).toContain('no longer what it states')
  await client.query("update trades set stale_after_ms = stale_after_ms - 1 where status = 'Won'")
  const last = await client.query<{ frame: string }>(
    'select frame from checkpoints where octet_length(trade_ids) > 0 order by frame desc limit 1',
  )
  await client.query(`create temp table gone as select * from checkpoints where frame = ${last.rows[0]!.frame}`)
  expect(
    await planted(
      `delete from checkpoints where frame = ${last.rows[0]!.frame}`,
      'insert into checkpoints select * from gone',
    ),
  ).toContain('in no checkpoint, and awaits none')
  expect((await verifyProof(database.db, instruments)).broken).toBeUndefined()
  const moved = new Map([...whole.frames].map(([frame, mark]) => [frame, { ...mark, t: mark.t + 1 }]))
  expect((await verifyTape(database.db, moved)).broken).toContain('differs from the tape')
})

test('the database takes no checkpoint with a trade that does not await one', async () => {
  await settledTrade({}, ['60010.00', '60020.00'])
  await market.pass(1_000)
  const again = sql`
    insert into checkpoints select frame + 1, epoch, t, hash, trade_ids, leaves, root, settled_until, key, signature
    from checkpoints where octet_length(trade_ids) > 0 order by frame desc limit 1`.execute(database.db)
  await expect(again).rejects.toThrow('do not await a statement')
  await expect(sql`delete from unstated_trades`.execute(database.db)).rejects.toThrow('permission denied')
})

test('trades settled before and after the clock is set back are all in a checkpoint', async () => {
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  await client.query("set session_replication_role = 'replica'")
  // As if it had been signed, and the trade after it settled, while the clock was two hours ahead.
  await client.query(`update checkpoints set settled_until = settled_until + interval '2 hours'
    where frame = (select max(frame) from checkpoints)`)
  const ahead = await market.trader()
  const { trade_id } = await market.submit(ahead)
  await market.frame({ BTCUSDT: '60010.00' })
  await market.pass(70_000)
  await market.settled()
  await client.query(`update trades set settled_at = settled_at + interval '2 hours' where id = $1`, [
    parsePublicId(trade_id),
  ])

  const { made } = await settledTrade({}, ['60010.00', '60020.00'])
  expect(made.outcome.status).toBe('Won')
  expect((await receipt(ahead, trade_id))!.settlement.checkpoint.trades).toBeGreaterThan(0)
  expect((await verifyProof(database.db, market.prices.instruments)).broken).toBeUndefined()
})

test('a trade voided before the next frame is signed once there is one', async () => {
  const operators = [991n, 992n]
  for (const id of operators)
    await sql`
      insert into operators (id, email, password_hash, totp_secret, roles) overriding system value
      values (${id}, ${`risk-${id}@desk.example`}, 'x', '\\x00', '{risk}')`.execute(database.db)
  const user = await market.trader()
  market.clock.advance(200)
  const { trade_id } = await market.submit(user)
  for (const operatorId of operators)
    await inTransaction(database.db, (tx) =>
      voidTrade(tx, { tradeId: parsePublicId(trade_id)!, operatorId, reason: 'A wrong price.' }),
    )
  await checkpoint()
  expect(await receipt(user, trade_id)).toBeUndefined()
  expect((await verifyProof(database.db, market.prices.instruments)).broken).toBeUndefined()
  await market.frame({ BTCUSDT: '60010.00' })
  await checkpoint()
  const { ok, steps } = await verifyReceipt(JSON.stringify(await receipt(user, trade_id)))
  expect(steps.filter((step) => !step.ok)).toEqual([])
  expect(ok).toBe(true)
})

test('two nodes that sign at once put each trade into one checkpoint', async () => {
  await settledTrade({}, ['60010.00', '60020.00'])
  const user = await market.trader()
  await market.submit(user)
  await market.frame({ BTCUSDT: '60010.00' })
  await market.pass(70_000)
  await market.settled()
  const signed = await Promise.all([checkpoint(), checkpoint(), checkpoint()])
  expect(signed.filter((trades) => trades > 0)).toHaveLength(1)
  expect((await verifyProof(database.db, market.prices.instruments)).broken).toBeUndefined()
})

test("the engine's key is its own, and the command checks a file without the network", async () => {
  expect(statSync(join(folder, 'proof.key')).mode & 0o777).toBe(0o600)
  expect(openProofKey(folder).id).toBe(key.id)
  const { made, text } = await settledTrade({}, ['60010.00', '60020.00'])
  const away = mkdtempSync(join(tmpdir(), 'cleartick-away-'))
  onTestFinished(() => rmSync(away, { recursive: true }))
  const run = (content: string, keys?: unknown) => {
    writeFileSync(join(away, 'receipt.json'), content)
    if (keys) writeFileSync(join(away, 'keys.json'), JSON.stringify({ status: true, data: keys }))
    return spawnSync(
      process.execPath,
      [
        join(import.meta.dirname, '../../packages/verify/cli.js'),
        'receipt.json',
        ...(keys ? ['--keys', 'keys.json'] : []),
      ],
      { cwd: away, encoding: 'utf8', env: {} },
    )
  }
  const good = run(text, [{ id: key.id }])
  expect(good.stdout).toContain('The receipt is genuine.')
  expect(good.status).toBe(0)
  const bad = run(text.replace(made.outcome.payout, '999.00'))
  expect(bad.stdout).toContain('FAILED The trade and its outcome are part of a checkpoint')
  expect(bad.status).toBe(1)
  expect(run(text, [{ id: key.id, revoked_at: '2026-01-01' }]).stdout).toContain('FAILED The keys')
})

test('twenty calls at once share one receipt by one link, and a link never changes whose receipt it shows', async () => {
  const { user, made } = await settledTrade(undefined, ['60001.00', '60002.50'])
  const tradeId = parsePublicId(made.trade.id)!
  const tokens = await Promise.all(Array.from({ length: 20 }, () => shareReceipt(database.db, user, tradeId)))
  expect(new Set(tokens).size).toBe(1)
  expect(await linkedReceipt(database.db, tokens[0]!)).toEqual({ user_id: user, trade_id: tradeId })
  await expect(shareReceipt(database.db, await market.trader(), tradeId)).rejects.toThrow('Trade not found.')
  await expect(
    sql`update receipt_links set trade_id = trade_id + 1 where token = ${tokens[0]}`.execute(database.db),
  ).rejects.toThrow('permission denied')
})

test.runIf(HAS_OPENSSL)(
  'the newest checkpoint is time-stamped once, and the line to publish has the same digest',
  async () => {
    const authority = await startAuthority()
    await checkpoint()
    expect(await stampNewest(database.db, authority.url)).toBe(true)
    expect(await stampNewest(database.db, authority.url)).toBe(false)
    const { rows } = await sql<{ frame: bigint; response: Buffer }>`
    select frame, response from checkpoint_timestamps`.execute(database.db)
    const line = await newestLine(database.db)
    const digest = /sha256 ([0-9a-f]{64})$/.exec(line!)![1]!
    expect(line).toContain(`frame ${rows[0]!.frame}, `)
    expect(authority.accepts(rows[0]!.response, Buffer.from(digest, 'hex'))).toBe(true)
    await expect(sql`delete from checkpoint_timestamps`.execute(database.db)).rejects.toThrow('permission denied')
  },
)
