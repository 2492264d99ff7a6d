import type { Connection } from '../../platform/database/connection.ts'
import { type Snapshot, sql } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import { rootOfBytes } from '../../platform/tree.ts'
import type { BoundOrders, Instruments, OrdersToBind } from '../../prices/index.ts'
import { type OrderRow, orderHash, orderOf } from '../order-hash.ts'

const LOOK_MS = 400
/** While no trade is known to be open, in case the message about one was lost. */
const IDLE_LOOK_MS = 1_000
/** Maximum orders that a frame binds, plus those of one more accepting statement: hashing them takes some milliseconds. */
const ORDERS_MAX = 2_000

const COLUMNS = `t.id, t.mode, t.symbol_id, t.source_kind, t.stale_after_ms, t.side, t.strike_rate, t.percent, t.stake, t.duration_seconds,
  t.trade_time, t.rule_version, t.price_list, encode(t.salt, 'hex') as salt`

/** Returns accepted orders that no frame binds yet, about $1 of them. Found by what is committed, not by a time. */
const UNBOUND_SQL = `
select ${COLUMNS}
from (
  select trade_ids, sum(cardinality(trade_ids)) over (order by id) - cardinality(trade_ids) as before
  from (select id, trade_ids from unbound_orders order by id limit $1::int) oldest
) waiting, unnest(waiting.trade_ids) as w(id) join trades t on t.id = w.id
where waiting.before < $1::int
order by t.id`

export interface OrderBinding extends OrdersToBind {
  /** Looks for orders now, unless some are known. */
  look(): Promise<void>
  stop(): Promise<void>
}

/** Finds the orders that the next frame of the tape binds, on the engine that writes it. */
export function startBinding(deps: {
  connection: Connection
  instruments: Instruments
  /** Whether this node writes the tape. */
  leads(): boolean
  mayHaveOpen(): boolean
  log: Log
}): OrderBinding {
  const { connection, instruments } = deps
  let known: BoundOrders | undefined
  let looking: Promise<void> | undefined

  async function find(): Promise<void> {
    if (!deps.leads()) known = undefined
    else if (!known) {
      const rows = await connection.run<OrderRow & Record<string, unknown>>('unbound_orders', UNBOUND_SQL, [ORDERS_MAX])
      if (rows.length > 0) known = bound(rows, instruments)
    }
  }

  function look(): Promise<void> {
    looking ??= find().finally(() => {
      looking = undefined
    })
    return looking
  }

  const loop = startLoop('orders to bind', () => (deps.mayHaveOpen() ? LOOK_MS : IDLE_LOOK_MS), deps.log, look)
  return {
    look,
    next: () => known,
    ended(orders) {
      if (known !== orders) return
      known = undefined
      // There may be more orders than one frame takes.
      if (orders.tradeIds.length >= ORDERS_MAX) loop.wake()
    },
    stop: () => loop.stop(),
  }
}

function bound(rows: readonly OrderRow[], instruments: Instruments): BoundOrders {
  const leaves = Buffer.allocUnsafe(32 * rows.length)
  for (const [at, row] of rows.entries()) leaves.write(orderHash(orderOf(row, instruments)), 32 * at, 'hex')
  return { tradeIds: rows.map(({ id }) => id), leaves, root: rootOfBytes(leaves) }
}

/** Returns the hashes of the orders of those of these trades that are stored. */
export async function orderHashes(
  db: Snapshot,
  ids: readonly bigint[],
  instruments: Instruments,
): Promise<Map<bigint, Buffer>> {
  const { rows } = await sql<OrderRow>`
    select ${sql.raw(COLUMNS)} from trades t where t.id = any (${ids}::bigint[]) and t.salt is not null`.execute(db)
  return new Map(rows.map((row) => [row.id, Buffer.from(orderHash(orderOf(row, instruments)), 'hex')]))
}
