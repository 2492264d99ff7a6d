import { expect, onTestFinished, test, vi } from 'vitest'
import { instrument } from '#tests/support/prices/instruments.ts'
import { accountOf } from '../../ledger/index.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { createLog } from '../../platform/process/log.ts'
import type { TradesChanged } from '../notices/push-trades.ts'
import type { TradingObserver } from '../observer.ts'
import { SETTLE_BATCH } from './rounds/lanes.ts'
import { startSettlement } from './settle-trades.ts'

type Deps = Parameters<typeof startSettlement>[0]

/** The state machine of settlement on connections and a tape that the test plays; the statements have their own tests. */
const AT = 1_790_000_000_000
/** Soon, even on a busy machine. */
const SOON = { timeout: 60_000, interval: 2 }
const rowOf = (id: bigint, user = id) => ({
  id,
  account_id: accountOf(user, 'demo'),
  trade_time: BigInt(AT),
  entry_time: BigInt(AT + 1),
  end_time: BigInt(AT + 60_000),
})

type Answer = Record<string, unknown>[] | Error

async function openScene(
  options: {
    observer?: TradingObserver
    waiting?: boolean
    anyOpen?: boolean
    full?: boolean
    failsFirst?: boolean
  } = {},
) {
  const statements: { name: string; values: unknown[]; by: string }[] = []
  const scene = {
    newest: new Map<string, number>(),
    proven: new Map<string, number>([['BTCUSDT', AT + 5.7]]),
    /** What each statement answers, by its name; without, no rows. */
    answers: new Map<string, (values: unknown[], call: number) => Answer | Promise<Answer>>(),
    changed: [] as TradesChanged[],
    /** The settling statements: of trades that have just ended, or of all. */
    forms: [] as { name: string; by: string }[],
    begun: 0,
    of: (name: string) => statements.filter((one) => one.name === name),
  }
  scene.answers.set('unentered', () =>
    options.waiting ? [{ symbol_id: 1, oldest: BigInt(AT), newest: BigInt(AT) }] : [],
  )
  scene.answers.set('write_entries', ([, limit], call) =>
    options.full && call === 1 ? Array.from({ length: Number(limit) }, (_, n) => ({ id: BigInt(n) })) : [],
  )
  if (options.failsFirst) scene.answers.set('settle_proven', (_, call) => (call <= 2 ? failure('57014') : []))
  scene.answers.set('any_open', () => [{ open: options.anyOpen ?? true }])
  const connection = (by: string): Connection => ({
    async run<T>(given: string, _text: string, values: unknown[]) {
      if (given.startsWith('settle_')) scene.forms.push({ name: given, by })
      const name = given === 'settle_recent' ? 'settle_proven' : given
      statements.push({ name, values, by })
      const answer = (await scene.answers.get(name)?.(values, scene.of(name).length)) ?? []
      if (answer instanceof Error) throw answer
      return answer as T[]
    },
    close: async () => undefined,
  })
  const listed = [
    instrument({ id: 1, symbol: 'BTCUSDT' }),
    instrument({ id: 2, symbol: 'XAUUSD', tradingType: null }),
    instrument({ id: 3, symbol: 'ETHUSDT' }),
  ]
  const deps: Deps = {
    connections: [connection('first'), connection('second')],
    busyConnection: connection('busy'),
    entryConnection: connection('entries'),
    tape: {
      latest: (symbol: string) => (scene.newest.has(symbol) ? { sourceMs: scene.newest.get(symbol)! } : undefined),
      provenUntil: (symbol: string) => scene.proven.get(symbol) ?? -1,
    } as Deps['tape'],
    clock: { now: () => AT + 300_000.5 },
    instruments: {
      current: () => listed,
      byId: (id: number) => listed.find((one) => one.id === id),
    },
    log: createLog('silent'),
    changed: (event) => scene.changed.push(event),
    observer: options.observer,
    begin: () => {
      scene.begun++
    },
  }
  const settlement = startSettlement(deps)
  onTestFinished(() => settlement.stop())
  /** Waits until this many statements of a name have been sent since now. */
  const sent = (name: string, more: number) => {
    const before = scene.of(name).length
    return vi.waitUntil(() => scene.of(name).length >= before + more, SOON)
  }
  return Object.assign(scene, { settlement, sent })
}

const failure = (code: string) => Object.assign(new Error(code), { code })

