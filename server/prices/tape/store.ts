import type pg from 'pg'
import { first, must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { bigints, numbers, smallints } from '../../platform/database/connection.ts'
import type { Instruments } from '../instruments/instruments.ts'
import type { Entry, Frame } from './frames/frame.ts'
import type { Period } from './memory/memory.ts'

/** The end of the tape. */
interface Head {
  n: number
  t: Ms
  hash: Buffer
  epoch: number
}

/** A connection or a pool that can run statements. */
export interface Sender {
  query<R extends pg.QueryResultRow>(text: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult<R>>
}

export async function readHead(sender: Sender): Promise<Head> {
  const { rows } = await sender.query<{ number: bigint; t: bigint; hash: Buffer; epoch: number }>(
    'select number, t, hash, epoch from tape_head',
  )
  const row = first(rows)
  return { n: Number(row.number), t: Number(row.t), hash: row.hash, epoch: row.epoch }
}

const append = (orders: string) => `
with head as (
  update tape_head set number = $1, t = $2, hash = $3 where number = $1 - 1 and hash = $4 returning 1
), framed as (
  insert into frames (n, t, hash, body) select $1, $2, $3, $5 from head
), ticked as (
  insert into ticks (symbol_id, source_ms, seq, price, kind, frame)
  select tick.symbol_id, tick.source_ms, tick.seq, tick.price, tick.kind, $1
  from head, unnest($6::smallint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::smallint[])
    as tick (symbol_id, source_ms, seq, price, kind)
), kinded as (
  insert into tape_kinds (symbol_id, source_ms, kind)
  select tick.symbol_id, tick.source_ms, tick.kind
  from head, unnest($6::smallint[], $7::bigint[], $10::smallint[]) as tick (symbol_id, source_ms, kind)
  where tick.kind is distinct from (
    select last.kind from tape_kinds last where last.symbol_id = tick.symbol_id order by last.source_ms desc limit 1
  )
)${orders}
select (extract(epoch from clock_timestamp()) * 1000)::float8 as now from head`

const APPEND = append('')
const APPEND_WITH_ORDERS = append(`, bound as (
  insert into frame_orders (frame, t, trade_ids, leaves, root) select $1, $2, $11::bigint[], $12, $13 from head
)`)

/** The orders that a frame binds. The database takes only orders that no frame binds yet. */
export interface BoundOrders {
  /** Ascending. */
  tradeIds: readonly bigint[]
  /** The hash of each, 32 bytes. */
  leaves: Buffer
  root: Buffer
}

/** Builds a statement that appends one frame, separately from sending it, so that a retry sends the same. */
export function appendStatement(
  instruments: Instruments,
  frame: Frame,
  entries: readonly Entry[],
  orders?: BoundOrders,
): pg.QueryConfig {
  return {
    name: orders ? 'append frame with orders' : 'append frame',
    text: orders ? APPEND_WITH_ORDERS : APPEND,
    values: [
      frame.n,
      frame.t,
      frame.hash,
      frame.prev,
      frame.body,
      smallints(entries, ({ symbol }) => must(instruments.bySymbol(symbol)).id),
      bigints(entries, ({ sourceMs }) => sourceMs),
      bigints(entries, ({ seq }) => seq),
      bigints(entries, ({ units }) => units),
      smallints(entries, ({ kind }) => kind),
      ...(orders ? [numbers(orders.tradeIds), orders.leaves, orders.root] : []),
    ],
  }
}

/**
 * Returns frames with a number above `n`, oldest first, and the database's time with each; the caller fills in their
 * previous hash.
 */
export async function readFramesAfter(
  sender: Sender,
  n: number,
  limit: number,
): Promise<{ n: number; t: Ms; hash: Buffer; body: Buffer; now: Ms }[]> {
  const { rows } = await sender.query<{ n: bigint; t: bigint; hash: Buffer; body: Buffer; now: number }>({
    name: 'frames after',
    text: `select n, t, hash, body, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
     from frames where n > $1 order by n limit $2`,
    values: [n, limit],
  })
  return rows.map((row) => ({ n: Number(row.n), t: Number(row.t), hash: row.hash, body: row.body, now: row.now }))
}

/** Returns each instrument's newest tick up to a frame, unless it is pruned: the newest tick of all never is. */
export async function readNewestTicks(sender: Sender, upToFrame: number) {
  const { rows } = await sender.query<{
    symbol_id: number
    source_ms: bigint
    seq: bigint
    price: bigint
  }>(
    `select tick.* from instruments i, lateral (
       select symbol_id, source_ms, seq, price from ticks
       where symbol_id = i.id and frame <= $1 order by source_ms desc limit 1
     ) tick`,
    [upToFrame],
  )
  return rows.map((row) => ({
    symbolId: row.symbol_id,
    sourceMs: Number(row.source_ms),
    seq: Number(row.seq),
    units: Number(row.price),
  }))
}

/** Returns each symbol's period at a source time. */
export async function readPeriods(sender: Sender, at: Ms): Promise<(Period & { symbolId: number })[]> {
  const { rows } = await sender.query<{ symbol_id: number; since: bigint; kind: number; first: boolean }>(
    `select distinct on (symbol_id) symbol_id, source_ms as since, kind,
       source_ms = min(source_ms) over (partition by symbol_id) as first
     from tape_kinds where source_ms <= $1 order by symbol_id, source_ms desc`,
    [at],
  )
  return rows.map(({ symbol_id, since, kind, first }) => ({ symbolId: symbol_id, since: Number(since), kind, first }))
}
