import { fieldProblem, Problem } from '#contract/problem.ts'
import { percentOf, type SubmitTradeBody } from '#contract/trading/trading.ts'

import { assert } from '#kernel/assert.ts'
import { dollars, type Usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { type Ms, SECOND_MS } from '#kernel/time.ts'
import { accountOf } from '../../ledger/index.ts'
import type { Clock } from '../../platform/process/clock.ts'
import type { PriceLists } from '../../price-lists/index.ts'
import { type Instrument, type Instruments, type Tape, utcText, wasAdded } from '../../prices/index.ts'
import type { TradingObserver } from '../observer.ts'
import { newSalt } from '../order-hash.ts'
import { clocksDiffer, oddsUnavailable } from '../refusals.ts'
import type { TradeRow } from '../store.ts'
import type { AcceptanceQueue } from './acceptance.ts'
import type { RealTrades } from './limits/real-trades.ts'
import type { Accepted, Order } from './order.ts'

interface OpenTradeDeps {
  instruments: Pick<Instruments, 'bySymbol'>
  tape: Pick<Tape, 'status' | 'closedAt' | 'kind' | 'typicalMove'>
  /** Real money counts: a real trade needs a price whose moves are measured. Not on a test installation. */
  needsMeasuredMoves: boolean
  /** Returns what real money may do on a symbol. */
  realTrades(instrument: Instrument): RealTrades
  priceLists: Pick<PriceLists, 'offer'>
  clock: Pick<Clock, 'now' | 'agrees'>
  queue: AcceptanceQueue
  newId(): bigint
  limits(): { stakeMax: Usd; limitedSymbols: ReadonlySet<number> }
  /** Whether real money may be traded on prices of this kind. */
  realTradesOn(kind: number): boolean
  storedUnder(userId: bigint, key: string): Promise<TradeRow | undefined>
  /** The same, once no order under this key can be on its way to this account through another node. */
  fateOf(accountId: bigint, key: string): Promise<TradeRow | undefined>
  /** Called after the commit. */
  opened(accepted: Accepted): void
  observer?: TradingObserver | undefined
}

export interface OpenTrade {
  userId: bigint
  body: Omit<SubmitTradeBody, 'amount'>
  stake: Usd
  key: string | undefined
  fingerprint: Buffer
  /** When the request arrived, as `performance.now()`; now if it's not given. */
  arrivedAt?: number
  /** The number of the signal it follows; undefined for an order placed by hand. */
  signal?: bigint
}

/** A newly accepted trade, or the stored one that the same key belongs to. */
export type Opened = { accepted: Accepted } | { stored: TradeRow }

/**
 * Opens a trade: checks what it can without the database, then joins a batch. When it resolves, the stake has been
 * debited and the trade is committed. Repeating the same key and body returns the same trade.
 */
export function tradeOpener(deps: OpenTradeDeps): (command: OpenTrade) => Promise<Opened> {
  // Two concurrent submissions with one key: the second waits for the first's response.
  const open = observed(openOnce, deps.observer)
  const inFlight = new Map<string, { fingerprint: Buffer; answer: Promise<Opened> }>()

  return async function openTrade(command) {
    const { userId, key, fingerprint } = command
    if (key === undefined) return open(command)
    const name = `${userId}:${key}`
    const first = inFlight.get(name)
    if (first) {
      if (!first.fingerprint.equals(fingerprint)) throw otherBody()
      return first.answer
    }
    const answer = open(command)
    inFlight.set(name, { fingerprint, answer })
    try {
      return await answer
    } finally {
      inFlight.delete(name)
    }
  }

  async function openOnce(command: OpenTrade): Promise<Opened> {
    const { userId, key, fingerprint } = command
    let order: Order
    try {
      order = checkedOrder(deps, command)
    } catch (refusal) {
      // Replay the stored response even if the order would now be rejected (for example, because the symbol is stale).
      if (key !== undefined) {
        const stored = await deps.fateOf(accountOf(userId, command.body.mode), key)
        if (stored) return sameBody(stored, fingerprint)
      }
      throw refusal
    }
    const result = await deps.queue.submit(order)
    if (result.kind === 'accepted') {
      deps.opened(result.accepted)
      return { accepted: result.accepted }
    }
    const stored = await deps.storedUnder(userId, must(key))
    // Used, but not for a trade.
    if (!stored) throw otherBody()
    return sameBody(stored, fingerprint)
  }
}

function sameBody(stored: TradeRow, fingerprint: Buffer): Opened {
  if (!stored.fingerprint?.equals(fingerprint.subarray(0, 16))) throw otherBody()
  return { stored }
}

const otherBody = () =>
  new Problem('idempotency_mismatch', 'This Idempotency-Key was already used for a different request. Send a new one.')

function checkedOrder(deps: OpenTradeDeps, command: OpenTrade): Order {
  const { userId, body, stake, key, fingerprint, signal } = command
  const instrument = deps.instruments.bySymbol(body.symbol)
  if (!instrument || instrument.tradingType === null) throw fieldProblem('symbol', 'is not traded here')
  if (instrument.tradingType !== body.trading_type) throw fieldProblem('symbol', `is not one of ${body.trading_type}`)
  const { stakeMax, limitedSymbols } = deps.limits()
  if (stake > stakeMax) {
    throw new Problem('limit_reached', `The most you can stake on one trade is ${dollars(stakeMax)}.`, {
      errors: [{ field: 'amount', message: `must be at most ${dollars(stakeMax)}` }],
    })
  }
  const wanted = { symbol: body.symbol, tradingType: instrument.tradingType, duration: body.duration }
  const { pairs, ...offer } = deps.priceLists.offer(wanted, deps.clock.now())
  if (!pairs.includes(body.strike_rate)) throw oddsUnavailable(body.strike_rate, pairs)
  if (!deps.clock.agrees()) throw clocksDiffer()
  const { status, reason } = deps.tape.status(body.symbol)
  if (status !== 'open')
    throw new Problem(
      'price_unavailable',
      reason ?? `${body.symbol} has no fresh price right now. No trade was placed.`,
    )
  // At its end it would have no price, and be void.
  const reopensMs = deps.tape.closedAt(body.symbol, deps.clock.now() + body.duration * SECOND_MS)
  if (reopensMs !== undefined)
    throw new Problem(
      'price_unavailable',
      `The market closes before this trade would end, and reopens on ${utcText(reopensMs)}. Choose a shorter duration.`,
    )
  const sourceKind = deps.tape.kind(body.symbol)
  assert(sourceKind !== undefined, 'an open symbol has a source')
  if (body.mode === 'real' && !deps.realTradesOn(sourceKind)) {
    throw new Problem(
      'price_unavailable',
      "Real trading is paused because prices aren't live. You can still trade on demo.",
    )
  }
  if (body.mode === 'real') {
    refuseCoarse(instrument, deps.tape.typicalMove(body.symbol), deps.needsMeasuredMoves || wasAdded(instrument))
    refuseThin(deps.realTrades(instrument), instrument.symbol, stake)
  }
  return {
    id: deps.newId(),
    accountId: accountOf(userId, body.mode),
    symbolId: instrument.id,
    sourceKind,
    staleAfterMs: instrument.staleAfterMs,
    side: body.trade_mode,
    strikeRate: body.strike_rate,
    percent: percentOf(body.strike_rate, body.trade_mode),
    offer,
    stake,
    durationSeconds: body.duration,
    pressedAt: pressedAt(deps.clock.now(), command),
    limited: body.mode === 'real' && limitedSymbols.has(instrument.id),
    key,
    fingerprint: fingerprint.subarray(0, 16),
    salt: newSalt(),
    signal,
  }
}

/** Returns when the button was pressed, tape time: never later than the request arrived. */
function pressedAt(now: Ms, { body, arrivedAt }: OpenTrade): Ms {
  const arrived = Math.floor(now - (arrivedAt === undefined ? 0 : performance.now() - arrivedAt))
  return Math.min(body.pressed_at ?? arrived, arrived)
}

/** Throws where too few exchanges make the price, or too few for this stake. */
function refuseThin(allowed: RealTrades, symbol: string, stake: Usd): void {
  if ('refused' in allowed) throw new Problem('price_unavailable', allowed.refused)
  const { stakeMax } = allowed
  if (stakeMax === null || stake <= stakeMax) return
  const most = dollars(stakeMax)
  throw new Problem(
    'limit_reached',
    `The market for ${symbol} is thin right now, so the most you can stake on it is ${most}.`,
    {
      errors: [{ field: 'amount', message: `must be at most ${most}` }],
    },
  )
}

/** In so few units of the last digit, a price mostly steps back and forth, and the next step can be guessed. */
const COARSE_UNITS = 5

/** Throws where the price moves too little, or nobody knows yet how much although it must be known. */
function refuseCoarse({ symbol }: Instrument, typicalMove: number | undefined, mustBeKnown: boolean): void {
  if (typicalMove === undefined ? !mustBeKnown : typicalMove >= COARSE_UNITS) return
  throw new Problem(
    'price_unavailable',
    typicalMove === undefined
      ? `We're still measuring how much ${symbol} moves. You can trade it on demo, and with real money within half an hour.`
      : `${symbol} moves too little for real trades right now. You can still trade it on demo.`,
  )
}

/** Reports each call of `open` to the observer. */
function observed(
  open: (command: OpenTrade) => Promise<Opened>,
  observer: TradingObserver | undefined,
): (command: OpenTrade) => Promise<Opened> {
  if (!observer) return open
  return async (command) => {
    const began = performance.now()
    try {
      const opened = await open(command)
      if ('accepted' in opened) {
        const { order, tradeTime } = opened.accepted
        const isAutomatic = command.signal !== undefined
        observer.accepted({ id: order.id, tradeTime, tookMs: performance.now() - began, isAutomatic })
      }
      return opened
    } catch (error) {
      observer.rejected(error instanceof Problem ? error.code : 'internal')
      throw error
    }
  }
}