test('each worker settles its share of the users, of all traded symbols, as far as each is proven', async () => {
  const scene = await openScene()
  await expect.poll(() => scene.of('settle_proven').length).toBeGreaterThanOrEqual(2)
  const [first, second] = scene.of('settle_proven')
  expect([first, second]).toEqual([
    { name: 'settle_proven', by: 'first', values: ['{1,3}', `{${AT + 5},0}`, SETTLE_BATCH, 2, 0, '{}', false] },
    { name: 'settle_proven', by: 'second', values: ['{1,3}', `{${AT + 5},0}`, SETTLE_BATCH, 2, 1, '{}', false] },
  ])
})

test('after its first round, a worker looks only at trades that have just ended', async () => {
  const scene = await openScene()
  scene.settlement.frame()
  const formsOf = (worker: string) => scene.forms.filter(({ by }) => by === worker).map(({ name }) => name)
  await expect.poll(() => formsOf('first').length).toBeGreaterThanOrEqual(3)
  expect(formsOf('first').slice(0, 3)).toEqual(['settle_proven', 'settle_recent', 'settle_recent'])
})

test('after a pause of the tape, a worker looks at all trades at once', async () => {
  const scene = await openScene()
  const forms = () => scene.forms.filter(({ by }) => by === 'first').map(({ name }) => name)
  scene.settlement.frame()
  await expect.poll(forms).toContain('settle_recent')
  const before = forms().length
  scene.proven.set('BTCUSDT', AT + 90_000)
  scene.settlement.frame()
  await expect.poll(() => forms().length).toBeGreaterThanOrEqual(before + 3)
  // One round may have been under way.
  const next = forms().slice(before, before + 3)
  expect(next.filter((name) => name === 'settle_proven')).toHaveLength(1)
})

test('a round that fails looks at all trades again', async () => {
  const scene = await openScene({ failsFirst: true })
  scene.settlement.frame()
  const failed = () => scene.forms.filter(({ by }) => by === scene.forms[0]!.by).map(({ name }) => name)
  await expect.poll(() => failed().length).toBeGreaterThanOrEqual(3)
  expect(failed().slice(0, 3)).toEqual(['settle_proven', 'settle_proven', 'settle_recent'])
})

test('a full batch is followed by the next at once, and its owners are named once each', async () => {
  const calls: unknown[] = []
  const observer: TradingObserver = {
    accepted: () => undefined,
    rejected: () => undefined,
    settled: (trades, tookMs) => calls.push([trades.length, trades[0], tookMs >= 0 && tookMs < 1_000]),
  }
  const full = Array.from({ length: SETTLE_BATCH }, (_, n) => rowOf(BigInt(n), BigInt(n % 10)))
  const scene = await openScene({ observer, anyOpen: false })
  scene.answers.set('settle_proven', (values) => {
    if (values[4] !== 0 || scene.changed.length > 1) return []
    if (scene.changed.length > 0) return full.slice(0, 3)
    scene.proven.set('BTCUSDT', AT + 99)
    return full
  })
  scene.settlement.opened({ symbolId: 1, tradeTime: AT * 2 })
  await vi.waitUntil(() => scene.changed.length === 2, SOON)
  expect(scene.changed.map(({ tradeIds, userIds }) => [tradeIds.length, userIds])).toEqual([
    [SETTLE_BATCH, Array.from({ length: 10 }, (_, n) => BigInt(n))],
    [3, [0n, 1n, 2n]],
  ])
  // Not in another round, which would ask the tape again.
  const [last, before] = scene
    .of('settle_proven')
    .filter(({ by }) => by === 'first')
    .reverse()
  expect(last!.values[1]).toBe(before!.values[1])
  expect(calls).toEqual([
    [SETTLE_BATCH, { id: 0n, tradeTime: AT, entryTime: AT + 1, endTime: AT + 60_000 }, true],
    [3, { id: 0n, tradeTime: AT, entryTime: AT + 1, endTime: AT + 60_000 }, true],
  ])
})

