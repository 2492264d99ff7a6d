import { SOURCES } from '#contract/prices/prices.ts'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { must } from '#kernel/must.ts'
import { formatPrice } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Receipt, ReceiptOfSale, ReceiptSegment, ReceiptTick } from '#packages/verify/verify.js'
import { type Db, inSnapshot, type Snapshot, sql } from '../../platform/database/db.ts'
import { leafHash, pathOf } from '../../platform/tree.ts'
import {
  firstTick,
  frameOfOrder,
  framesOver,
  type Instruments,
  readFrames,
  readKinds,
  readTicks,
  type StoredTick,
} from '../../prices/index.ts'
import {
  ENTRY_WITHIN_MS,
  isUnbound,
  isUnsigned,
  isVoidedByOperators,
  type SettledTrade,
  settledTradeOf,
  tradeNotFound,
} from '../../trading/index.ts'
import { type CheckpointRow, readIds, toCheckpoint } from '../checkpoints/checkpoint-row.ts'
import { leafOf } from '../checkpoints/leaf.ts'

/** Thrown while a part of a receipt isn't signed yet. */
class NotReady extends Error {}
const notReady = () => new NotReady()

/**
 * Builds the receipt of a user's settled trade from the tape and the checkpoints; undefined until the next checkpoint has
 * signed all of it.
 */
export async function receiptOf(
  deps: { db: Db; instruments: Instruments },
  userId: bigint,
  tradeId: bigint,
): Promise<Receipt | undefined> {
  return build(deps, userId, tradeId).catch((error: unknown) => {
    if (error instanceof NotReady) return undefined
    throw error
  })
}

async function build(
  { db, instruments }: { db: Db; instruments: Instruments },
  userId: bigint,
  tradeId: bigint,
): Promise<Receipt> {
  return inSnapshot(db, async (snapshot) => {
    const row = await settledTradeOf(snapshot, userId, tradeId)
    if (!row) throw await tradeNotFound(snapshot, tradeId)
    if (row.settled === null)
      throw new Problem('wrong_state', 'The trade is still open. Its receipt follows the result.')
    const { terms, text } = leafOf(row, instruments)
    const { trade, outcome } = terms
    const settlement = await settlementOf(snapshot, userId, row)
    assert(settlement.leaf.equals(leafHash(text)), `trade ${trade.id} is what its checkpoint holds`)
    const bound = terms.order && (await boundOf(snapshot, row))
    const { ticks, silent } = isVoidedByOperators(outcome.reason)
      ? { ticks: NO_TICKS, silent: [] }
      : await ticksOf(snapshot, row, instruments)
    const sold = row.sale ? await soldOf(snapshot, row, row.sale, instruments) : undefined
    const named = [
      ...Object.values(ticks).flatMap((tick) => (tick ? [tick.frame] : [])),
      ...silent,
      ...(sold ? [sold.variance_frame, sold.before.frame] : []),
    ]
    const frames = [...new Set(bound ? [...named, bound.frame] : named)].sort((a, b) => a - b)
    const segments = await segmentsOf(snapshot, frames)
    const checkpoints = [...segments.map(({ checkpoint }) => checkpoint), settlement.checkpoint]
    const proof = {
      ticks,
      segments,
      settlement: { position: settlement.position, path: settlement.path, checkpoint: settlement.checkpoint },
      keys: await keysOf(snapshot, [...new Set(checkpoints.map(({ key }) => key))]),
    }
    const type = 'cleartick receipt'
    if (!terms.order) return { type, version: 1, trade, outcome: terms.outcome, ...proof }
    const { order } = terms
    if (terms.outcome.status === 'Sold')
      return {
        ...{ type, version: 3, order, trade: terms.trade, outcome: terms.outcome, bound: must(bound) },
        ...{ ...proof, sold: must(sold) },
      }
    return { type, version: 2, order, trade: terms.trade, outcome: terms.outcome, bound: must(bound), ...proof }
  })
}

/** A frame's time follows the clock by which orders are accepted, to within 2 s. */
const CLOCKS_DIFFER_MS = 10 * SECOND_MS

/** Finds the frame that binds an order, and the order's path to its root. */
async function boundOf(db: Snapshot, { id, trade_time }: Pick<SettledTrade, 'id' | 'trade_time'>) {
  if (await isUnbound(db, id)) throw notReady()
  const found = await frameOfOrder(db, id, Number(trade_time) - CLOCKS_DIFFER_MS)
  assert(found, 'an order is bound, or awaits a frame')
  const position = found.tradeIds.indexOf(id)
  const path = pathOf(leavesIn(found.leaves), position).map((hash) => hash.toString('hex'))
  return { frame: Number(found.frame), position, path }
}

const leavesIn = (leaves: Buffer): Buffer[] =>
  Array.from({ length: leaves.length / 32 }, (_, i) => leaves.subarray(32 * i, 32 * i + 32))

const NO_TICKS = { before_entry: null, entry: null, change: null, exit: null, after_exit: null }

/** Finds the checkpoint that holds a trade, and the trade's path to its root. */
async function settlementOf(db: Snapshot, userId: bigint, { id, settled }: Pick<SettledTrade, 'id' | 'settled'>) {
  if (await isUnsigned(db, userId, id)) throw notReady()
  // It's in the first one after its settlement, or in a later one if the settlement committed late.
  for (let after = { settled, frame: 0n }; ; ) {
    const { rows } = await sql<CheckpointRow & { settled: string }>`
      select *, settled_until::text as settled from checkpoints
      where (settled_until, frame) > (${after.settled}::timestamptz, ${after.frame}) order by settled_until, frame limit 5`.execute(
      db,
    )
    for (const row of rows) {
      const position = readIds(row.trade_ids).indexOf(id)
      if (position === -1) continue
      const leaves = leavesIn(row.leaves)
      return {
        position,
        leaf: must(leaves[position]),
        path: pathOf(leaves, position).map((hash) => hash.toString('hex')),
        checkpoint: toCheckpoint(row),
      }
    }
    const last = rows.at(-1)
    if (!last) throw notReady()
    after = last
  }
}

