import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { accountOf } from '#server/ledger/index.ts'
import { FAULTS } from './faults/index.ts'
import { type Journal, openJournal } from './journal.ts'
import { START_CENTS } from './people.ts'
import { applyFailure, readPatches } from './planted.ts'
import { salesMissing, tradesMissing, waitingMissing } from './verifier/acknowledged.ts'
import { balancesWrong } from './verifier/balances.ts'
import { decide, type StoredSale, type StoredTrade, type StoredWaiting } from './verifier/outcomes.ts'

/** Tests the checks of `npm run faults` without the product: each must find what it exists for. */
const people = { traders: [{ userId: 7n, email: '', password: '' }], operators: [] }
const REAL = accountOf(7n, 'real')
const order = { kind: 'trade', trader: 0, mode: 'real', symbol: 'BTCUSDT', side: 'Buy', cents: 250 } as const

const stored: StoredTrade = {
  id: 900n,
  key: 'a',
  account_id: REAL,
  mode: 'real',
  symbol_id: 3,
  source_kind: 2,
  stale_after_ms: 10_000,
  side: 'Buy',
  percent: 75,
  stake: 250n,
  trade_time: 100_000n,
  end_time: 160_000n,
  status: 'Pending',
  payout: null,
  settled_ms: null,
}

function journalWith(outcome: Journal['entries'][number]['outcome']): Journal {
  const journal = openJournal()
  journal.add('a', order).outcome = outcome
  return journal
}
const accepted = journalWith({ kind: 'acknowledged', id: publicId(900n) })
const missing = (journal: Journal, ...trades: StoredTrade[]) => tradesMissing(journal, people, trades, new Set())

