import { must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { searchTicks } from '../tape/read-ticks.ts'
import { type Bar, barsOf, type OlderBars } from './candles.ts'
import { type History, historyMinutes, historySeconds } from './history.ts'

/** The range starts at `limit` intervals and grows by this factor while gaps leave too few bars. */
const WIDEN = 4

/** A slot's newest period: its start, and what precedes it if that is known. */
interface PeriodOf {
  since(slot: number): Ms | undefined
  history(slot: number): History | undefined
}

/**
 * Returns bars that memory no longer has: from the closed minutes of the slot's newest period, and before its beginning
 * from its history.
 */
export function olderBars(db: Db, instruments: Instruments, period: PeriodOf): OlderBars {
  return {
    async minutesBefore(slot, intervalMs, limit, before) {
      const since = period.since(slot)
      if (since === undefined) return []
      const tape = await tapeBars(db, must(instruments.list[slot]).id, intervalMs, limit, since, before)
      if (tape.length >= limit) return tape
      const history = period.history(slot)
      if (!history) return tape
      const made = barsOf(intervalMs)
      for (const [time, ...piece] of await historyMinutes(db, history)) if (time < before) made.add(time, piece)
      for (const [time, ...piece] of tape) made.add(time, piece)
      return made.bars
    },

    async secondsBefore(slot, intervalMs, limit, before) {
      const instrument = must(instruments.list[slot])
      const since = period.since(slot)
      if (since === undefined) return []
      const wanted = Math.ceil((limit * intervalMs) / MINUTE_MS) + 1
      // The newest minutes that have ticks, however large the gaps between them.
      const { rows } = await sql<{ minute: bigint }>`
        select minute from candles
        where symbol_id = ${instrument.id} and minute >= ${startOf(since, MINUTE_MS)} and minute < ${before}
        order by minute desc limit ${wanted}`.execute(db)
      const minutes = rows.map((row) => Number(row.minute)).reverse()
      const made = barsOf(intervalMs)
      if (minutes.length < wanted) {
        const history = period.history(slot)
        const end = Math.min(before, history?.until ?? 0)
        const begin = end - (wanted - minutes.length) * MINUTE_MS
        if (history && end > 0) {
          const seconds = await historySeconds(db, history, instrument, begin, end)
          for (const [i, [time, open]] of seconds.entries()) {
            const [, close] = seconds[i + 1] ?? []
            if (close !== undefined && time >= begin && time < end)
              made.add(time, [open, Math.max(open, close), Math.min(open, close), close])
          }
        }
      }
      for (const [from, to] of runsOf(minutes)) {
        const { ticks } = await searchTicks(
          db,
          instrument.id,
          Math.max(from, since),
          Math.min(to, before) - 1,
          Number.MAX_SAFE_INTEGER,
        )
        for (const { sourceMs, price } of ticks) {
          const units = Number(price)
          made.add(sourceMs, [units, units, units, units])
        }
      }
      return made.bars
    },
  }
}

/** Returns at least the newest `limit` bars of a period's closed minutes before a time. */
async function tapeBars(
  db: Db,
  symbolId: number,
  intervalMs: number,
  limit: number,
  since: Ms,
  before: Ms,
): Promise<Bar[]> {
  const begins = startOf(since, MINUTE_MS)
  const oldest = await sql<{ minute: bigint | null }>`
    select min(minute) as minute from candles where symbol_id = ${symbolId} and minute >= ${begins}`.execute(db)
  const beginning = oldest.rows[0]?.minute
  if (beginning == null) return []
  for (let width = limit * intervalMs; ; width *= WIDEN) {
    const from = startOf(before - 1, intervalMs) + intervalMs - width
    const { rows } = await sql<Record<'start' | 'open' | 'high' | 'low' | 'close', bigint>>`
      select minute / ${intervalMs}::bigint * ${intervalMs}::bigint as start, (array_agg(open order by minute))[1] as open,
        max(high) as high, min(low) as low, (array_agg(close order by minute desc))[1] as close
      from candles where symbol_id = ${symbolId} and minute >= ${Math.max(begins, from)} and minute < ${before}
      group by 1 order by 1`.execute(db)
    if (rows.length >= limit || from <= Number(beginning)) {
      return rows.map((row) => [
        Number(row.start),
        Number(row.open),
        Number(row.high),
        Number(row.low),
        Number(row.close),
      ])
    }
  }
}

/** Merges adjacent minutes into ranges [from, to). */
function runsOf(minutes: readonly Ms[]): [from: Ms, to: Ms][] {
  const runs: [Ms, Ms][] = []
  for (const minute of minutes) {
    const last = runs.at(-1)
    if (last && last[1] === minute) last[1] = minute + MINUTE_MS
    else runs.push([minute, minute + MINUTE_MS])
  }
  return runs
}
