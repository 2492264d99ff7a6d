import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { OwnStrategyKey } from '#contract/terms.ts'
import { OWN_STRATEGIES } from '#contract/trading/own-strategies.ts'
import { signalChecks } from '#server/invariants/checks/signals.ts'
import { brokenRows } from '#server/invariants/index.ts'
import { publishStrategy, switchSignals, withdrawStrategy } from '#server/own-strategies/publish.ts'
import { publishedStrategies } from '#server/own-strategies/published.ts'
import { recordedStrategies } from '#server/own-strategies/recorded.ts'
import {
  archiveAll,
  archiveStrategy,
  changeStrategy,
  createOutsideStrategy,
  createStrategy,
} from '#server/own-strategies/save.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { openSeal } from '#server/platform/secrets/seal.ts'
import { createDecider, type Draft } from '#server/signals/decide.ts'
import { insertSignals, recordSignals, type SignalRow } from '#server/signals/record.ts'
import { chainFields, toSignal } from '#server/signals/view.ts'
import { isSigned, makeAddress, strategyAt } from '#server/signals/webhooks/address.ts'
import { decideReceived } from '#server/signals/webhooks/decide-received.ts'
import { receivedOf, toReceived } from '#server/signals/webhooks/lists.ts'
import { takeMessage } from '#server/signals/webhooks/receive.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { confirmAddress } from '#tests/support/trades/money.ts'
import { sealedHash } from '#web/trader/strategies/signals/sealed.ts'

const { database, market } = await marketOfFile()
const { db } = database
const { tape, instruments } = market.prices

const stopped: { strategy: OwnStrategyKey; why: string }[] = []
const deps = {
  ...{ db, instruments, tape, clock: market.clock },
  stopFollowers: async (_: unknown, strategy: OwnStrategyKey, why: string) => {
    stopped.push({ strategy, why })
  },
  seal: openSeal(Buffer.alloc(32, 5), 'signals from outside'),
  publicUrl: () => 'https://cleartick.test',
  received: () => undefined,
}

const always = {
  join: 'all' as const,
  conditions: [{ left: { price: 'close' as const }, is: 'above' as const, right: { number: '0' } }],
}
const never = { join: 'all' as const, conditions: [] }
const BUYS = { rule: { buy: always, sell: never }, duration: 60, symbols: ['BTCUSDT'], zone: 'UTC' } as const

/** Creates a trader with a confirmed address. */
async function trader(): Promise<bigint> {
  const userId = await market.trader()
  await confirmAddress(db, userId)
  return userId
}

let named = 0
const make = (userId: bigint, more = {}) =>
  createStrategy(deps, userId, { name: `Rule ${++named}`, ...BUYS, symbols: [...BUYS.symbols], ...more })

let cents = 7_000_000
/** Runs the tape for so many seconds, and records what traders' strategies say. */
async function run(seconds: number): Promise<SignalRow[]> {
  const decider = createDecider({
    tape,
    instruments,
    strategies: [],
    traders: recordedStrategies(db, createLog('silent')),
  })
  const rows: SignalRow[] = []
  for (let i = 0; i < seconds; i++) {
    cents += ((cents * 7919) % 13) - 6
    await market.frame({ BTCUSDT: (cents / 100).toFixed(2), ETHUSDT: '2600.00' }, { afterMs: 1_000 })
    await decider.newDrafts()
    rows.push(...(await recordSignals(db, await decider.tradersDrafts())))
  }
  return rows
}

async function expectSound() {
  for (const check of signalChecks) expect(await brokenRows(db, check, 3), check.name).toEqual([])
}

const numberOf = (id: string) => BigInt(id)

test('a private strategy signals sealed: nobody can read what, and its owner can prove it', async () => {
  const userId = await trader()
  const { id, key } = await make(userId)
  expect(await run(61), 'its signals are off').toEqual([])
  await switchSignals(deps, userId, numberOf(id), true)
  const rows = await run(121)
  expect(rows.map(({ strategy, side, version }) => ({ strategy, side, version }))).toEqual(
    Array.from({ length: 2 }, () => ({ strategy: key, side: 'Buy', version: 1 })),
  )
  const row = rows[0]!
  const text = chainFields(instruments, row).slice(0, 9).join()
  expect(text).toMatch(/^\d+,sealed,[0-9a-f]{64},,,,,\d+,\d+$/)
  expect(text).not.toContain('BTCUSDT')
  const hash = createHash('sha256').update(row.previous).update(text).digest()
  expect(hash.equals(row.hash), 'the public text is what is chained').toBe(true)
  const said = [key, 1, 'BTCUSDT', 'Buy', 60, row.candle_close].join()
  expect(text).toContain(createHash('sha256').update(row.seal!).update(said).digest('hex'))
  // What the owner's screen computes.
  expect(text).toContain(await sealedHash(toSignal(instruments, row), row.seal!.toString('hex')))
  await expectSound()
})

