import { createHash } from 'node:crypto'
import { isOwnStrategy } from '#contract/terms.ts'
import type { Signal } from '#contract/trading/signals.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import type { Instruments } from '../prices/index.ts'
import type { SignalRow } from './record.ts'

/** Returns a signal with its outcome, for anyone if it's public, or for its owner. */
export function toSignal(instruments: Instruments, row: SignalRow): Signal {
  const instrument = instruments.byId(row.symbol_id)
  const priceOf = (units: bigint | null) =>
    units === null || !instrument ? undefined : Number(formatPrice(price(units), instrument.scale))
  return {
    number: String(row.n),
    strategy: row.strategy,
    version: row.version,
    symbol: instrument?.symbol ?? '',
    side: row.side,
    duration: row.duration_seconds,
    candle_close: toIso(Number(row.candle_close)),
    at: toIso(Number(row.at)),
    end_time: toIso(Number(row.end_time)),
    status: row.status,
    entry_price: priceOf(row.entry_price),
    exit_price: priceOf(row.exit_price),
    outcome_reason: row.outcome_reason ?? undefined,
    hash: row.hash.toString('hex'),
  }
}

/** The same for its owner, who can open a sealed one with its random value. */
export const toOwnSignal = (instruments: Instruments, row: SignalRow): Signal => ({
  ...toSignal(instruments, row),
  ...(row.seal !== null && { seal: row.seal.toString('hex') }),
})

export const CHAIN_COLUMNS = [
  ...['n', 'strategy', 'version', 'symbol', 'side', 'duration', 'candle_close', 'at', 'frame'],
  ...['previous', 'hash', 'status', 'entry_price', 'entry_time', 'exit_price', 'exit_time'],
  // For people; the fields before are what is hashed.
  'at (UTC)',
]

/**
 * Returns a row of the chain's download. Of a sealed signal it has only the chained hash of what the signal says: its
 * outcome would reveal the rest.
 */
export function chainFields(instruments: Instruments, row: SignalRow): string[] {
  const instrument = instruments.byId(row.symbol_id)
  const priceOf = (units: bigint | null) =>
    units === null || !instrument ? '' : formatPrice(price(units), instrument.scale)
  const chained = [row.previous, row.hash].map((bytes) => bytes.toString('hex'))
  if (row.seal !== null && isOwnStrategy(row.strategy)) {
    const said = [row.strategy, row.version, instrument?.symbol, row.side, row.duration_seconds, row.candle_close]
    const sealed = createHash('sha256').update(row.seal).update(said.join()).digest('hex')
    return [
      String(row.n),
      'sealed',
      sealed,
      '',
      '',
      '',
      '',
      String(row.at),
      String(row.frame),
      ...chained,
      '',
      '',
      '',
      '',
      '',
    ]
  }
  return [
    ...[row.n, row.strategy, row.version, instrument?.symbol, row.side, row.duration_seconds].map(String),
    ...[row.candle_close, row.at, row.frame].map(String),
    ...chained,
    row.status,
    priceOf(row.entry_price),
    String(row.entry_time ?? ''),
    priceOf(row.exit_price),
    String(row.exit_time ?? ''),
  ]
}
