import { must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Db } from '../../platform/database/db.ts'
import { readTicks, TicksDropped } from '../../prices/index.ts'
import type { Tick, TickReader } from '../trade.ts'

const MINUTES_KEPT = 2_000

/**
 * Creates a reader of ticks that are proven: it reads one minute of a symbol at a time and caches the newest reads,
 * because neighbouring trades request the same.
 */
export function tickReader(db: Db): TickReader {
  const minutes = new Map<string, Promise<Tick[]>>()

  async function read(symbolId: number, from: Ms, to: Ms): Promise<Tick[]> {
    const stored = await readTicks(db, symbolId, from, to)
    return stored.map(({ seq, sourceMs, price, kind }) => ({ seq: BigInt(seq), sourceMs, price, kind }))
  }

  function minuteOf(symbolId: number, minute: Ms): Promise<Tick[]> {
    const name = `${symbolId}:${minute}`
    const known = minutes.get(name)
    if (known !== undefined) return known
    const reading = read(symbolId, minute, minute + MINUTE_MS - 1)
    minutes.set(name, reading)
    if (minutes.size > MINUTES_KEPT) minutes.delete(must(minutes.keys().next().value))
    return reading
  }

  return async (symbolId, from, to) => {
    try {
      const found: Tick[] = []
      for (let minute = startOf(from, MINUTE_MS); minute <= to; minute += MINUTE_MS) {
        for (const tick of await minuteOf(symbolId, minute))
          if (tick.sourceMs >= from && tick.sourceMs <= to) found.push(tick)
      }
      return found
    } catch (error) {
      // In a minute that is partly gone, the requested ticks may still exist.
      if (error instanceof TicksDropped) return read(symbolId, from, to)
      throw error
    }
  }
}