test('a worker whose statement hangs does not hold up the other', async () => {
  const scene = await openScene()
  scene.answers.set('settle_proven', (values) => (values[4] === 0 ? new Promise<Answer>(() => undefined) : []))
  const rounds = (worker: number) => scene.of('settle_proven').filter(({ values }) => values[4] === worker).length
  scene.settlement.frame()
  await vi.waitUntil(() => rounds(0) === 2, SOON)
  for (let more = rounds(1) + 3; rounds(1) < more; ) {
    scene.settlement.frame()
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  expect(rounds(0)).toBe(2)
  // The scene's connection never answers: nothing to wait for at the end.
  scene.settlement.stop = async () => undefined
})

test("a locked account's trades are tried in a lane of their own, until it is free", async () => {
  const scene = await openScene()
  const locked = accountOf(7n, 'demo')
  const busyRow = { id: null, account_id: locked, symbol_id: 1, trade_time: BigInt(AT) }
  let isLocked = true
  scene.answers.set('settle_proven', (values) => {
    const [accounts, onlyThese] = values.slice(5)
    if (values[4] !== 0) return []
    if (onlyThese) return isLocked ? [busyRow] : [rowOf(9n, 7n)]
    if (accounts === '{}' && isLocked) return [rowOf(1n, 1n), busyRow]
    return []
  })
  scene.settlement.frame()
  // Others settle at once; the worker leaves the account out, and the lane takes only that one.
  await vi.waitUntil(() => scene.of('settle_proven').filter(({ by }) => by === 'busy').length >= 3, SOON)
  expect(scene.changed[0]).toEqual({ tradeIds: [1n], userIds: [1n] })
  const statements = scene.of('settle_proven')
  for (const { by, values } of statements)
    if (by === 'busy') expect(values.slice(3)).toEqual([1, 0, `{${locked}}`, true])
  expect(statements.findLast(({ by }) => by === 'first')!.values.slice(5)).toEqual([`{${locked}}`, false])
  isLocked = false
  await vi.waitUntil(() => scene.changed.some(({ tradeIds }) => tradeIds[0] === 9n), SOON)
  // It is the workers' again.
  const before = scene.of('settle_proven').length
  scene.settlement.frame()
  await vi.waitUntil(() => scene.of('settle_proven').length > before, SOON)
  expect(scene.of('settle_proven').at(-1)!.values.slice(5)).toEqual(['{}', false])
})

test('a trade without an entry whose account is locked is looked at again', async () => {
  const scene = await openScene({ waiting: true })
  scene.answers.set('void_unentered', (_, call) =>
    call === 1
      ? [{ id: null, account_id: 2n, symbol_id: 1, trade_time: BigInt(AT) }]
      : [{ ...rowOf(1n), entry_time: null }],
  )
  scene.proven.set('BTCUSDT', AT + 30_000)
  scene.settlement.frame()
  await vi.waitUntil(() => scene.changed.length === 1, SOON)
  expect(voids(scene)).toEqual(Array(2).fill(['{1}', `{${AT}}`, `{${AT + 30_000}}`]))
  // Nothing was read again for it.
  expect(scene.of('unentered')).toHaveLength(1)
})

test('a deadlock is retried at once, five times in all; another error waits for the next round', async () => {
  const scene = await openScene()
  await scene.sent('settle_proven', 4)
  let fails = 0
  scene.answers.set('settle_proven', (values) => {
    if (values[4] !== 0) return []
    fails++
    return fails <= 4 ? failure('40P01') : fails === 5 ? [rowOf(7n)] : []
  })
  scene.settlement.frame()
  await vi.waitUntil(() => scene.changed.length === 1, SOON)
  expect(scene.changed[0]).toEqual({ tradeIds: [7n], userIds: [7n] })
  const deadlocks: number[] = []
  scene.answers.set('settle_proven', (values) => {
    if (values[4] !== 0 || deadlocks.length === 6) return []
    deadlocks.push(performance.now())
    return failure('40P01')
  })
  await vi.waitUntil(() => deadlocks.length === 6, SOON)
  // The sixth is the next round's, after a pause.
  expect(deadlocks[4]! - deadlocks[0]!).toBeLessThan(100)
  expect(deadlocks[5]! - deadlocks[4]!).toBeGreaterThan(100)
  const began = performance.now()
  let tries = 0
  scene.answers.set('settle_proven', (values) => {
    if (values[4] !== 0) return []
    tries++
    return failure('42P01')
  })
  await vi.waitUntil(() => tries === 2, SOON)
  expect(performance.now() - began).toBeGreaterThan(100)
})

/** The symbols, from which trade on, and up to which proven time trades without an entry were voided. */
const voids = (scene: { of(name: string): { values: unknown[] }[] }) =>
  scene.of('void_unentered').map(({ values }) => values)

test('a trade whose symbol has a tick after it is not looked at for an entry', async () => {
  const scene = await openScene({ waiting: true })
  scene.settlement.opened({ symbolId: 1, tradeTime: AT + 10 })
  scene.settlement.opened({ symbolId: 99, tradeTime: AT })
  scene.newest.set('BTCUSDT', AT + 11)
  scene.proven.set('BTCUSDT', AT + 9_999)
  scene.settlement.frame()
  await scene.sent('settle_proven', 4)
  scene.proven.set('BTCUSDT', AT + 50_000)
  scene.settlement.frame()
  await scene.sent('settle_proven', 4)
  expect(voids(scene)).toEqual([])
})

test('a trade without a tick for ten seconds is void, once that is proven', async () => {
  const calls: unknown[] = []
  const observer: TradingObserver = {
    accepted: () => undefined,
    rejected: () => undefined,
    settled: (trades) => calls.push(trades.map(({ id, entryTime }) => [id, entryTime])),
  }
  const scene = await openScene({ observer, waiting: true })
  scene.settlement.opened({ symbolId: 1, tradeTime: AT + 1 })
  scene.settlement.opened({ symbolId: 3, tradeTime: AT + 1 })
  // A tick of the trade's own time isn't after it.
  scene.newest.set('BTCUSDT', AT + 1)
  scene.answers.set('void_unentered', () => [{ ...rowOf(1n), entry_time: null }])
  scene.proven.set('BTCUSDT', AT + 10_000.9)
  scene.settlement.frame()
  await vi.waitUntil(() => scene.changed.length === 1, SOON)
  expect(voids(scene)).toEqual([['{1}', `{${AT}}`, `{${AT + 10_000}}`]])
  expect(scene.of('void_unentered')[0]!.by).toBe('entries')
  expect(scene.changed).toEqual([{ tradeIds: [1n], userIds: [1n] }])
  expect(calls).toEqual([[[1n, undefined]]])
  // The next tick is too late for the other trade, which the database decides; then nothing is left to look at.
  scene.newest.set('BTCUSDT', AT + 10_002)
  scene.proven.set('BTCUSDT', AT + 10_001)
  scene.answers.set('void_unentered', () => [rowOf(2n)])
  scene.settlement.frame()
  await vi.waitUntil(() => scene.changed.length === 2, SOON)
  expect(voids(scene)[1]).toEqual(['{1}', `{${AT + 1}}`, `{${AT + 10_001}}`])
  scene.proven.set('BTCUSDT', AT + 90_000)
  scene.settlement.frame()
  await scene.sent('settle_proven', 4)
  expect(voids(scene)).toHaveLength(2)
})

test('after a round that failed, trades that may be without entry are read again', async () => {
  const scene = await openScene({ waiting: true })
  let fails = 1
  scene.answers.set('void_unentered', () => (fails-- > 0 ? failure('08006') : [rowOf(1n)]))
  scene.proven.set('BTCUSDT', AT + 10_000)
  scene.settlement.frame()
  await vi.waitUntil(() => scene.changed.length === 1, SOON)
  expect(scene.of('unentered')).toHaveLength(2)
})

test('entries of trades that have been open for five minutes are written, a full statement followed by the next', async () => {
  const scene = await openScene()
  expect(scene.of('write_entries').map(({ values, by }) => [by, values])).toEqual([['entries', [AT, 5_000]]])
  const other = await openScene({ anyOpen: false, full: true })
  await vi.waitUntil(() => other.of('write_entries').length === 2, SOON)
})

test('rests once no trade is open, and begins again with the news of one', async () => {
  const scene = await openScene({ anyOpen: false })
  await vi.waitUntil(() => !scene.settlement.mayHaveOpen(), SOON)
  // The open stakes of symbols were counted once more after the last trade.
  expect(scene.of('recount_symbols')).toHaveLength(1)
  const rounds = scene.of('settle_proven').length
  scene.settlement.frame()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(scene.of('settle_proven')).toHaveLength(rounds)
  expect(scene.begun).toBe(0)
  scene.settlement.opened({ symbolId: 1, tradeTime: AT })
  expect([scene.settlement.mayHaveOpen(), scene.begun]).toEqual([true, 1])
  scene.settlement.opened({ symbolId: 1, tradeTime: AT })
  expect(scene.begun).toBe(1)
  await vi.waitUntil(() => scene.of('settle_proven').length > rounds, SOON)
})

test('when other nodes may have accepted trades unheard, they are read, and settlement begins', async () => {
  const scene = await openScene({ anyOpen: false })
  await vi.waitUntil(() => !scene.settlement.mayHaveOpen(), SOON)
  scene.answers.set('unentered', () => [{ symbol_id: 1, oldest: BigInt(AT + 5), newest: BigInt(AT + 7) }])
  scene.proven.set('BTCUSDT', AT + 20_000)
  scene.settlement.reload()
  await vi.waitUntil(() => voids(scene).length === 1, SOON)
  expect(voids(scene)).toEqual([['{1}', `{${AT + 5}}`, `{${AT + 20_000}}`]])
  expect([scene.settlement.mayHaveOpen(), scene.begun]).toEqual([true, 1])
})