describe('acknowledged trades', () => {
  test('pass if they exist as acknowledged', () => {
    expect(missing(accepted, stored)).toEqual([])
  })

  test.each([
    ['lost', [], /doesn't exist/],
    ['doubled', [stored, { ...stored, id: 901n }], /has 2 trades/],
    ['stored with another stake', [{ ...stored, stake: 251n }], /for 250 cents and has 251/],
    ['stored with another side', [{ ...stored, side: 'Sell' as const }], /other terms/],
    ["stored on someone else's account", [{ ...stored, account_id: 4n }], /other terms/],
    ['stored with another id', [{ ...stored, id: 901n }], /was acknowledged as .* and is/],
    ['stored again without a key', [stored, { ...stored, id: 901n, key: null }], /has no key/],
    ['never requested', [stored, { ...stored, id: 901n, key: 'b' }], /nobody asked for b/],
  ])('that are %s are found', (_what, trades, says) => {
    expect(missing(accepted, ...trades)[0]).toMatch(says)
  })

  test('reports a rejected trade that exists', () => {
    const rejected = journalWith({ kind: 'rejected', status: 422, code: 'insufficient_balance' })
    expect(missing(rejected)).toEqual([])
    expect(missing(rejected, stored)[0]).toMatch(/was rejected .* and exists/)
  })
})

describe('acknowledged orders to sell', () => {
  const sold: StoredSale = { trade_id: 900n, account_id: REAL, at: 112_000n, minimum: 1n, outcome: 'sold' }
  const trade = { ...stored, status: 'Sold', payout: 200n }
  const journal = openJournal()
  journal.add('a', order).outcome = { kind: 'acknowledged', id: publicId(900n) }
  journal.add('s', { kind: 'sell', trader: 0, of: 0, cents: 1 }).outcome = {
    ...{ kind: 'acknowledged', id: `${publicId(900n)} ${new Date(112_000).toISOString()}` },
  }

  test('pass if they exist as acknowledged', () => {
    expect(salesMissing(journal, { sales: [sold], trades: [trade] })).toEqual([])
    expect(salesMissing(journal, { sales: [{ ...sold, outcome: null }], trades: [stored] })).toEqual([])
  })

  test.each([
    ['lost', [], stored, /doesn't exist/],
    ['stored with another minimum', [{ ...sold, minimum: 2n }], trade, /for 1 cents has 2/],
    ['stored again', [sold, { ...sold, at: 113_000n, outcome: 'unsold' as const }], trade, /nobody asked for order/],
    ['sold while their trade settles', [sold], { ...trade, status: 'Lost' }, /was sold and is Lost/],
    ['left behind', [{ ...sold, outcome: null }], { ...trade, status: 'Lost' }, /stays undecided/],
  ])('that are %s are found', (_what, sales, trade, says) => {
    expect(salesMissing(journal, { sales, trades: [trade] })[0]).toMatch(says)
  })

  test('reports a trade that is sold without an order', () => {
    expect(salesMissing(openJournal(), { sales: [], trades: [trade] })[0]).toMatch(/Sold without an order/)
  })
})

describe('acknowledged waiting orders', () => {
  const journal = openJournal()
  journal.add('w', { ...order, kind: 'wait', at: 90_000 }).outcome = { kind: 'acknowledged', id: '4' }
  const waiting: StoredWaiting = {
    ...{ id: 4n, account_id: REAL, side: 'Buy', stake: 250n, at_ms: 90_000n, status: 'Traded', trade_id: 900n },
  }
  const trade = { ...stored, key: 'waiting:4' }
  const found = (orders: StoredWaiting[], trades: StoredTrade[], head = 100_000) =>
    waitingMissing(journal, people, { orders, trades, head })

  test('pass if they exist as acknowledged, with a trade each once they have traded', () => {
    expect(found([waiting], [trade])).toEqual([])
    expect(found([{ ...waiting, status: 'Waiting', trade_id: null }], [])).toEqual([])
    expect(tradesMissing(journal, people, [trade], new Set())).toEqual([])
  })

  test.each([
    ['lost', [], [], /doesn't exist/],
    ['stored with another stake', [{ ...waiting, stake: 251n }], [trade], /other terms/],
    ['stored twice', [waiting, { ...waiting, id: 5n, status: 'Waiting', trade_id: null }], [trade], /nobody asked/],
    ['traded twice', [waiting], [trade, { ...trade, id: 901n }], /has 2 trades/],
    ['traded without a trade', [waiting], [], /has trade 900, not undefined/],
    ['traded on another side', [waiting], [{ ...trade, side: 'Sell' as const }], /trade with other terms/],
  ])('that are %s are found', (_what, orders, trades, says) => {
    expect(found(orders, trades)[0]).toMatch(says)
  })

  test('reports one that is still open long after its time', () => {
    expect(found([{ ...waiting, status: 'Triggered', trade_id: null }], [], 180_001)[0]).toMatch(
      /is Triggered 90001 ms/,
    )
  })
})

describe('balances', () => {
  const accounts = (balance: bigint, escrow = 0n, hold = 0n) =>
    new Map([
      [REAL, { balance, escrow, hold }],
      [accountOf(7n, 'demo'), { balance: START_CENTS.demo, escrow: 0n, hold: 0n }],
    ])
  const won = { ...stored, status: 'Won' }
  const verdicts = new Map([[900n, { status: 'Won', payout: 438n }]])

  test('follow from the journal and the tape', () => {
    const pending = { trades: [stored], verdicts: new Map() }
    expect(balancesWrong(accepted, people, { ...pending, accounts: accounts(START_CENTS.real - 250n, 250n) })).toEqual(
      [],
    )
    const settled = { trades: [won], verdicts }
    expect(balancesWrong(accepted, people, { ...settled, accounts: accounts(START_CENTS.real + 188n) })).toEqual([])
  })

  test.each([
    ['a stake taken twice', accounts(START_CENTS.real - 500n, 250n), [stored]],
    ['a missing payout', accounts(START_CENTS.real - 250n), [won]],
    ['a stake that stays in escrow', accounts(START_CENTS.real + 188n, 250n), [won]],
  ])('show %s', (_what, held, trades) => {
    expect(balancesWrong(accepted, people, { trades, verdicts, accounts: held })).not.toEqual([])
  })

  test('show a cancelled withdrawal whose money stays on hold', () => {
    const journal = openJournal()
    const requested = journal.add('w', { kind: 'withdraw', trader: 0, cents: 1_000 })
    requested.outcome = { kind: 'acknowledged', id: 'x' }
    journal.add('c', { kind: 'cancel', trader: 0, of: requested.n }).outcome = { kind: 'acknowledged', id: 'x' }
    const none = { trades: [], verdicts: new Map() }
    expect(balancesWrong(journal, people, { ...none, accounts: accounts(START_CENTS.real) })).toEqual([])
    expect(
      balancesWrong(journal, people, { ...none, accounts: accounts(START_CENTS.real - 1_000n, 0n, 1_000n) }),
    ).toHaveLength(2)
  })
})

describe('planted bugs', () => {
  const patches = readPatches()
  test('are at least twenty, each with a description and the faults that reveal it', () => {
    expect(patches.length).toBeGreaterThanOrEqual(20)
    for (const { name, says, faults } of patches) {
      expect(says, name).toMatch(/^[A-Z].{20,150}\.$/)
      expect(faults, name).not.toEqual([])
      for (const fault of faults) expect(FAULTS.map((one) => one.name)).toContain(fault)
    }
  })

  test('reports a patch that no longer applies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cleartick-patch-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    expect(applyFailure(patches[0]!)).toBeUndefined()
    const file = join(folder, 'stale.patch')
    writeFileSync(file, readFileSync(patches[0]!.file, 'utf8').replaceAll(/^ (?=\S| )/gm, ' changed'))
    expect(applyFailure({ ...patches[0]!, file })).toMatch(/does not apply/)
  })
})

describe('outcomes', () => {
  const tick = (sourceMs: number, price: number, kind = 2) => ({ sourceMs, price: BigInt(price), kind })
  test.each([
    [
      'the first tick after the trade and the last one before its end',
      [
        [100_000, 9],
        [100_001, 5],
        [160_000, 6],
        [160_001, 4],
      ],
      'Won',
      438n,
    ],
    [
      'a lower exit',
      [
        [100_500, 5],
        [159_000, 4],
      ],
      'Lost',
      0n,
    ],
    [
      'an equal exit',
      [
        [100_500, 5],
        [159_000, 5],
      ],
      'Draw',
      250n,
    ],
    [
      'no tick within 10 s',
      [
        [110_001, 5],
        [159_000, 6],
      ],
      'Void',
      250n,
    ],
    [
      'a stale exit',
      [
        [100_500, 5],
        [149_999, 6],
      ],
      'Void',
      250n,
    ],
    ['only an entry', [[155_000, 5]], 'Void', 250n],
    [
      'another source',
      [
        [100_500, 5],
        [120_000, 5, 0],
        [159_000, 6],
      ],
      'Void',
      250n,
    ],
  ])('%s', (_what, ticks, status, payout) => {
    expect(
      decide(
        stored,
        ticks.map(([ms, price, kind]) => tick(ms!, price!, kind)),
      ),
    ).toEqual({ status, payout })
  })

  const path = [tick(100_500, 6_000_000), tick(112_500, 6_001_000), tick(159_000, 5_999_000)]
  const sale = { at: 112_000n, minimum: 1n, variance: 250_000 ** 2 }
  test('an order to sell, at the first price after it', () => {
    const { status, payout } = decide(stored, path, [sale])
    expect(status).toBe('Sold')
    // The stake is 250, and a win pays 438 less 18.
    expect(payout).toBeGreaterThan(250n)
    expect(payout).toBeLessThanOrEqual(420n)
    expect(decide(stored, path, [{ ...sale, minimum: payout }])).toEqual({ status: 'Sold', payout })
    expect(decide(stored, path, [{ ...sale, minimum: 421n }, sale]), 'the first that sells').toEqual({
      ...{ status: 'Sold', payout },
    })
  })

  test.each([
    ['more than it is worth', { ...sale, minimum: 421n }, path],
    ['a symbol without a variance', { ...sale, variance: undefined }, path],
    ['no price within ten seconds', { ...sale, at: 102_000n }, path],
    ['a price in the first ten seconds', { ...sale, at: 101_000n }, path.with(1, tick(109_999, 6_001_000))],
    ['a price in the last ten seconds', { ...sale, at: 149_000n }, path.with(1, tick(150_001, 6_001_000))],
  ])('an order to sell for %s, which leaves the trade alone', (_what, order, ticks) => {
    expect(decide(stored, ticks, [order])).toEqual({ status: 'Lost', payout: 0n })
  })
})
