import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import type { Db } from '../platform/database/db.ts'
import { sql } from '../platform/database/db.ts'
import { type KindChange, TicksDropped } from '../prices/index.ts'
import { outcomeOnTape, replayAll, replayOutcomes, replayTrade } from './replay.ts'
import { tradeOf } from './store.ts'
import { REASON, RULE_VERSION, type Terms, type Tick, type TickReader, voidedReason } from './trade.ts'

/** Replays numbers 1 to `count`; the result, and what was read in which order. */
async function replayNumbers(
  db: Db,
  count: number,
  difference: (id: bigint) => string | undefined = () => undefined,
  progress?: (looked: number) => void,
) {
  const rows = Array.from({ length: count }, (_, at) => ({ id: BigInt(at + 1), symbol_id: 1 }))
  const order: string[] = []
  const kindsOf: (readonly KindChange[])[] = []
  const verdict = await replayAll({
    db,
    openTicks() {
      order.push('ticks')
      return async () => []
    },
    async read(after, limit) {
      order.push(`rows after ${after}`)
      return rows.filter(({ id }) => id > after).slice(0, limit)
    },
    numberOf: ({ id }) => id,
    difference: async ({ id }, _, kinds) => {
      kindsOf.push(kinds)
      return difference(id)
    },
    progress,
  })
  return { verdict, order, kindsOf }
}

test('each page of trades is compared with ticks that were read after it', async () => {
  const { db } = await testDatabase()
  const looked: number[] = []
  const { verdict, order } = await replayNumbers(db, 1_001, undefined, (n) => looked.push(n))
  expect(verdict).toEqual({ checked: 1_001, dropped: 0 })
  expect(order).toEqual(['rows after 0', 'ticks', 'rows after 1000', 'ticks'])
  expect(looked).toEqual([1_000, 1_001])
})

test('ends with the first that differs, counts those whose ticks are gone, and fails with any other error', async () => {
  const { db } = await testDatabase()
  const gone = (id: bigint) => {
    if (id <= 2n) throw new TicksDropped('gone')
    return undefined
  }
  const looked: number[] = []
  const { verdict, kindsOf } = await replayNumbers(db, 5, gone, (n) => looked.push(n))
  expect(verdict).toEqual({ checked: 3, dropped: 2 })
  expect(looked).toEqual([5])
  // The source of their symbol has never changed.
  expect(kindsOf).toEqual([[], [], [], [], []])
  const differs = (id: bigint) => (id >= 4n ? `differs: ${id}` : gone(id))
  expect((await replayNumbers(db, 5, differs)).verdict).toEqual({
    checked: 1,
    dropped: 2,
    divergence: { id: 4n, says: 'differs: 4' },
  })
  const broken = () => {
    throw new Error('broken')
  }
  await expect(replayNumbers(db, 1, broken)).rejects.toThrow('broken')
})

const END = TRADED_AT + 60_000
const terms: Terms = {
  side: 'Buy',
  stake: usd(1_000n),
  percent: 75,
  tradeTime: TRADED_AT,
  endTime: END,
  staleAfterMs: 10_000,
  sourceKind: 2,
  rule: RULE_VERSION,
}
const tick = (seq: number, sourceMs: number, units: number, kind = 2): Tick => ({
  seq: BigInt(seq),
  sourceMs,
  price: price(BigInt(units)),
  kind,
})
const ENTRY = tick(1, TRADED_AT + 1, 10_000)
const EXIT = tick(2, END, 10_001)
const readerOf =
  (ticks: readonly Tick[], asked: [number, number, number][] = []): TickReader =>
  async (symbolId, from, to) => {
    asked.push([symbolId, from, to])
    return ticks.filter(({ sourceMs }) => sourceMs >= from && sourceMs <= to)
  }

