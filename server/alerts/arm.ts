import type { Parsed } from '#contract/api.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { ALERT_INTERVALS } from '#contract/terms.ts'
import type { Alert } from '#contract/trading/alerts.ts'
import { ALERTS_MAX, GUEST_ALERTS_MAX } from '#contract/trading/alerts.ts'
import { parsePrice } from '#kernel/price.ts'
import { findAccountById } from '../identity/index.ts'
import { inTransaction, type Tx } from '../platform/database/db.ts'
import type { Who } from '../platform/http/index.ts'
import type { Instrument, Tick } from '../prices/index.ts'
import { currentValue } from './conditions/indicator-crossings.ts'
import type { AlertsDeps } from './deps.ts'
import {
  type AlertRow,
  alertsOf,
  armAlert,
  deleteAlert,
  deleteAlerts,
  findAlert,
  indicatorOfRow,
  insertAlert,
  lockAlerts,
  type StoredTerms,
  sameAlert,
  toAlert,
} from './store.ts'
import { priceText } from './words.ts'

type Body = Parsed<'POST /alerts', 'body'>

/** Prices in memory are floats: exact up to here. */
const LEVEL_MAX = BigInt(Number.MAX_SAFE_INTEGER)

const NONE = {
  level: null,
  rises: null,
  basis_points: null,
  minutes: null,
  indicator: null,
  inputs: null,
  output: null,
  interval_ms: null,
  threshold: null,
}

/** Makes an alert, or returns the armed one with the same terms: a request that arrives twice makes one. */
export async function makeAlert(deps: AlertsDeps, { userId, isGuest }: Who, body: Body): Promise<Alert> {
  const terms = await termsOf(deps, body)
  const places = isGuest ? GUEST_ALERTS_MAX : ALERTS_MAX
  return changing(deps, userId, async (tx) => {
    const row = (await sameAlert(tx, userId, terms)) ?? (await insertAlert(tx, userId, terms, places))
    if (!row)
      throw new Problem(
        'limit_reached',
        `You have ${places} alerts, the most there can be. Delete one you no longer need.`,
      )
    return row
  })
}

/** Replaces an alert's terms and arms it. */
export async function changeAlert(deps: AlertsDeps, { userId }: Who, id: bigint, body: Body): Promise<Alert> {
  const terms = await termsOf(deps, body)
  return changing(deps, userId, async (tx) => {
    return armAlert(tx, await owned(tx, userId, id), terms)
  })
}

/** Arms an alert again by its own terms, from the current price. */
export async function armAgain(deps: AlertsDeps, { userId }: Who, id: bigint): Promise<Alert> {
  // Before the transaction, which holds a connection that reading candles may have to wait for.
  const set = (await alertsOf(deps.db, userId)).find((row) => row.id === id)
  const indicator = set && indicatorOfRow(set)
  const instrument = set && deps.instruments.byId(set.symbol_id)
  if (indicator && instrument && set.fired_at !== null) await requireValue(deps, instrument, indicator)
  return changing(deps, userId, async (tx) => {
    const row = await owned(tx, userId, id)
    if (row.fired_at === null) return row
    return armAlert(tx, row, storedTermsOf(deps, row))
  })
}

export async function removeAlert(deps: AlertsDeps, { userId }: Who, id: bigint): Promise<void> {
  if (!(await deleteAlert(deps.db, userId, id))) throw notFound()
  deps.bus.publish('alerts-changed', { deleted: String(id) })
}

/** Deletes all alerts of a trader whose account is closed. */
export async function removeAlerts({ bus }: Pick<AlertsDeps, 'bus'>, tx: Tx, userId: bigint): Promise<void> {
  await lockAlerts(tx, userId)
  const ids = await deleteAlerts(tx, userId)
  tx.afterCommit(() => {
    for (const id of ids) bus.publish('alerts-changed', { deleted: String(id) })
  })
}

const notFound = () => new Problem('not_found', 'Alert not found.')

async function owned(tx: Tx, userId: bigint, id: bigint): Promise<AlertRow> {
  const row = await findAlert(tx, userId, id)
  if (!row) throw notFound()
  return row
}

