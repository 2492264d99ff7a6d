import { HOUR_MS, type Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { Instruments } from '../instruments/instruments.ts'
import type { Bar } from './candles.ts'
import { type History, historyMinutes } from './history.ts'

/** How far past the requested time a history's bars are kept: until then, it isn't read again. */
const AHEAD_MS = HOUR_MS

/** Returns each slot's price at a time, at most an hour before it. Times are expected to go forward. */
type PricesAt = (time: Ms, histories: readonly History[]) => Promise<Map<number, number>>

/**
 * Reads the prices of a day ago, for the change over a day: from each slot's newest period, or from that period's history.
 * A history takes a whole day of bars to read, so some of them are kept.
 */
export function pricesAt(db: Db, instruments: Instruments): PricesAt {
  const kept = new Map<number, { since: Ms; from: Ms; bars: Bar[] }>()

  async function barsOf(history: History, time: Ms): Promise<Bar[]> {
    const known = kept.get(history.symbolId)
    if (known && known.since === history.since && time >= known.from && time < known.from + AHEAD_MS) return known.bars
    const bars = (await historyMinutes(db, history)).filter(
      ([minute]) => minute >= time - HOUR_MS && minute <= time + AHEAD_MS,
    )
    kept.set(history.symbolId, { since: history.since, from: time, bars })
    return bars
  }

  return async (time, histories) => {
    const { rows } = await sql<{ id: number; close: bigint }>`
      select i.id, c.close from instruments i, lateral (
        select close from candles where symbol_id = i.id and minute between ${time - HOUR_MS} and ${time}
          and minute >= (select max(source_ms) / 60000 * 60000 from tape_kinds where symbol_id = i.id)
        order by minute desc limit 1) c`.execute(db)
    const found = new Map<number, number>()
    const slotOf = (id: number) => instruments.slotOf(instruments.byId(id)?.symbol ?? '') ?? -1
    for (const row of rows) found.set(slotOf(row.id), Number(row.close))
    for (const history of histories) {
      const slot = slotOf(history.symbolId)
      if (found.has(slot) || history.until <= time) {
        kept.delete(history.symbolId)
        continue
      }
      const bar = (await barsOf(history, time)).findLast(([minute]) => minute <= time)
      if (bar && time - bar[0] <= HOUR_MS) found.set(slot, bar[4])
    }
    return found
  }
}