test('published, its record begins with a new version; changes and the end stop its followers', async () => {
  const userId = await trader()
  const { id, key } = await make(userId)
  await switchSignals(deps, userId, numberOf(id), true)
  await expect(publishStrategy(deps, userId, numberOf(id), 'Trend')).rejects.toThrow(/was published before/)
  stopped.length = 0
  await publishStrategy(deps, userId, numberOf(id), 'Night owl')
  expect(stopped.map((one) => one.strategy)).toEqual([key])
  const rows = (await run(61)).filter((row) => row.strategy === key)
  expect(rows).toMatchObject([{ version: 2, seal: null }])
  expect(chainFields(instruments, rows[0]!).slice(1, 5)).toEqual([key, '2', 'BTCUSDT', 'Buy'])
  await expect(switchSignals(deps, userId, numberOf(id), false)).rejects.toThrow(/Withdraw it/)

  const body = { name: 'Owl', ...BUYS, symbols: ['ETHUSDT'], version: 2 }
  await changeStrategy(deps, userId, numberOf(id), body)
  const changed = (await run(61)).filter((row) => row.strategy === key)
  expect(changed.map((row) => toSignal(instruments, row))).toMatchObject([{ version: 3, symbol: 'ETHUSDT' }])
  await withdrawStrategy(deps, userId, numberOf(id))
  const withdrawn = (await run(61)).filter((row) => row.strategy === key)
  expect(withdrawn).toMatchObject([{ version: 4, seal: expect.any(Buffer) }])
  await expect(publishStrategy(deps, userId, numberOf(id), 'Owl again')).rejects.toThrow(/its record stays/)
  const other = await make(userId)
  await expect(publishStrategy(deps, userId, numberOf(other.id), 'NIGHT OWL')).rejects.toThrow(/was published before/)
  await archiveStrategy(deps, userId, numberOf(id))
  expect((await run(61)).filter((row) => row.strategy === key)).toEqual([])
  expect(stopped.map((one) => one.why).at(-1)).toMatch(/archived/)
  await expectSound()
})

test('a trader has three strategies with signals, and nobody else can touch them', async () => {
  const [userId, mallory] = [await trader(), await trader()]
  const made: bigint[] = []
  for (let at = 0; at < 4; at++) made.push(numberOf((await make(userId)).id))
  for (const id of made.slice(0, 3)) await switchSignals(deps, userId, id, true)
  await switchSignals(deps, userId, made[0]!, true)
  await expect(switchSignals(deps, userId, made[3]!, true)).rejects.toThrow(/most there can be/)
  for (const attack of [
    () => switchSignals(deps, mallory, made[0]!, false),
    () => publishStrategy(deps, mallory, made[0]!, 'Mine'),
    () => withdrawStrategy(deps, mallory, made[0]!),
    () => makeAddress(deps, mallory, made[0]!),
  ])
    await expect(attack()).rejects.toThrow(/not found/)
  for (const id of made.slice(0, 3)) await switchSignals(deps, userId, id, false)
})

test('signals need a confirmed address', async () => {
  const userId = await market.trader()
  const { id } = await make(userId)
  await expect(switchSignals(deps, userId, numberOf(id), true)).rejects.toThrow(/Confirm your e-mail address first/)
  await expect(publishStrategy(deps, userId, numberOf(id), 'Nobody')).rejects.toThrow(
    /Confirm your e-mail address first/,
  )
})

