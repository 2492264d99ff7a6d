import type { Usd } from '#kernel/money.ts'
import { isSaleTime, type SaleRule, saleRule, tickWithinMs } from '#kernel/sale-value.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { type KindChange, varianceFor } from '../../prices/index.ts'
import type { TradeRow } from '../store.ts'
import { ENTRY_WITHIN_MS, findEntry, type Terms, type TickReader } from '../trade.ts'
import { decideSale, type Sale, SOLD, saleTick, UNSOLD } from './sale.ts'

interface SoldOrder {
  at: bigint
  minimum: Usd
  variance: bigint
  variance_frame: bigint
  fee: Usd
}

/** Decides an order to sell by the tape alone, and says which frame states the variance. */
async function saleOnTape(
  db: Db | Tx,
  of: { rule: SaleRule; terms: Terms; symbolId: number; order: { at: Ms; minimum: Usd } },
  readTicks: TickReader,
  kinds: readonly KindChange[],
): Promise<{ sale: Sale; frame: number | undefined }> {
  const { rule, terms, symbolId, order } = of
  const { tradeTime, sourceKind } = terms
  const entry = findEntry(terms, await readTicks(symbolId, tradeTime, tradeTime + ENTRY_WITHIN_MS))
  const tick = saleTick(rule, order, await readTicks(symbolId, order.at, order.at + tickWithinMs(rule)))
  const kindChanged =
    tick !== undefined &&
    (entry?.kind !== sourceKind ||
      kinds.some(({ sourceMs, kind }) => sourceMs > tradeTime && sourceMs <= tick.sourceMs && kind !== sourceKind))
  const stated = tick && (await varianceFor(db, symbolId, tick.sourceMs))
  return {
    sale: decideSale(rule, terms, order, { entry, tick, kindChanged, variance: stated?.value }),
    frame: stated?.frame,
  }
}

/** Says how a sold trade differs from what the tape and its order give; undefined if it doesn't. */
export async function saleDifference(
  db: Db | Tx,
  { row, terms }: { row: TradeRow; terms: Terms },
  readTicks: TickReader,
  kinds: readonly KindChange[],
): Promise<string | undefined> {
  const { rows } = await sql<SoldOrder>`
    select at, minimum, variance, variance_frame, fee from sale_orders
    where account_id = ${row.account_id} and trade_id = ${row.id} and outcome = 'sold'`.execute(db)
  const order = rows[0]
  const rule = saleRule(row.sale_rule)
  if (!order) return 'is Sold, but no order sold it'
  if (!rule) return `has the formula ${row.sale_rule}, which this version doesn't know`
  const asked = { at: Number(order.at), minimum: order.minimum }
  const { sale, frame } = await saleOnTape(db, { rule, terms, symbolId: row.symbol_id, order: asked }, readTicks, kinds)
  if (sale.outcome === 'unsold') return `is Sold, but the tape gives: ${sale.says}`
  const { payout, fee, variance, entry, tick } = sale
  if (payout !== row.payout) return `was sold for ${row.payout}, but the tape gives ${payout}`
  if (fee !== order.fee) return `was sold for a fee of ${order.fee}, but its rule gives ${fee}`
  if (BigInt(variance) !== order.variance || BigInt(frame ?? 0) !== order.variance_frame)
    return 'was sold by another variance than the tape states'
  if (row.outcome_reason !== SOLD) return 'has a different reason than a sale'
  if (entry.seq !== row.entry_seq || entry.price !== row.entry_price) return 'has a different entry than the tape'
  if (tick.seq !== row.exit_seq || tick.price !== row.exit_price || BigInt(tick.sourceMs) !== row.exit_time)
    return 'was sold at a different price than the first after its order'
  return undefined
}

/** An order to sell that didn't sell its trade. */
export interface UnsoldOrder {
  at: bigint
  minimum: Usd
  decided_at: Date
  says: string
  tick_seq: bigint | null
  tick_time: bigint | null
  tick_price: bigint | null
}

/** Says how a decided order differs from what the tape gives; undefined if it was left unsold for the reason it says. */
export async function unsoldDifference(
  db: Db | Tx,
  of: { row: TradeRow; terms: Terms; order: UnsoldOrder; isVoided: boolean },
  readTicks: TickReader,
  kinds: readonly KindChange[],
): Promise<string | undefined> {
  const { row, terms, order, isVoided } = of
  const rule = saleRule(row.sale_rule)
  if (!rule) return `has the formula ${row.sale_rule}, which this version doesn't know`
  if (!isSaleTime({ ...terms, rule }, Number(order.at))) return 'was accepted when its trade was not for sale'
  // Settlement waits for an order, so only operators end a trade before it.
  if (order.says === UNSOLD.ended)
    return isVoided && row.settled_at !== null && row.settled_at <= order.decided_at && order.tick_seq === null
      ? undefined
      : 'says that its trade had ended, but it had not'
  const asked = { at: Number(order.at), minimum: order.minimum }
  const { sale } = await saleOnTape(db, { rule, terms, symbolId: row.symbol_id, order: asked }, readTicks, kinds)
  if (sale.outcome === 'sold') return `was not carried out, but the tape gives a sale for ${sale.payout}`
  if (sale.says !== order.says) return `says "${order.says}", but the tape gives: ${sale.says}`
  const { tick } = sale
  const hasTick = tick
    ? tick.seq === order.tick_seq && tick.price === order.tick_price && BigInt(tick.sourceMs) === order.tick_time
    : order.tick_seq === null && order.tick_price === null && order.tick_time === null
  return hasTick ? undefined : 'was decided by another price than the first after it'
}
