import { publicId } from '#kernel/id.ts'
import { last, must } from '#kernel/must.ts'
import { removedDays } from '../ledger/index.ts'
import { type Db, inSnapshot, type Snapshot, sql } from '../platform/database/db.ts'
import { rootOf } from '../platform/tree.ts'
import { type FrameOrdersRow, framesWithOrders, type Instruments } from '../prices/index.ts'
import { orderHashes } from '../trading/index.ts'

interface OrdersVerdict {
  orders: number
  /** The first thing that is wrong; undefined if all is well. */
  broken: string | undefined
}

const FRAMES_AT_ONCE = 200

/**
 * Checks that each accepted order still is what its frame binds. `verifyTape` checks that the frames hold the roots, and an
 * invariant that each order is bound once.
 */
export async function verifyOrders(db: Db, instruments: Instruments): Promise<OrdersVerdict> {
  const verdict: OrdersVerdict = { orders: 0, broken: undefined }
  verdict.broken = await inSnapshot(db, async (snapshot) => {
    await sql`set local statement_timeout = 0`.execute(snapshot)
    return checkFrames(snapshot, instruments, verdict)
  })
  return verdict
}

async function checkFrames(
  db: Snapshot,
  instruments: Instruments,
  verdict: OrdersVerdict,
): Promise<string | undefined> {
  const removedUntil = (await removedDays(db)).at(-1)?.day
  for (let after = 0n; ; ) {
    const frames = await framesWithOrders(db, after, FRAMES_AT_ONCE)
    for (const frame of frames) {
      const wrong = await checkFrame(db, instruments, frame, removedUntil)
      if (wrong !== undefined) return `orders of frame ${frame.frame}: ${wrong}`
      verdict.orders += frame.tradeIds.length
    }
    if (frames.length < FRAMES_AT_ONCE) return undefined
    after = last(frames).frame
  }
}

async function checkFrame(
  db: Snapshot,
  instruments: Instruments,
  { t, tradeIds: ids, leaves, root }: FrameOrdersRow,
  removedUntil: string | undefined,
): Promise<string | undefined> {
  const bound = ids.map((_, i) => leaves.subarray(32 * i, 32 * i + 32))
  if (!rootOf(bound).equals(root)) return "their root doesn't follow from them"
  const stored = await orderHashes(db, ids, instruments)
  // A removed trade is checked by its checkpoint; its day is that of its settlement.
  const mayBeRemoved = removedUntil !== undefined && new Date(Number(t)).toISOString().slice(0, 10) <= removedUntil
  for (const [i, id] of ids.entries()) {
    const hash = stored.get(id)
    if (!hash && !mayBeRemoved) return `trade ${publicId(id)} is missing`
    if (hash && !hash.equals(must(bound[i]))) return `trade ${publicId(id)} is no longer what it binds`
  }
  return undefined
}