/**
 * The prices that decide a trade, with their neighbours. Where the symbol has had no price since, there is no neighbour:
 * the frames that could hold one, `silent`, show that none came.
 */
async function ticksOf(
  db: Snapshot,
  row: SettledTrade,
  instruments: Instruments,
): Promise<{ ticks: Receipt['ticks']; silent: readonly number[] }> {
  const { symbol_id: symbolId } = row
  const tradeTime = Number(row.trade_time)
  const endTime = Number(row.end_time)
  const { scale } = must(instruments.byId(symbolId))
  const shown = (tick: StoredTick | undefined): ReceiptTick | null => (tick ? receiptTick(tick, scale) : null)
  const lastUpTo = async (time: Ms) => (await readTicks(db, symbolId, time - MINUTE_MS, time)).at(-1)
  const entry = await firstTick(db, symbolId, tradeTime + 1)
  const ticks = { ...NO_TICKS, before_entry: shown(await lastUpTo(tradeTime)), entry: shown(entry) }
  if (!entry) return { ticks, silent: await silence(db, tradeTime, tradeTime + ENTRY_WITHIN_MS) }
  if (row.entry_seq === null) return { ticks, silent: [] }
  if (row.sale) {
    const sold = await firstTick(db, symbolId, row.sale.at + 1)
    return { ticks: { ...ticks, exit: shown(sold) }, silent: [] }
  }
  // The kind may have changed just before the trade, if the node that accepted it didn't know yet.
  const changed =
    entry.kind === row.source_kind
      ? (await readKinds(db))
          .get(symbolId)
          ?.find(({ sourceMs, kind }) => sourceMs > tradeTime && sourceMs <= endTime && kind !== row.source_kind)
      : entry
  if (changed)
    return { ticks: { ...ticks, change: shown(await firstTick(db, symbolId, changed.sourceMs)) }, silent: [] }
  const after = await firstTick(db, symbolId, endTime + 1)
  // With a silent source, the last price before the end is older than a minute.
  const exit = (await lastUpTo(endTime)) ?? (await readTicks(db, symbolId, entry.sourceMs, endTime)).at(-1)
  assert(exit, 'an entry is a price before the end')
  // An older exit is too old to count, whatever came between.
  const since = Math.max(exit.sourceMs, endTime - row.stale_after_ms)
  return {
    ticks: { ...ticks, exit: shown(exit), after_exit: shown(after) },
    silent: after ? [] : await silence(db, since, endTime),
  }
}

const receiptTick = (tick: StoredTick, scale: number): ReceiptTick => ({
  sequence: tick.seq,
  time: tick.sourceMs,
  price: formatPrice(tick.price, scale),
  source: must(SOURCES[tick.kind]),
  frame: tick.frame,
})

/** Where the tape states the variance of a sale, and the last price up to the order: the next one sold the trade. */
async function soldOf(
  db: Snapshot,
  row: SettledTrade,
  { at, frame }: NonNullable<SettledTrade['sale']>,
  instruments: Instruments,
): Promise<ReceiptOfSale['sold']> {
  const { scale } = must(instruments.byId(row.symbol_id))
  const before = (await readTicks(db, row.symbol_id, Number(row.trade_time), at)).at(-1)
  return { variance_frame: frame, before: receiptTick(must(before), scale) }
}

/** The frames that show that no price came after `after` and up to `until`. */
async function silence(db: Snapshot, after: Ms, until: Ms): Promise<number[]> {
  const span = await framesOver(db, after, until)
  if (!span) throw notReady()
  return Array.from({ length: span.last - span.first + 1 }, (_, i) => span.first + i)
}

/** Returns the runs of frames from those that are named to the checkpoint after each. */
async function segmentsOf(db: Snapshot, named: readonly number[]): Promise<ReceiptSegment[]> {
  const groups = new Map<number, { row: CheckpointRow; frames: number[] }>()
  for (const frame of named) {
    const { rows } = await sql<CheckpointRow>`
      select * from checkpoints where frame >= ${frame} order by frame limit 1`.execute(db)
    const row = rows[0]
    if (!row) throw notReady()
    const group = groups.get(Number(row.frame)) ?? { row, frames: [] }
    group.frames.push(frame)
    groups.set(Number(row.frame), group)
  }
  const segments: ReceiptSegment[] = []
  for (const [last, { row, frames }] of groups) {
    const first = must(frames[0])
    const run = await readFrames(db, first, last, new Set(frames))
    if (run.frames.some(({ n, body }) => frames.includes(n) && body === undefined))
      throw new Problem('not_found', 'The prices around this trade are no longer kept.')
    segments.push({
      first,
      before: run.before.toString('hex'),
      frames: run.frames.map(({ t, bodyHash, body }) =>
        body ? [t, 'body', body.toString('hex')] : [t, bodyHash.toString('hex')],
      ),
      checkpoint: toCheckpoint(row),
    })
  }
  return segments
}

async function keysOf(db: Snapshot, ids: readonly string[]): Promise<Receipt['keys']> {
  const rows = await db.selectFrom('proof_keys').select(['id', 'public_key']).where('id', 'in', ids).execute()
  return ids.map((id) => ({ id, public_key: must(rows.find((row) => row.id === id)).public_key.toString('hex') }))
}