test('only the ticks around both ends of a trade are read', async () => {
  const asked: [number, number, number][] = []
  const outcome = await outcomeOnTape(terms, 7, readerOf([ENTRY, EXIT], asked), [])
  expect(outcome).toMatchObject({ status: 'Won', payout: 1_750n, entry: ENTRY, exit: EXIT })
  expect(asked).toEqual([
    [7, TRADED_AT, TRADED_AT + 10_000],
    [7, END - 10_000, END],
  ])
  // A short trade ends before its entry must have come, and before the oldest exit would have been.
  asked.length = 0
  await outcomeOnTape({ ...terms, endTime: TRADED_AT + 5_000 }, 7, readerOf([ENTRY], asked), [])
  expect(asked).toEqual([
    [7, TRADED_AT, TRADED_AT + 5_000],
    [7, TRADED_AT, TRADED_AT + 5_000],
  ])
})

test('ticks that both reads return, and in any order, count once and in time', async () => {
  const between = tick(2, TRADED_AT + 3_000, 9_000)
  const last = tick(3, TRADED_AT + 4_000, 11_000)
  const shuffled: TickReader = async () => [last, ENTRY, between]
  const outcome = await outcomeOnTape({ ...terms, endTime: TRADED_AT + 5_000 }, 7, shuffled, [])
  expect(outcome).toMatchObject({ status: 'Won', entry: ENTRY, exit: last })
})

test.each<[string, KindChange, string]>([
  ['between its ends', { sourceMs: TRADED_AT + 30_000, kind: 0 }, 'Void'],
  ['at its end', { sourceMs: END, kind: 0 }, 'Void'],
  ['just after it began', { sourceMs: TRADED_AT + 1, kind: 0 }, 'Void'],
  ['just before it began, or as it did', { sourceMs: TRADED_AT, kind: 0 }, 'Won'],
  ['after its end', { sourceMs: END + 1, kind: 0 }, 'Won'],
  ['to the kind that it was', { sourceMs: TRADED_AT + 30_000, kind: 2 }, 'Won'],
])('a source that changed %s', async (_, change, status) => {
  const ends = [ENTRY, EXIT].filter(({ sourceMs }) => sourceMs !== change.sourceMs || status === 'Won')
  const entry = ends.includes(ENTRY) ? [] : [tick(9, TRADED_AT + 2, 10_000)]
  const outcome = await outcomeOnTape(terms, 7, readerOf([...ends, ...entry]), [change])
  expect(outcome.status).toBe(status)
  if (status === 'Void') expect(outcome.reason).toBe(REASON.sourceChanged)
})

test('of several changes of the source, one that matters is found', async () => {
  const changes = [
    { sourceMs: TRADED_AT, kind: 0 },
    { sourceMs: TRADED_AT + 20_000, kind: 2 },
    { sourceMs: END + 1, kind: 0 },
  ]
  const within = { sourceMs: TRADED_AT + 30_000, kind: 0 }
  const statusAfter = async (kinds: KindChange[]) =>
    (await outcomeOnTape(terms, 7, readerOf([ENTRY, EXIT]), kinds)).status
  expect(await statusAfter(changes)).toBe('Won')
  expect(await statusAfter([...changes, within])).toBe('Void')
})

test('a tick of the tape at the time of a change is not replaced', async () => {
  const first = tick(1, TRADED_AT + 1, 10_000, 0)
  const outcome = await outcomeOnTape(terms, 7, readerOf([first, EXIT]), [{ sourceMs: TRADED_AT + 1, kind: 0 }])
  expect(outcome).toMatchObject({ status: 'Void', entry: first })
})

