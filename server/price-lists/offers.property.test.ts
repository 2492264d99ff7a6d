import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { DURATIONS, percentOf, type StrikeRate, strikeRateFor, TRADE_SIDES, TRADING_TYPES } from '#contract/terms.ts'
import {
  changeAfter,
  EVERY_DAY,
  leastPercent,
  offerAt,
  type PriceListDocument,
  pairsAt,
  pairsEver,
} from '#contract/trading/offers.ts'
import { PriceListDocument as Schema } from '#contract/trading/price-lists.ts'
import { DAY_MS, HOUR_MS } from '#kernel/time.ts'
import { SEED } from '#tests/support/property.ts'
import { createTestDatabase } from '#tests/support/servers/database.ts'
import { sql } from '../platform/database/db.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const pair = fc
  .tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }))
  .map(([buy, sell]) => `${buy}/${sell}` as StrikeRate)
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'EURUSD']
const rule = fc
  .record({
    symbols: fc.subarray(SYMBOLS, { maxLength: 2 }),
    group: fc.option(fc.constantFrom(...TRADING_TYPES), { nil: null }),
    durations: fc.subarray([...DURATIONS].slice(0, 4)),
    days: fc.subarray([...EVERY_DAY], { minLength: 1 }),
    from_hour: fc.integer({ min: 0, max: 23 }),
    to_hour: fc.integer({ min: 1, max: 24 }),
    list: fc.integer({ min: 1, max: 3 }),
  })
  .filter(({ symbols, group, from_hour, to_hour }) => (symbols.length === 0 || group === null) && from_hour !== to_hour)
const documents: fc.Arbitrary<PriceListDocument> = fc.record({
  lists: fc.array(
    fc.record({ name: fc.constant('A list'), pairs: fc.uniqueArray(pair, { minLength: 1, maxLength: 3 }) }),
    { minLength: 3, maxLength: 4 },
  ),
  rules: fc.array(rule, { maxLength: 6 }),
})
const moments = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
const wanted = fc.record({
  symbol: fc.constantFrom(...SYMBOLS),
  tradingType: fc.constantFrom(...TRADING_TYPES),
  duration: fc.constantFrom(...DURATIONS.slice(0, 5)),
})

test('the database offers the same pairs as the code, whatever the document, symbol, duration and time', async () => {
  await fc.assert(
    fc.asyncProperty(
      documents,
      fc.array(fc.tuple(wanted, moments), { minLength: 1, maxLength: 20 }),
      async (document, asked) => {
        expect(Schema.parse(document)).toEqual(document)
        const { rows } = await sql<{ form: boolean; pairs: StrikeRate[] }>`
        select is_price_list_document(${JSON.stringify(document)}) as form,
          offered_pairs(${JSON.stringify(document)}, a.symbol, a.type, a.duration, a.at) as pairs
        from unnest(${asked.map(([{ symbol }]) => symbol)}::text[], ${asked.map(([{ tradingType }]) => tradingType)}::text[],
          ${asked.map(([{ duration }]) => duration)}::int[], ${asked.map(([, at]) => at)}::bigint[]) with ordinality
          as a(symbol, type, duration, at, n) order by a.n`.execute(database.db)
        expect(rows.map(({ form }) => form)).toEqual(asked.map(() => true))
        expect(rows.map(({ pairs }) => pairs)).toEqual(asked.map(([one, at]) => pairsAt(document, one, at)))
      },
    ),
    { seed: SEED, numRuns: 200 },
  )
})

test('the next change within a day is the first moment with other pairs', () => {
  fc.assert(
    fc.property(
      documents,
      fc.option(documents),
      wanted,
      moments,
      fc.integer({ min: -DAY_MS, max: 2 * DAY_MS }),
      (before, changed, one, at, later) => {
        const after = changed ?? structuredClone(before)
        const versions = [
          { version: 1, document: before, fromMs: 0 },
          { version: 2, document: after, fromMs: at + later },
        ]
        const pairsOf = (ms: number) => offerAt(versions, one, ms).pairs.toSorted().join(' ')
        const nextHour = at - (at % HOUR_MS) + HOUR_MS
        const found = [...Array.from({ length: 24 }, (_, hours) => nextHour + hours * HOUR_MS), at + later]
          .filter((ms) => ms > at && ms <= at + DAY_MS)
          .sort((a, b) => a - b)
          .find((ms) => pairsOf(ms) !== pairsOf(at))
        expect(changeAfter(versions, one, at)).toBe(found)
      },
    ),
    { seed: SEED, numRuns: 2_000 },
  )
})