test('a strategy with all its versions can still be withdrawn, and archived with its account', async () => {
  const userId = await trader()
  const { id, key } = await make(userId)
  await publishStrategy(deps, userId, numberOf(id), 'Many versions')
  for (let version = 3; version <= OWN_STRATEGIES.versions; version++) {
    await sql`insert into own_strategy_versions (strategy_id, version, rule, duration_seconds, symbol_ids, zone)
      select strategy_id, ${version}, rule, duration_seconds, symbol_ids, zone from own_strategy_versions
      where strategy_id = ${id} and version = 1`.execute(db)
    await sql`update own_strategies set version = ${version} where id = ${id}`.execute(db)
  }
  await withdrawStrategy(deps, userId, numberOf(id))
  const other = await make(userId)
  await publishStrategy(deps, userId, numberOf(other.id), 'Archived with its account')
  stopped.length = 0
  await inTransaction(db, (tx) => archiveAll(deps, tx, userId))
  expect(stopped.map((one) => one.strategy).sort()).toEqual([key, other.key].sort())
  expect((await run(61)).filter((row) => [key, other.key].includes(row.strategy as OwnStrategyKey))).toEqual([])
  expect((await publishedStrategies(db, instruments)).map(({ id: one }) => one)).not.toContain(numberOf(other.id))
  await expectSound()
})

test('the database takes no signal that its strategy could not give', async () => {
  const userId = await trader()
  const { id, key } = await make(userId)
  const close = BigInt(Math.floor(market.clock.now() / 60_000) * 60_000)
  const draft: Draft = {
    ...{ strategy: key, version: 1, symbolId: instruments.bySymbol('BTCUSDT')!.id, side: 'Buy', durationSeconds: 60 },
    ...{ candleClose: Number(close), sourceKind: 2, staleAfterMs: 10_000, seal: Buffer.alloc(32, 1) },
  }
  const write = (more: Partial<Draft>) => inTransaction(db, (tx) => insertSignals(tx, [{ ...draft, ...more }]))
  await expect(write({}), 'its signals are off').rejects.toThrow(/has no such signal/)
  await switchSignals(deps, userId, numberOf(id), true)
  for (const more of [
    { version: 2 },
    { seal: null },
    { symbolId: instruments.bySymbol('ETHUSDT')!.id },
    { durationSeconds: 180 },
    { candleClose: Number(close) - 60_000 },
  ])
    await expect(write(more), JSON.stringify(more)).rejects.toThrow(/has no such signal|signals_on_time/)
  await switchSignals(deps, userId, numberOf(id), false)
})

async function outside(userId: bigint) {
  const { id } = await createOutsideStrategy(deps, userId, {
    ...{ name: `Outside ${++named}`, duration: 60, symbols: ['BTCUSDT'] },
  })
  await switchSignals(deps, userId, numberOf(id), true)
  const address = await makeAddress(deps, userId, numberOf(id))
  return { id: numberOf(id), ...address }
}
const messageOf = (more: object = {}) =>
  JSON.stringify({ symbol: 'BTCUSDT', side: 'buy', time: new Date(market.clock.now()).toISOString(), ...more })
const received = async (id: bigint) =>
  (await receivedOf(db, id, { after: undefined, limit: 50 })).map((row) => toReceived(instruments, row)).reverse()
const decide = () => decideReceived({ db, tape, instruments })

test('a signal from outside is recorded once, before its entry exists', async () => {
  const { id, url, key, signed_url } = await outside(await trader())
  await market.frame({ BTCUSDT: '70000.00' }, { afterMs: 1_000 })
  const secret = url.split('/').at(-1)!
  expect(await strategyAt(db, secret)).toBe(id)
  expect(await strategyAt(db, `${secret.slice(0, -1)}_`)).toBeUndefined()
  expect(signed_url).toBe(`https://cleartick.test/api/webhooks/${id}/signed`)
  const text = messageOf()
  await takeMessage(deps, id, text)
  await expect(takeMessage(deps, id, text)).rejects.toThrow(/came before/)
  const [signal, ...more] = await decide()
  expect(more).toEqual([])
  expect(signal).toMatchObject({ strategy: `own-${id}`, side: 'Buy', seal: expect.any(Buffer) })
  expect(await decide(), 'once').toEqual([])
  // Another message for the symbol while that one is open, and what is wrong with others.
  const second = messageOf({ side: 'SHORT' })
  await takeMessage(deps, id, second)
  expect(await decide()).toEqual([])
  await expect(takeMessage(deps, id, second), 'whatever became of it').rejects.toThrow(/came before/)
  for (const [message, why] of [
    [messageOf({ time: new Date(market.clock.now() - 31_000).toISOString() }), /30 seconds off/],
    [messageOf({ time: Math.floor(market.clock.now() / 1_000) + 31 }), /30 seconds off/],
    [messageOf({ symbol: 'ETHUSDT' }), /isn't one of this strategy's/],
    [messageOf({ side: 'hold' }), /side must be buy or sell/],
    ['{', /not JSON/],
    [messageOf({ note: 'x'.repeat(2_000) }), /longer than/],
  ] as const)
    await expect(takeMessage(deps, id, message)).rejects.toThrow(why)
  expect((await received(id)).map((one) => one.void ?? one.signal)).toEqual([
    ...[
      String(signal!.n),
      'repeated',
      'open',
      'repeated',
      'late',
      'late',
      'symbol',
      'malformed',
      'malformed',
      'malformed',
    ],
  ])

  const signature = createHmac('sha256', key).update(`nonce-123.${text}`).digest('hex')
  expect(await isSigned(deps, id, { nonce: 'nonce-123', text, signature })).toBe(true)
  expect(await isSigned(deps, id, { nonce: 'nonce-124', text, signature })).toBe(false)
  expect(await isSigned(deps, id, { nonce: 'nonce-123', text: `${text} `, signature })).toBe(false)
  await expectSound()
})

