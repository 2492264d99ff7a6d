import type { Reply } from '#contract/api.ts'
import { formatDateTime, formatTime } from '#web/ui/index.ts'

/** Where the tape begins in a chart. */
export interface Beginning {
  /** Unix ms. */
  ms: number
  /** The source of the bars before it: simulated, or a venue. */
  before: string | undefined
  /** The kind of prices that begins there, if the symbol had another before. */
  after: string | undefined
}

const SINCE = { live: 'Live', replay: 'Replayed', simulation: 'Simulated' } as const
const HALF_A_DAY_MS = 43_200_000

/** Returns where the tape begins, as far as a response knows it: bars from before the beginning say what they are. */
export function beginningOf(answer: Reply<'GET /prices/candles'>, nowMs: number): Beginning | undefined {
  const { source, since, simulated_until, venue, venue_until } = answer
  const ms = simulated_until ?? venue_until ?? since
  if (ms === undefined) return undefined
  const time = (at: number) => (nowMs - at < HALF_A_DAY_MS ? formatTime(at) : formatDateTime(at))
  return {
    ms,
    before:
      venue !== undefined ? `Candles of ${venue}` : simulated_until !== undefined ? 'Simulated history' : undefined,
    after: since !== undefined && source !== undefined ? `${SINCE[source]} since ${time(since)}` : undefined,
  }
}
