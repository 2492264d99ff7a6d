import { publicId } from '#kernel/id.ts'
import { last, must } from '#kernel/must.ts'
import { type Snapshot, sql } from '../../platform/database/db.ts'
import { settledPage, unsignedIds } from '../../trading/index.ts'
import { readIds } from './checkpoint-row.ts'

/** The ids in one checkpoint that has trades. */
export interface Span {
  frame: bigint
  first: bigint
  last: bigint
  trades: number
}

/** Ids in memory at once, of 8 bytes each: a set of all of them would grow with every trade there ever was. */
const IDS_AT_ONCE = 4_000_000
const CHECKPOINTS_AT_ONCE = 200
const TRADES_AT_ONCE = 5_000
/** Above every id. */
const END = 2n ** 63n - 1n

/**
 * Checks that each settled trade is in one checkpoint, or awaits one, and in no other. Ids begin with the time of their
 * trade, so a range of ids is in few checkpoints, and the ranges are checked one after the other. `spans` in the order of
 * their frames. Returns the first thing that is wrong.
 */
export async function checkSignedOnce(
  db: Snapshot,
  spans: readonly Span[],
  idsAtOnce = IDS_AT_ONCE,
): Promise<string | undefined> {
  const waiting = await unsignedIds(db)
  if (waiting.open !== undefined) return `trade ${publicId(waiting.open)} awaits a checkpoint, but isn't settled`
  let from = 0n
  for (const to of [...boundsOf(spans, idsAtOnce), END]) {
    const within = spans.filter(({ first, last }) => first < to && last >= from)
    const signed = await idsBetween(db, within, from, to)
    const twice = signed.find((id, i) => i > 0 && id === signed[i - 1])
    if (twice !== undefined)
      return `checkpoint at frame ${await secondFrame(db, within, twice)}: trade ${publicId(twice)} is in an earlier one too`
    const ids = merged(signed, between(waiting.ids, from, to))
    const both = ids.find((id, i) => i > 0 && id === ids[i - 1])
    if (both !== undefined) return `trade ${publicId(both)} is in a checkpoint, and awaits another`
    const missing = await missingTrade(db, ids, { from, to })
    if (missing !== undefined) return `trade ${publicId(missing)} is settled, but in no checkpoint, and awaits none`
    from = to
  }
  return undefined
}

const between = (ids: readonly bigint[], from: bigint, to: bigint) => ids.filter((id) => id >= from && id < to)

function merged(signed: BigInt64Array, waiting: readonly bigint[]): BigInt64Array {
  const all = new BigInt64Array(signed.length + waiting.length)
  all.set(signed)
  all.set(waiting, signed.length)
  return all.sort()
}

/** Returns the ends of ranges with about `idsAtOnce` ids each. */
function boundsOf(spans: readonly Span[], idsAtOnce: number): bigint[] {
  const bounds: bigint[] = []
  let ids = 0
  for (const { last, trades } of spans.toSorted((a, b) => (a.last < b.last ? -1 : 1))) {
    ids += trades
    if (ids < idsAtOnce) continue
    bounds.push(last + 1n)
    ids = 0
  }
  return bounds
}

/** Returns the ids of these checkpoints from `from` to below `to`, sorted. */
async function idsBetween(db: Snapshot, spans: readonly Span[], from: bigint, to: bigint): Promise<BigInt64Array> {
  let ids = new BigInt64Array(1_024)
  let found = 0
  for await (const { trade_ids } of idsOf(db, spans))
    for (const id of readIds(trade_ids)) {
      if (id < from || id >= to) continue
      if (found === ids.length) {
        const larger = new BigInt64Array(2 * found)
        larger.set(ids)
        ids = larger
      }
      ids[found++] = id
    }
  return ids.subarray(0, found).sort()
}

async function* idsOf(db: Snapshot, spans: readonly Span[]) {
  for (let at = 0; at < spans.length; at += CHECKPOINTS_AT_ONCE) {
    const frames = spans.slice(at, at + CHECKPOINTS_AT_ONCE).map(({ frame }) => frame)
    const { rows } = await sql<{ frame: bigint; trade_ids: Buffer }>`
      select frame, trade_ids from checkpoints where frame = any(${frames}::bigint[]) order by frame`.execute(db)
    yield* rows
  }
}

/** Returns the frame of the second checkpoint with this trade. */
async function secondFrame(db: Snapshot, spans: readonly Span[], id: bigint): Promise<bigint | undefined> {
  let seen = 0
  for await (const { frame, trade_ids } of idsOf(db, spans))
    for (const one of readIds(trade_ids)) if (one === id && ++seen === 2) return frame
  return undefined
}

/** Returns a settled trade of this range that isn't among the sorted ids. */
async function missingTrade(
  db: Snapshot,
  ids: BigInt64Array,
  { from, to }: { from: bigint; to: bigint },
): Promise<bigint | undefined> {
  let at = 0
  for (let after = from - 1n; ; ) {
    const settled = await settledPage(db, { after, limit: TRADES_AT_ONCE })
    for (const id of settled) {
      if (id >= to) return undefined
      while (at < ids.length && must(ids[at]) < id) at++
      if (ids[at] !== id) return id
    }
    if (settled.length < TRADES_AT_ONCE) return undefined
    after = last(settled)
  }
}