test('a nonce counts once, and a new address ends the one before', async () => {
  const userId = await trader()
  const { id, url, key } = await outside(userId)
  await market.frame({ BTCUSDT: '70001.00' }, { afterMs: 1_000 })
  await takeMessage(deps, id, messageOf(), 'nonce-123')
  await expect(takeMessage(deps, id, messageOf({ side: 'sell' }), 'nonce-123')).rejects.toThrow(/nonce/)
  await decide()
  const next = await makeAddress(deps, userId, id)
  expect(await strategyAt(db, url.split('/').at(-1)!)).toBeUndefined()
  expect(await strategyAt(db, next.url.split('/').at(-1)!)).toBe(id)
  const signature = createHmac('sha256', key).update('nonce-125.x').digest('hex')
  expect(await isSigned(deps, id, { nonce: 'nonce-125', text: 'x', signature })).toBe(false)
})

test('messages that the engine finds late, or whose strategy went off meanwhile, are void', async () => {
  const userId = await trader()
  const { id } = await outside(userId)
  await market.frame({ BTCUSDT: '70002.00' }, { afterMs: 1_000 })
  await takeMessage(deps, id, messageOf())
  await switchSignals(deps, userId, id, false)
  expect(await decide()).toEqual([])
  await expect(takeMessage(deps, id, messageOf({ side: 'sell' }))).rejects.toThrow(/switched off/)
  await switchSignals(deps, userId, id, true)
  await takeMessage(deps, id, messageOf({ more: 1 }))
  // As if the engine had been away.
  const owner = await connectTo(database.superUrl)
  await owner.query('set session_replication_role = replica')
  await owner.query("update received_signals set at = at - interval '6 seconds' where signal is null and void is null")
  await owner.end()
  expect(await decide()).toEqual([])
  expect((await received(id)).map((one) => one.void)).toEqual(['off', 'off', 'late'])
})

test('what is not decided in time is left out, and each minute begins with another strategy', async () => {
  const [ada, eve] = [await trader(), await trader()]
  for (const userId of [ada, eve]) await switchSignals(deps, userId, numberOf((await make(userId)).id), true)
  const traders = recordedStrategies(db, createLog('silent'))
  const began: string[] = []
  for (let minute = 0; minute < 2; minute++) {
    let isLate = false
    let first: string | undefined
    const slow = async () =>
      (await traders()).map((strategy): Awaited<ReturnType<typeof traders>>[number] => ({
        ...strategy,
        decide: (candles, about) => {
          first ??= strategy.key
          isLate = true
          return strategy.decide(candles, about)
        },
      }))
    // The tape moves on while the first strategy decides.
    const head = () => ({ ...tape.head(), t: tape.head().t + (isLate ? 5_000 : 0) })
    const decider = createDecider({ tape: { ...tape, head }, instruments, strategies: [], traders: slow })
    await market.frame({ BTCUSDT: '70010.00' }, { afterMs: 60_000 - (market.clock.now() % 60_000) - 1_000 })
    await decider.newDrafts()
    await market.frame({ BTCUSDT: '70011.00' }, { afterMs: 1_500 })
    await decider.newDrafts()
    expect((await decider.tradersDrafts()).map(({ strategy }) => strategy)).toEqual([first])
    began.push(first!)
  }
  expect(new Set(began).size, 'not the same one').toBe(2)
})
