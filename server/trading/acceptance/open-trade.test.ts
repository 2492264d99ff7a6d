import { expect, test } from 'vitest'
import type { Problem } from '#contract/problem.ts'
import type { StrikeRate } from '#contract/terms.ts'
import { usd } from '#kernel/money.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { accountOf, userOf } from '../../ledger/index.ts'
import type { Tape } from '../../prices/index.ts'
import { DEFAULT_TERMS } from '../../venues/index.ts'
import type { TradingObserver } from '../observer.ts'
import type { TradeRow } from '../store.ts'
import type { Acceptance } from './acceptance.ts'
import { realTradesOf } from './limits/real-trades.ts'
import { type OpenTrade, tradeOpener } from './open-trade.ts'
import type { Accepted, Order } from './order.ts'

const NOW = 1_790_000_000_000
const FIRST = { version: 1, fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER }
const FINGERPRINT = Buffer.alloc(32, 7)

const INSTRUMENTS = [
  instrument({ id: 1, symbol: 'BTCUSDT', staleAfterMs: 9_000 }),
  instrument({ id: 2, symbol: 'XAUUSD', tradingType: null }),
  instrument({ id: 3, symbol: 'EURUSD', tradingType: 'Currencies' }),
  instrument({ id: 90, symbol: 'ADAUSDT' }),
  instrument({ id: 4, symbol: 'LTCUSDT', demoOnly: true }),
]

/** Everything that opening a trade depends on, and what it did. */
function openScene(options: { observer?: TradingObserver } = {}) {
  const scene = {
    agrees: true,
    status: { status: 'open' } as ReturnType<Tape['status']>,
    reopensMs: undefined as number | undefined,
    realTrades: true,
    typicalMove: undefined as number | undefined,
    needsMeasuredMoves: false,
    deepSources: undefined as number | undefined,
    stored: undefined as TradeRow | undefined,
    result: 'accepted' as Acceptance['kind'],
    asked: [] as { symbol: string; at: number }[],
    kinds: [] as number[],
    submitted: [] as Order[],
    opened: [] as Accepted[],
    pairs: ['75/3', '1/61'] as StrikeRate[],
    lookedUp: [] as string[],
    /** Holds the queue's answers back until it is resolved. */
    held: Promise.resolve() as Promise<unknown>,
  }
  let lastId = 100n
  const deps: Parameters<typeof tradeOpener>[0] = {
    instruments: {
      bySymbol: (symbol) => INSTRUMENTS.find((one) => one.symbol === symbol),
    },
    tape: {
      status: () => scene.status,
      closedAt(symbol, at) {
        scene.asked.push({ symbol, at })
        return scene.reopensMs
      },
      kind: () => 2,
      typicalMove: () => scene.typicalMove,
    },
    get needsMeasuredMoves() {
      return scene.needsMeasuredMoves
    },
    priceLists: { offer: () => ({ ...FIRST, pairs: scene.pairs }) },
    clock: { now: () => NOW, agrees: () => scene.agrees },
    queue: {
      async submit(order) {
        scene.submitted.push(order)
        await scene.held
        if (scene.result === 'repeated') return { kind: 'repeated' }
        return { kind: 'accepted', accepted: { order, tradeTime: NOW + 1 } }
      },
      drain: async () => undefined,
    },
    newId: () => ++lastId,
    limits: () => ({ stakeMax: usd(100_000n), limitedSymbols: new Set([1]) }),
    realTradesOn(kind) {
      scene.kinds.push(kind)
      return scene.realTrades
    },
    realTrades: (one) => realTradesOf(one, scene.deepSources),
    async storedUnder(userId, key) {
      scene.lookedUp.push(`${userId} ${key}`)
      return scene.stored
    },
    async fateOf(accountId, key) {
      scene.lookedUp.push(`${userOf(accountId)} ${key}`)
      return scene.stored
    },
    opened: (accepted) => scene.opened.push(accepted),
    observer: options.observer,
  }
  return Object.assign(scene, { open: tradeOpener(deps) })
}

interface Changes extends Partial<Omit<OpenTrade, 'body'>> {
  body?: Partial<OpenTrade['body']>
}
const commandOf = ({ body, ...changes }: Changes = {}): OpenTrade => ({
  userId: 5n,
  body: {
    symbol: 'BTCUSDT',
    trading_type: 'Cryptocurrency',
    trade_mode: 'Sell',
    duration: 300,
    strike_rate: '1/61',
    mode: 'demo',
    ...body,
  },
  stake: usd(1_000n),
  key: undefined,
  fingerprint: FINGERPRINT,
  ...changes,
})

