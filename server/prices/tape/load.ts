import { last } from '#kernel/must.ts'
import { DAY_MS, MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { decodeBody, frameHash, GENESIS_HASH } from './frames/frame.ts'
import { readChain } from './frames/pack.ts'
import type { Memory } from './memory/memory.ts'
import { readFramesAfter, readNewestTicks, readPeriods, type Sender } from './store.ts'

/** How far back closed minutes are kept in memory as candles. */
const MINUTES_MS = DAY_MS + 60 * MINUTE_MS
const AT_ONCE = 1_000

const ATTEMPTS = 5

/**
 * Loads memory from the tape: the closed minutes of the last day as candles, then every frame that is not packed yet.
 */
export async function loadMemory(sender: Sender, instruments: Instruments, memory: Memory): Promise<void> {
  // The leader may pack the oldest frames between our statements; reread the packed part if so.
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (await loaded(sender, instruments, memory)) return
  }
  throw new Error('the tape has a gap between its packed and its newest frames')
}

async function loaded(sender: Sender, instruments: Instruments, memory: Memory): Promise<boolean> {
  const packed = await packedUntil(sender)
  memory.begin(packed)
  const slotOfId = (id: number) => instruments.slotOf(instruments.byId(id)?.symbol ?? '')
  if (packed.n > 0) {
    for (const { symbolId, ...period } of await readPeriods(sender, packed.t)) {
      const slot = slotOfId(symbolId)
      if (slot !== undefined) memory.seedPeriod(slot, period)
    }
    for (const { symbolId, ...tick } of await readNewestTicks(sender, packed.n)) {
      const slot = slotOfId(symbolId)
      if (slot !== undefined) memory.seed(slot, tick)
    }
    const { rows } = await sender.query<
      Record<'minute' | 'open' | 'high' | 'low' | 'close', bigint> & { symbol_id: number }
    >('select symbol_id, minute, open, high, low, close from candles where minute >= $1 order by minute', [
      startOf(packed.t - MINUTES_MS, MINUTE_MS),
    ])
    for (const row of rows) {
      const slot = slotOfId(row.symbol_id)
      const since = memory.periods[slot ?? -1]?.since
      if (slot === undefined || since === undefined || Number(row.minute) < startOf(since, MINUTE_MS)) continue
      memory.seedMinute(slot, Number(row.minute), [
        Number(row.open),
        Number(row.high),
        Number(row.low),
        Number(row.close),
      ])
    }
  }
  for (;;) {
    const frames = await readFramesAfter(sender, memory.head().n, AT_ONCE)
    for (const { body, now: _, ...frame } of frames) {
      const head = memory.head()
      if (frame.n !== head.n + 1) return false
      if (!frameHash(head.hash, frame.n, frame.t, body).equals(frame.hash)) {
        throw new Error(`the tape is broken: frame ${frame.n} does not follow from frame ${head.n}`)
      }
      memory.apply(frame, decodeBody(frame.t, body))
    }
    if (frames.length < AT_ONCE) return true
  }
}

/** Returns the last packed frame, or the start of the tape if none is. */
async function packedUntil(sender: Sender): Promise<{ n: number; t: Ms; hash: Buffer }> {
  const { rows } = await sender.query<{ minute: bigint; last_n: bigint; last_hash: Buffer; chain: Buffer }>(
    'select minute, last_n, last_hash, chain from tape_minutes order by minute desc limit 1',
  )
  const row = rows[0]
  if (!row) return { n: 0, t: 0, hash: GENESIS_HASH }
  const { t } = last(readChain(Number(row.minute), row.chain))
  return { n: Number(row.last_n), t, hash: row.last_hash }
}
