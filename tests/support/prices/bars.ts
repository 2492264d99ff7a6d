import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import { type Db, sql } from '#server/platform/database/db.ts'
import { draws } from '../random.ts'

/** `[time, open, high, low, close]` in units. */
type Bar = [time: Ms, open: number, high: number, low: number, close: number]

/** Generates one-minute bars: a random walk with gaps, except in the first and last minute. */
export function generatedBars(from: Ms, minutes: number, seed: number): Bar[] {
  const { below, chance } = draws(seed)
  let open = 6_000_000
  return Array.from({ length: minutes }, (_, at) => at)
    .filter((at) => at === 0 || at === minutes - 1 || !chance(0.02))
    .map((at): Bar => {
      const close = open + below(4_001) - 2_000
      const [high, low] = [Math.max(open, close) + below(500), Math.min(open, close) - below(500)]
      const bar: Bar = [from + at * MINUTE_MS, open, high, low, close]
      open = close
      return bar
    })
}

/** Returns the text of a file of recorded bars, for a symbol with two decimals. */
export const recordingText = (bars: readonly Bar[]): string =>
  [
    'ts_ms,open,high,low,close,volume',
    ...bars.map(([time, ...prices]) => [time, ...prices.map(inUnits), 1].join(',')),
    '',
  ].join('\n')

const inUnits = (units: number) => (units / 100).toFixed(2)

/** Stores bars as closed minutes of the tape, without frames. */
export async function storeBars(db: Db, symbol: string, bars: readonly Bar[]): Promise<void> {
  const column = (at: number) => bars.map((bar) => bar[at]!)
  await sql`insert into candles (symbol_id, minute, open, high, low, close)
    select (select id from instruments where symbol = ${symbol}), * from unnest(${column(0)}::bigint[], ${column(1)}::bigint[],
      ${column(2)}::bigint[], ${column(3)}::bigint[], ${column(4)}::bigint[])`.execute(db)
  // Frame numbers that the tape itself won't reach.
  await sql`insert into tape_minutes (minute, first_n, last_n, chain, last_hash)
    select minute, 1000000000 + minute / 60000, 1000000000 + minute / 60000, decode(repeat('00', 34), 'hex'), decode(repeat('00', 32), 'hex')
    from unnest(${column(0)}::bigint[]) m(minute) on conflict do nothing`.execute(db)
}