const storedTrade = (fingerprint: Buffer | null) => ({ id: 9n, fingerprint }) as TradeRow
const KEY_USED_BEFORE = {
  code: 'idempotency_mismatch',
  message: 'This Idempotency-Key was already used for a different request. Send a new one.',
}

test.each([
  [4.9, 'BTCUSDT', /BTCUSDT moves too little for real trades/],
  [5, 'BTCUSDT', undefined],
  [undefined, 'BTCUSDT', undefined],
  // It may have been added a moment ago, with too few decimal places.
  [undefined, 'ADAUSDT', /still measuring how much ADAUSDT moves/],
  [5, 'ADAUSDT', undefined],
])('real trades on a price that moves by %s units: %s', async (typicalMove, symbol, refused) => {
  const scene = Object.assign(openScene(), { typicalMove })
  const real = scene.open(commandOf({ body: { symbol, mode: 'real' } }))
  if (refused)
    await expect(real).rejects.toMatchObject({ code: 'price_unavailable', message: expect.stringMatching(refused) })
  else expect(await real).toMatchObject({ accepted: {} })
  expect(await scene.open(commandOf({ body: { symbol } })), 'on demo').toMatchObject({ accepted: {} })
})

test('where real money counts, the first instruments wait for their measured move as well', async () => {
  const scene = Object.assign(openScene(), { needsMeasuredMoves: true })
  const real = () => scene.open(commandOf({ body: { mode: 'real' } }))
  await expect(real()).rejects.toMatchObject({
    code: 'price_unavailable',
    message: expect.stringMatching(/^We're still measuring how much BTCUSDT moves\./),
  })
  expect(await scene.open(commandOf()), 'on demo').toMatchObject({ accepted: {} })
  scene.typicalMove = 5
  expect(await real()).toMatchObject({ accepted: {} })
})

test.each([
  [undefined, 1_000n, undefined],
  [3, 1_000n, undefined],
  // 1,000 USD of depth.
  [2, 2_50n, undefined],
  [2, 2_51n, ['limit_reached', /The market for BTCUSDT is thin .* the most you can stake on it is \$2.50/]],
  [1, 100n, ['price_unavailable', /Only one exchange has a deep enough market for BTCUSDT/]],
  [0, 100n, ['price_unavailable', /No exchange has a deep enough market for BTCUSDT/]],
] as const)('real trades with %s deep sources, of %s cents: %s', async (deepSources, cents, refused) => {
  const scene = Object.assign(openScene(), { deepSources })
  const real = scene.open(commandOf({ stake: usd(cents), body: { mode: 'real' } }))
  if (refused)
    await expect(real).rejects.toMatchObject({ code: refused[0], message: expect.stringMatching(refused[1]) })
  else expect(await real).toMatchObject({ accepted: {} })
  expect(await scene.open(commandOf({ stake: usd(cents) })), 'on demo').toMatchObject({ accepted: {} })
})

test.each([undefined, 3])(
  'a symbol for demo trades only refuses real ones, with %s deep sources',
  async (deepSources) => {
    const scene = Object.assign(openScene(), { deepSources })
    const body = { symbol: 'LTCUSDT', mode: 'real' } as const
    await expect(scene.open(commandOf({ body }))).rejects.toMatchObject({
      code: 'price_unavailable',
      message: 'LTCUSDT is open for demo trades only.',
    })
    expect(await scene.open(commandOf({ body: { symbol: 'LTCUSDT' } })), 'on demo').toMatchObject({ accepted: {} })
  },
)

test('two sources whose depth allows less than the smallest stake allow none', () => {
  const terms = { ...DEFAULT_TERMS, depthUsd: 399 }
  expect(realTradesOf(instrument({ id: 1, symbol: 'BTCUSDT', terms }), 2)).toEqual({
    refused: expect.stringMatching(/^Only two exchanges have a deep enough market for BTCUSDT/),
  })
})

test('an order carries the terms of its symbol and of the request', async () => {
  const scene = openScene()
  const opened = await scene.open(commandOf({ key: 'k', signal: 12n }))
  const order: Order = {
    id: 101n,
    accountId: accountOf(5n, 'demo'),
    symbolId: 1,
    sourceKind: 2,
    staleAfterMs: 9_000,
    side: 'Sell',
    strikeRate: '1/61',
    percent: 61,
    stake: usd(1_000n),
    durationSeconds: 300,
    pressedAt: NOW,
    limited: false,
    offer: FIRST,
    key: 'k',
    fingerprint: FINGERPRINT.subarray(0, 16),
    salt: expect.stringMatching(/^[0-9a-f]{32}$/),
    signal: 12n,
  }
  expect(scene.submitted).toEqual([order])
  expect(opened).toEqual({ accepted: { order, tradeTime: NOW + 1 } })
  expect(scene.opened).toEqual([{ order, tradeTime: NOW + 1 }])
  // It asks about the end of the trade.
  expect(scene.asked).toEqual([{ symbol: 'BTCUSDT', at: NOW + 300_000 }])
})

test('the press counts from the arrival of the request, or from the time that the browser sent if that is earlier', async () => {
  const scene = openScene()
  const second = performance.now() - 1_000
  await scene.open(commandOf())
  await scene.open(commandOf({ arrivedAt: second }))
  await scene.open(commandOf({ arrivedAt: second, body: { pressed_at: NOW - 1_400 } }))
  // A browser whose clock is ahead.
  await scene.open(commandOf({ arrivedAt: second, body: { pressed_at: NOW + 60_000 } }))
  const ages = scene.submitted.map(({ pressedAt }) => NOW - pressedAt)
  expect(ages[0]).toBe(0)
  expect(ages[1]).toBeGreaterThanOrEqual(1_000)
  expect(ages[2]).toBe(1_400)
  expect(ages[3]).toBeGreaterThanOrEqual(1_000)
})

test('only a real trade on a symbol with a limit is limited', async () => {
  const scene = openScene()
  await scene.open(commandOf({ body: { mode: 'real' } }))
  await scene.open(commandOf({ body: { mode: 'real', symbol: 'EURUSD', trading_type: 'Currencies' } }))
  await scene.open(commandOf())
  expect(scene.submitted.map(({ limited, accountId }) => [limited, accountId])).toEqual([
    [true, accountOf(5n, 'real')],
    [false, accountOf(5n, 'real')],
    [false, accountOf(5n, 'demo')],
  ])
  // Demo trades run on prices of any kind.
  expect(scene.kinds).toEqual([2, 2])
})

test.each<[string, Changes, Partial<ReturnType<typeof openScene>>, unknown]>([
  [
    'an unknown symbol',
    { body: { symbol: 'NOPE' } },
    {},
    { code: 'validation_failed', errors: [{ field: 'symbol', message: 'is not traded here' }] },
  ],
  [
    'a symbol that is only displayed',
    { body: { symbol: 'XAUUSD' } },
    {},
    { code: 'validation_failed', errors: [{ field: 'symbol', message: 'is not traded here' }] },
  ],
  [
    'a symbol of another type',
    { body: { trading_type: 'Currencies' } },
    {},
    { code: 'validation_failed', errors: [{ field: 'symbol', message: 'is not one of Currencies' }] },
  ],
  [
    'a stake above the largest',
    { stake: usd(100_001n) },
    {},
    {
      code: 'limit_reached',
      message: 'The most you can stake on one trade is $1,000.00.',
      errors: [{ field: 'amount', message: 'must be at most $1,000.00' }],
    },
  ],
  [
    'clocks that differ',
    {},
    { agrees: false },
    {
      code: 'unavailable',
      message: 'Trading is paused for a moment while we synchronize our clocks. Try again shortly.',
      retryAfterSeconds: 5,
    },
  ],
  [
    'a symbol without a fresh price',
    {},
    { status: { status: 'stale' } },
    { code: 'price_unavailable', message: 'BTCUSDT has no fresh price right now. No trade was placed.' },
  ],
  [
    'a closed symbol, with the reason',
    {},
    { status: { status: 'closed', reason: 'Closed until Monday.' } },
    { code: 'price_unavailable', message: 'Closed until Monday.' },
  ],
  [
    'an end while the market is closed',
    {},
    { reopensMs: Date.UTC(2026, 8, 27, 21) },
    {
      code: 'price_unavailable',
      message:
        'The market closes before this trade would end, and reopens on Sunday at 21:00 UTC. Choose a shorter duration.',
    },
  ],
  [
    'real money on prices that are not live',
    { body: { mode: 'real' } },
    { realTrades: false },
    {
      code: 'price_unavailable',
      message: "Real trading is paused because prices aren't live. You can still trade on demo.",
    },
  ],
])('rejects %s, and submits nothing', async (_, changes, state, problem) => {
  const scene = Object.assign(openScene(), state)
  await expect(scene.open(commandOf(changes))).rejects.toMatchObject(problem as Problem)
  expect(scene.submitted).toEqual([])
  expect(scene.lookedUp).toEqual([])
})

test('the largest stake is allowed', async () => {
  const scene = openScene()
  await scene.open(commandOf({ stake: usd(100_000n) }))
  expect(scene.submitted).toHaveLength(1)
})

test('an order that would now be rejected is answered as it was, if its key belongs to a trade', async () => {
  const scene = openScene()
  scene.agrees = false
  scene.stored = storedTrade(FINGERPRINT.subarray(0, 16))
  expect(await scene.open(commandOf({ key: 'k' }))).toEqual({ stored: scene.stored })
  expect(scene.lookedUp).toEqual(['5 k'])
  scene.stored = storedTrade(Buffer.alloc(16))
  await expect(scene.open(commandOf({ key: 'k' }))).rejects.toMatchObject(KEY_USED_BEFORE)
  scene.stored = storedTrade(null)
  await expect(scene.open(commandOf({ key: 'k' }))).rejects.toMatchObject(KEY_USED_BEFORE)
  scene.stored = undefined
  await expect(scene.open(commandOf({ key: 'k' }))).rejects.toMatchObject({ code: 'unavailable' })
})

test('a repeated key gives the stored trade, unless it was used for something else', async () => {
  const scene = openScene()
  scene.result = 'repeated'
  await expect(scene.open(commandOf({ key: 'k' }))).rejects.toMatchObject(KEY_USED_BEFORE)
  scene.stored = storedTrade(FINGERPRINT.subarray(0, 16))
  expect(await scene.open(commandOf({ key: 'k' }))).toEqual({ stored: scene.stored })
  await expect(scene.open(commandOf({ key: 'k', fingerprint: Buffer.alloc(32, 8) }))).rejects.toMatchObject(
    KEY_USED_BEFORE,
  )
  expect(scene.lookedUp).toEqual(['5 k', '5 k', '5 k'])
  expect(scene.opened).toEqual([])
})

test('submissions with one key at once are one order; another body is rejected, and another trader is another key', async () => {
  const scene = openScene()
  const { promise, resolve } = Promise.withResolvers<void>()
  scene.held = promise
  const same = [scene.open(commandOf({ key: 'k' })), scene.open(commandOf({ key: 'k' }))]
  const other = scene.open(commandOf({ key: 'k', userId: 6n }))
  await expect(scene.open(commandOf({ key: 'k', fingerprint: Buffer.alloc(32, 8) }))).rejects.toMatchObject(
    KEY_USED_BEFORE,
  )
  expect(scene.submitted).toHaveLength(2)
  // Without a key, each is a separate order.
  const unkeyed = [scene.open(commandOf()), scene.open(commandOf())]
  expect(scene.submitted).toHaveLength(4)
  resolve()
  const [first, second] = await Promise.all(same)
  expect(first).toBe(second)
  await Promise.all([other, ...unkeyed])
  // Once it is answered, the database decides about the key.
  await scene.open(commandOf({ key: 'k' }))
  expect(scene.submitted).toHaveLength(5)
})

test('a rejection frees its key at once', async () => {
  const scene = openScene()
  scene.agrees = false
  await expect(scene.open(commandOf({ key: 'k' }))).rejects.toMatchObject({ code: 'unavailable' })
  scene.agrees = true
  await scene.open(commandOf({ key: 'k', fingerprint: Buffer.alloc(32, 8) }))
  expect(scene.submitted).toHaveLength(1)
})

test('the observer learns of each order once: accepted by hand or by a signal, rejected, or failed', async () => {
  const received: unknown[] = []
  const observer: TradingObserver = {
    accepted: ({ tookMs, ...trade }) => received.push(tookMs >= 0 && tookMs < 1_000 ? trade : { tookMs }),
    rejected: (code) => received.push(code),
    settled: () => undefined,
  }
  const scene = openScene({ observer })
  await scene.open(commandOf())
  await scene.open(commandOf({ signal: 3n }))
  scene.agrees = false
  await expect(scene.open(commandOf())).rejects.toThrow()
  // A trade that is found stored was reported when it was accepted.
  scene.stored = storedTrade(FINGERPRINT.subarray(0, 16))
  await scene.open(commandOf({ key: 'k' }))
  scene.agrees = true
  scene.held = Promise.reject(new Error('broken'))
  await expect(scene.open(commandOf())).rejects.toThrow('broken')
  expect(received).toEqual([
    { id: 101n, tradeTime: NOW + 1, isAutomatic: false },
    { id: 102n, tradeTime: NOW + 1, isAutomatic: true },
    'unavailable',
    'internal',
  ])
})