test('an offer holds from its beginning until its end, and is what was asked for', () => {
  fc.assert(
    fc.property(documents, documents, wanted, moments, moments, (first, second, one, at, change) => {
      const versions = [
        { version: 1, document: first, fromMs: 0 },
        { version: 2, document: second, fromMs: change },
      ]
      const offer = offerAt(versions, one, at)
      expect(offer.fromMs).toBeLessThanOrEqual(at)
      expect(offer.untilMs).toBeGreaterThan(at)
      for (const other of [offer.fromMs, Math.min(offer.untilMs, at + HOUR_MS) - 1])
        expect(offerAt(versions, one, other)).toEqual(offer)
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('no order is paid less than the least percentage, whatever its symbol and time', () => {
  fc.assert(
    fc.property(documents, wanted, moments, (document, { tradingType, symbol, duration }, at) => {
      const offered = pairsAt(document, { tradingType, symbol, duration }, at)
      for (const side of TRADE_SIDES) {
        const paid = percentOf(strikeRateFor('best', side, offered), side)
        for (const symbols of [[], [symbol]])
          expect(leastPercent(document, { symbols, duration }, { choice: 'best', side })).toBeLessThanOrEqual(paid)
      }
    }),
    { seed: SEED, numRuns: 500 },
  )
  const some = night([5])
  const least = (symbols: string[]) => leastPercent(some, { symbols, duration: 60 }, { choice: 'best', side: 'Buy' })
  expect([least([]), least(['BTCUSDT']), least(['ETHUSDT'])]).toEqual([50, 50, 75])
})

/** Two lists: at night, BTCUSDT has the second. */
const night = (days: number[]): PriceListDocument => ({
  lists: [
    { name: 'Day', pairs: ['75/3'] },
    { name: 'Night', pairs: ['50/50'] },
  ],
  rules: [{ symbols: ['BTCUSDT'], group: null, durations: [], days, from_hour: 22, to_hour: 6, list: 2 }],
})
const BTC = { symbol: 'BTCUSDT', tradingType: 'Cryptocurrency', duration: 60 } as const
// A Friday.
const at = (day: number, hour: number, minute = 0) => Date.UTC(2026, 10, 27 + day, hour, minute)

test('a rule over midnight belongs to the UTC day on which it begins', () => {
  const friday = night([5])
  const offered = (ms: number) => pairsAt(friday, BTC, ms)[0]
  expect(offered(at(0, 5, 59)), 'the night of Thursday').toBe('75/3')
  expect(offered(at(0, 21, 59))).toBe('75/3')
  expect(offered(at(0, 22))).toBe('50/50')
  expect(offered(at(1, 5, 59)), 'Saturday morning').toBe('50/50')
  expect(offered(at(1, 6))).toBe('75/3')
  expect(offered(at(1, 22)), 'Saturday night').toBe('75/3')
  expect(pairsAt(friday, { ...BTC, symbol: 'ETHUSDT' }, at(0, 22))[0]).toBe('75/3')
})

test('the first rule that fits decides', () => {
  const document = night([...EVERY_DAY])
  const all = { symbols: [], group: null, durations: [60], days: [...EVERY_DAY], from_hour: 0, to_hour: 24, list: 1 }
  expect(pairsAt({ ...document, rules: [all, ...document.rules] }, BTC, at(0, 23))).toEqual(['75/3'])
  expect(pairsAt({ ...document, rules: [...document.rules, all] }, BTC, at(0, 23))).toEqual(['50/50'])
  expect(pairsAt({ ...document, rules: [{ ...all, list: 2 }] }, { ...BTC, duration: 180 }, at(0, 12))).toEqual(['75/3'])
})

test('a document with a rule for a list that is none, or pairs that are none, is refused', () => {
  const document = night([5])
  expect(Schema.safeParse(document).success).toBe(true)
  const wrong: unknown[] = [
    { ...document, rules: [{ ...document.rules[0], list: 3 }] },
    { ...document, rules: [{ ...document.rules[0], group: 'Cryptocurrency' }] },
    { ...document, rules: [{ ...document.rules[0], to_hour: 22 }] },
    { ...document, lists: [{ name: 'Empty', pairs: [] }] },
    { ...document, lists: [] },
    ...['0/5', '101/5', '5', '5/5/5', '05/5', '1.5/5', ' 5/5', 'best'].map((one) => ({
      ...document,
      lists: [document.lists[0], { name: 'Wrong', pairs: [one] }],
    })),
  ]
  for (const one of wrong) expect(Schema.safeParse(one).success, JSON.stringify(one)).toBe(false)
})

test('what is offered at a moment is among what is ever offered for it, and only rules for it count', () => {
  fc.assert(
    fc.property(documents, wanted, moments, (document, one, at) => {
      const { duration } = one
      for (const symbols of [[], [one.symbol]])
        expect(pairsEver(document, { symbols, duration })).toEqual(
          expect.arrayContaining([...pairsAt(document, one, at)]),
        )
    }),
    { seed: SEED },
  )
  const hourly = { group: null, days: [...EVERY_DAY], from_hour: 0, to_hour: 24, list: 2 }
  const document: PriceListDocument = {
    lists: [
      { name: 'Standard', pairs: ['75/3'] },
      { name: 'Other', pairs: ['80/1'] },
    ],
    rules: [{ ...hourly, symbols: ['ETHUSDT'], durations: [60] }],
  }
  expect(pairsEver(document, { symbols: ['ETHUSDT'], duration: 60 })).toEqual(['75/3', '80/1'])
  expect(pairsEver(document, { symbols: ['BTCUSDT'], duration: 60 })).toEqual(['75/3'])
  expect(pairsEver(document, { symbols: ['ETHUSDT'], duration: 180 })).toEqual(['75/3'])
})
