import type pg from 'pg'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Feed, kindOf } from '../../feeds/feed.ts'
import type { Instruments } from '../../instruments/instruments.ts'
import { type Entry, encodeBody, type Frame, type FrameExtras, frameHash } from '../frames/frame.ts'
import type { Gate } from '../gate.ts'
import type { Memory } from '../memory/memory.ts'
import { appendStatement, type BoundOrders } from '../store.ts'
import { dueVariances } from '../variances.ts'
import type { Pace } from './pace.ts'

/** A frame is written this often even when nothing is new: at a frame's pace, at least once a second. */
const SILENCE_MS = 750

/** A frame that can be sent. */
export interface MadeFrame {
  frame: Frame
  entries: Entry[]
  orders: BoundOrders | undefined
  statement: pg.QueryConfig
}

/** Returns the function that makes the next frame, if it's due, of the feed's prices and the orders that it binds. */
export function frameMaker(deps: {
  instruments: Instruments
  memory: Memory
  feed: Feed
  gate: Gate
  pace: Pace
  orders(): BoundOrders | undefined
}): () => MadeFrame | undefined {
  const { instruments, memory, feed, gate, pace } = deps
  return () => {
    const head = memory.head()
    const now = pace.tapeNow()
    if (now < head.t + pace.frameEvery()) return undefined
    gate.at(now)
    feed.collect(now, gate)
    const kind = kindOf(feed.kind)
    const entries = gate.candidates().map(({ slot, units, sourceMs }): Entry => {
      const { symbol, scale } = must(instruments.list[slot])
      return { symbol, kind, scale, seq: must(memory.newest.seq[slot]) + 1, sourceMs, units }
    })
    const orders = deps.orders()
    if (entries.length === 0 && !orders && now < head.t + SILENCE_MS) return undefined
    const frame = makeFrame(head, now, entries, {
      orders: orders && { count: orders.tradeIds.length, root: orders.root },
      variances: dueVariances(instruments, memory, { before: head.t, now }),
    })
    return { frame, entries, orders, statement: appendStatement(instruments, frame, entries, orders) }
  }
}

/** Builds the frame that follows `head` with these entries. */
export function makeFrame(
  head: { n: number; hash: Buffer },
  t: Ms,
  entries: readonly Entry[],
  extras?: FrameExtras,
): Frame {
  const n = head.n + 1
  const body = encodeBody(t, entries, extras)
  return { n, t, prev: head.hash, hash: frameHash(head.hash, n, t, body), body }
}
