import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { decodeBody, GENESIS_HASH } from './frame.ts'
import type { Instruments } from './instruments.ts'
import type { Memory } from './memory.ts'
import { readFramesAfter, readHead, readNewestTicks, type Sender } from './store.ts'

/** How much of the newest tape is read frame by frame when memory begins. */
const RECENT_MS = 16 * MINUTE_MS
const AT_ONCE = 1_000

/** Fills memory from the tape: the closed minutes of the last day as candles, then the newest frames whole. */
export async function loadMemory(sender: Sender, instruments: Instruments, memory: Memory): Promise<void> {
  const head = await readHead(sender)
  const start = await frameBefore(sender, startOf(head.t - RECENT_MS, MINUTE_MS))
  memory.begin(start)
  if (start.n > 0) {
    for (const { symbolId, ...tick } of await readNewestTicks(sender, start.n)) {
      const slot = instruments.slotOf(instruments.byId(symbolId)?.symbol ?? '')
      if (slot !== undefined) memory.seed(slot, tick)
    }
  }
  for (;;) {
    const frames = await readFramesAfter(sender, memory.head().n, AT_ONCE)
    for (const frame of frames) memory.apply(frame, decodeBody(frame.t, frame.body))
    if (frames.length < AT_ONCE) return
  }
}

/** The newest frame before `t`; where all are newer the oldest one that is kept, or the tape's beginning. */
async function frameBefore(sender: Sender, t: Ms): Promise<{ n: number; t: Ms; hash: Buffer }> {
  const { rows } = await sender.query<{ n: bigint; t: bigint; hash: Buffer }>(
    `(select n, t, hash from frames where t < $1 order by n desc limit 1)
     union all (select n, t, hash from frames where n > 1 order by n limit 1) order by n limit 1`,
    [t],
  )
  const { rows: first } = await sender.query<{ n: bigint }>('select n from frames where n = 1 and t >= $1', [t])
  const row = rows[0]
  if (!row || first[0]) return { n: 0, t: 0, hash: GENESIS_HASH }
  return { n: Number(row.n), t: Number(row.t), hash: row.hash }
}