async function changing(
  { db, bus, instruments }: AlertsDeps,
  userId: bigint,
  work: (tx: Tx) => Promise<AlertRow>,
): Promise<Alert> {
  return inTransaction(db, async (tx) => {
    await lockAlerts(tx, userId)
    // Under the lock: an account that closes meanwhile has no alert afterwards.
    if (!(await findAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
    const row = await work(tx)
    tx.afterCommit(() => bus.publish('alerts-changed', { deleted: null }))
    return toAlert(instruments, row)
  })
}

/** Reads what a trader set, against the current price. */
async function termsOf(deps: AlertsDeps, body: Body): Promise<StoredTerms> {
  const { instrument, base } = currentPrice(deps, body.symbol)
  const { direction } = body
  const terms = { ...NONE, ...baseOf(instrument, base), direction }
  if (body.level !== undefined) {
    const level = levelOf(body.level, instrument.scale)
    return { ...terms, kind: 'price', level, rises: risesTo(level, direction, base) }
  }
  if (body.percent !== undefined)
    return { ...terms, kind: 'move', basis_points: Math.round(body.percent * 100), minutes: body.minutes ?? null }
  const { indicator } = body
  if (!indicator) throw fieldProblem('indicator', 'is required')
  await requireValue(deps, instrument, indicator)
  const { id, inputs, output, interval, level } = indicator
  return {
    ...terms,
    kind: 'indicator',
    ...{ indicator: id, inputs, output, interval_ms: ALERT_INTERVALS[interval], threshold: level },
  }
}

/** The terms that are stored, against the current price. */
function storedTermsOf(deps: AlertsDeps, row: AlertRow): StoredTerms {
  const symbol = deps.instruments.byId(row.symbol_id)?.symbol ?? ''
  const { instrument, base } = currentPrice(deps, symbol)
  const { kind, direction, level, basis_points, minutes, inputs, output, interval_ms, threshold } = row
  return {
    ...{ kind, direction, level, basis_points, minutes, inputs, output, interval_ms, threshold },
    indicator: row.indicator,
    rises: level === null ? null : risesTo(level, direction, base),
    ...baseOf(instrument, base),
  }
}

/** Returns a symbol and its newest tick. Throws where there is none. */
export function currentPrice(
  { instruments, tape }: Pick<AlertsDeps, 'instruments' | 'tape'>,
  symbol: string,
): { instrument: Instrument; base: Tick } {
  const instrument = instruments.bySymbol(symbol)
  if (!instrument) throw fieldProblem('symbol', `${symbol} is not known here`)
  const base = tape.latest(symbol)
  if (!base) throw new Problem('price_unavailable', `${symbol} has no price yet. Try again once it has one.`)
  return { instrument, base }
}

const baseOf = ({ id }: Instrument, { price, seq, sourceMs }: Tick) => ({
  symbol_id: id,
  base_price: price,
  base_seq: BigInt(seq),
  base_ms: BigInt(Math.floor(sourceMs)),
})

/** Reads a price with at most so many decimals, in units of the last one. */
export function levelOf(text: string, scale: number): bigint {
  const decimals = text.split('.')[1]?.length ?? 0
  const level = /^\d+(\.\d+)?$/.test(text) ? parsePrice(text, scale, LEVEL_MAX) : undefined
  if (level === undefined) throw fieldProblem('level', 'must be a price')
  if (decimals > scale) throw fieldProblem('level', `must have at most ${scale} decimals`)
  return level
}

/** Whether the price has to rise to a level. Throws where the direction contradicts the current price. */
function risesTo(level: bigint, direction: AlertRow['direction'], { price, scale }: Tick): boolean {
  const now = priceText(price, scale)
  if (level === price) throw fieldProblem('level', `must differ from the current price, ${now}`)
  const rises = level > price
  if (direction === 'up' && !rises) throw fieldProblem('level', `must be above the current price, ${now}`)
  if (direction === 'down' && rises) throw fieldProblem('level', `must be below the current price, ${now}`)
  return rises
}

async function requireValue(
  deps: AlertsDeps,
  instrument: Instrument,
  terms: NonNullable<Body['indicator']>,
): Promise<void> {
  if ((await currentValue(deps, instrument, terms)) !== undefined) return
  throw fieldProblem('indicator', 'needs more closed candles than there are yet. Choose a shorter length or candle')
}