test('a stored trade differs from the tape by its status, payout, reason, entry or exit', async () => {
  const database = await testDatabase()
  const [won, voided] = await storeTrades(
    database,
    { status: 'Won', reason: REASON.above },
    { status: 'Void', reason: REASON.noEntry },
  )
  const row = (await tradeOf(database.db, 1n, won!.id))!
  const reader = readerOf([ENTRY, EXIT])
  const says = (changes: Partial<typeof row>) => replayTrade(database.db, { ...row, ...changes }, reader)
  expect(await says({})).toBeUndefined()
  expect(await says({ status: 'Lost' })).toBe('is Lost, but the tape gives Won')
  expect(await says({ payout: usd(1_751n) })).toBe('paid 1751, but the tape gives 1750')
  expect(await says({ outcome_reason: REASON.below })).toBe(
    `has a different reason than the tape gives: ${REASON.above}`,
  )
  const otherEntry = 'has a different entry than the tape'
  expect(await says({ entry_seq: 3n })).toBe(otherEntry)
  expect(await says({ entry_price: 10_002n })).toBe(otherEntry)
  expect(await says({ entry_time: BigInt(TRADED_AT + 2) })).toBe(otherEntry)
  const otherExit = 'has a different exit than the tape'
  expect(await says({ exit_seq: 3n })).toBe(otherExit)
  expect(await says({ exit_price: 10_002n })).toBe(otherExit)
  expect(await says({ exit_time: BigInt(END - 1) })).toBe(otherExit)
  // Each of the terms counts.
  expect(await says({ side: 'Sell' })).toBe('is Won, but the tape gives Lost')
  expect(await says({ stake: usd(100n) })).toBe('paid 1750, but the tape gives 175')
  expect(await says({ percent: 12 })).toBe('paid 1750, but the tape gives 1120')
  expect(await says({ trade_time: BigInt(TRADED_AT + 1) })).toBe('is Won, but the tape gives Void')
  expect(await says({ end_time: BigInt(END - 1) })).toBe('is Won, but the tape gives Void')
  expect(await says({ source_kind: 1 })).toBe('is Won, but the tape gives Void')

  const nothing = (await tradeOf(database.db, 1n, voided!.id))!
  const silent = (changes: Partial<typeof row>) => replayTrade(database.db, { ...nothing, ...changes }, readerOf([]))
  expect(await silent({})).toBeUndefined()
  expect(await silent({ entry_seq: 1n })).toBe(otherEntry)
  expect(await silent({ entry_price: 1n })).toBe(otherEntry)
  expect(await silent({ entry_time: 1n })).toBe(otherEntry)
  expect(await silent({ exit_seq: 1n })).toBe(otherExit)

  // The source's changes are the symbol's own.
  await sql`insert into tape_kinds (symbol_id, source_ms, kind) values (2, ${TRADED_AT + 30_000}, 0)`.execute(
    database.db,
  )
  expect(await says({})).toBeUndefined()
  await sql`insert into tape_kinds (symbol_id, source_ms, kind) values (1, ${TRADED_AT + 30_000}, 0)`.execute(
    database.db,
  )
  expect(await says({})).toBe('is Won, but the tape gives Void')
})

test('all settled trades are replayed, with the voids of two operators, and no open one', async () => {
  const database = await testDatabase()
  const reason = 'A wrong price.'
  const [, byOperators, alsoByOperators] = await storeTrades(
    database,
    { status: 'Won', reason: REASON.above },
    { status: 'Void', reason: voidedReason(reason), entry: 1 },
    { status: 'Void', reason: voidedReason(reason) },
    { status: 'Won', reason: REASON.above },
    {},
  )
  const client = await connectTo(database.superUrl)
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into trade_voids (trade_id, reason, entered) values (${byOperators!.id}, $1, true), (${alsoByOperators!.id}, $1, false)`,
    [reason],
  )
  await client.end()
  const looked: number[] = []
  const replayed = () =>
    replayOutcomes(
      database.db,
      () => readerOf([ENTRY, EXIT]),
      (n) => looked.push(n),
    )
  expect(await replayed()).toEqual({ checked: 4, dropped: 0 })
  expect(looked).toEqual([4])
  const row = (await tradeOf(database.db, 1n, byOperators!.id))!
  expect(await replayTrade(database.db, row, readerOf([ENTRY, EXIT]))).toBeUndefined()
  const [forged] = await storeTrades(database, { status: 'Lost', reason: REASON.below })
  expect(await replayed()).toEqual({
    checked: 4,
    dropped: 0,
    divergence: { id: forged!.id, says: 'is Lost, but the tape gives Won' },
  })
})
