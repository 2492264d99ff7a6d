import { publicId } from '#kernel/id.ts'
import { accountOf } from '#server/ledger/index.ts'
import { type Db, sql } from '#server/platform/database/db.ts'
import type { Journal } from '../journal.ts'
import type { People } from '../people.ts'
import type { StoredSale, StoredTrade, StoredWaiting } from './outcomes.ts'

/** Compares trades that clients saw accepted or rejected with those that exist. Returns contradictions as text. */
export function tradesMissing(
  { entries }: Journal,
  { traders }: People,
  trades: readonly StoredTrade[],
  /** Trades that the harness wrote itself. */
  written: ReadonlySet<bigint>,
): string[] {
  const found: string[] = []
  const byKey = Map.groupBy(
    trades.filter(({ key }) => key !== null),
    ({ key }) => key!,
  )
  for (const trade of trades)
    if (trade.key === null && !written.has(trade.id)) found.push(`trade ${trade.id} has no key`)
  for (const { key, operation, outcome } of entries) {
    if (operation.kind !== 'trade') continue
    const stored = byKey.get(key) ?? []
    byKey.delete(key)
    if (stored.length > 1) found.push(`${key} has ${stored.length} trades`)
    const [trade] = stored
    if (outcome.kind === 'rejected' && trade) found.push(`${key} was rejected (${outcome.code}) and exists`)
    if (outcome.kind !== 'acknowledged') continue
    if (!trade) found.push(`${key} was acknowledged as ${outcome.id} and doesn't exist`)
    else if (publicId(trade.id) !== outcome.id)
      found.push(`${key} was acknowledged as ${outcome.id} and is ${publicId(trade.id)}`)
    else if (trade.stake !== BigInt(operation.cents))
      found.push(`${key} was acknowledged for ${operation.cents} cents and has ${trade.stake}`)
    else if (
      trade.side !== operation.side ||
      trade.account_id !== accountOf(traders[operation.trader]!.userId, operation.mode) ||
      trade.end_time - trade.trade_time !== 60_000n
    )
      found.push(`${key} was acknowledged with other terms`)
  }
  for (const key of byKey.keys()) if (!key.startsWith(WAITING)) found.push(`nobody asked for ${key}`)
  return found
}

/** How the key of a waiting order's trade begins; the order's number follows. */
const WAITING = 'waiting:'
/** An order for a time has traded or has been refused so long after it, ms. */
const WAITING_ENDS_MS = 90_000

/** Compares waiting orders that clients saw accepted with the stored ones and their trades. `head`: the time of the tape. */
export function waitingMissing(
  journal: Journal,
  { traders }: People,
  facts: { orders: readonly StoredWaiting[]; trades: readonly StoredTrade[]; head: number },
): string[] {
  const found: string[] = []
  const orders = new Map(facts.orders.map((order) => [String(order.id), order]))
  const asked = new Set<string>()
  for (const { key, operation, outcome } of journal.acknowledged('wait')) {
    const order = orders.get(outcome.id)
    if (asked.has(outcome.id)) found.push(`waiting order ${outcome.id} has two keys`)
    asked.add(outcome.id)
    if (!order) found.push(`waiting order ${key} was acknowledged as ${outcome.id} and doesn't exist`)
    else if (
      order.stake !== BigInt(operation.cents) ||
      order.side !== operation.side ||
      order.account_id !== accountOf(traders[operation.trader]!.userId, operation.mode)
    )
      found.push(`waiting order ${key} was acknowledged with other terms`)
  }
  for (const id of orders.keys()) if (!asked.has(id)) found.push(`nobody asked for waiting order ${id}`)

  const trades = Map.groupBy(
    facts.trades.filter(({ key }) => key?.startsWith(WAITING)),
    ({ key }) => key!.slice(WAITING.length),
  )
  for (const [id, { status, trade_id, account_id, side, stake, at_ms }] of orders) {
    const [trade, ...more] = trades.get(id) ?? []
    trades.delete(id)
    if (more.length > 0) found.push(`waiting order ${id} has ${more.length + 1} trades`)
    if (trade?.id !== (trade_id ?? undefined)) found.push(`waiting order ${id} has trade ${trade_id}, not ${trade?.id}`)
    else if (trade && (trade.account_id !== account_id || trade.side !== side || trade.stake !== stake))
      found.push(`waiting order ${id} has a trade with other terms`)
    const isOpen = status === 'Waiting' || status === 'Triggered'
    if (isOpen && at_ms !== null && Number(at_ms) + WAITING_ENDS_MS < facts.head)
      found.push(`waiting order ${id} is ${status} ${facts.head - Number(at_ms)} ms after its time`)
  }
  for (const id of trades.keys()) found.push(`a trade names waiting order ${id}, which doesn't exist`)
  return found
}

/** Compares orders to sell that clients saw accepted with the stored ones, and those that sold with their trades. */
export function salesMissing(
  journal: Journal,
  { sales, trades }: { sales: readonly StoredSale[]; trades: readonly StoredTrade[] },
): string[] {
  const found: string[] = []
  const stored = new Map(
    sales.map((sale) => [`${publicId(sale.trade_id)} ${new Date(Number(sale.at)).toISOString()}`, sale]),
  )
  const asked = new Set<string>()
  for (const { key, operation, outcome } of journal.acknowledged('sell')) {
    const sale = stored.get(outcome.id)
    if (asked.has(outcome.id)) found.push(`order ${outcome.id} to sell has two keys`)
    asked.add(outcome.id)
    if (!sale) found.push(`order ${key} to sell was acknowledged as ${outcome.id} and doesn't exist`)
    else if (sale.minimum !== BigInt(operation.cents))
      found.push(`order ${key} to sell for ${operation.cents} cents has ${sale.minimum}`)
  }
  for (const id of stored.keys()) if (!asked.has(id)) found.push(`nobody asked for order ${id} to sell`)
  const statusOf = new Map(trades.map(({ id, status }) => [id, status]))
  const sold = new Set(sales.filter(({ outcome }) => outcome === 'sold').map(({ trade_id }) => trade_id))
  for (const id of sold) if (statusOf.get(id) !== 'Sold') found.push(`trade ${id} was sold and is ${statusOf.get(id)}`)
  for (const [id, status] of statusOf)
    if (status === 'Sold' && !sold.has(id)) found.push(`trade ${id} is Sold without an order`)
  for (const { trade_id, at, outcome } of sales)
    if (outcome === null && statusOf.get(trade_id) !== 'Pending')
      found.push(`order ${trade_id} ${at} to sell stays undecided`)
  return found
}

/** Compares acknowledged deposits, withdrawals and actions on them with the stored rows. */
export async function moneyMissing(journal: Journal, db: Db): Promise<string[]> {
  const found: string[] = []
  const { rows: withdrawals } = await sql<{ id: bigint; amount: bigint; status: string }>`
    select id, amount, status from withdrawals`.execute(db)
  const { rows: deposits } = await sql<{ id: bigint; submitted: bigint; credited: bigint | null; status: string }>`
    select id, submitted, credited, status from deposits where coalesce(provider_reference, '') not like 'test %'`.execute(
    db,
  )
  const withdrawalOf = new Map(withdrawals.map((row) => [publicId(row.id), row]))
  const depositOf = new Map(deposits.map((row) => [publicId(row.id), row]))
  const idOf = (n: number) => (journal.entries[n]!.outcome as { id: string }).id

  const asked = new Set<string>()
  for (const { key, operation, outcome } of journal.acknowledged('withdraw')) {
    const row = withdrawalOf.get(outcome.id)
    if (asked.has(outcome.id)) found.push(`withdrawal ${outcome.id} has two keys`)
    asked.add(outcome.id)
    if (row?.amount !== BigInt(operation.cents))
      found.push(`withdrawal ${key} of ${operation.cents} cents is ${row?.amount ?? 'missing'}`)
  }
  for (const id of withdrawalOf.keys()) if (!asked.has(id)) found.push(`nobody asked for withdrawal ${id}`)
  const steps = [
    ['cancel', ['Cancelled']],
    ['reject', ['Rejected']],
    ['approve', ['Processing', 'Paid']],
    ['pay', ['Paid']],
  ] as const
  for (const [kind, statuses] of steps)
    for (const { operation } of journal.acknowledged(kind)) {
      const status = withdrawalOf.get(idOf(operation.of))?.status
      if (!(statuses as readonly (string | undefined)[]).includes(status))
        found.push(`withdrawal ${idOf(operation.of)}: ${kind} was acknowledged and it is ${status}`)
    }

  const made = new Set<string>()
  for (const kind of ['card', 'deposit'] as const)
    for (const { key, operation, outcome } of journal.acknowledged(kind)) {
      made.add(outcome.id)
      const row = depositOf.get(outcome.id)
      if (row?.submitted !== BigInt(operation.cents))
        found.push(`deposit ${key} of ${operation.cents} cents is ${row?.submitted ?? 'missing'}`)
    }
  for (const id of depositOf.keys()) if (!made.has(id)) found.push(`nobody made deposit ${id}`)
  for (const kind of ['event', 'credit'] as const)
    for (const { operation } of journal.acknowledged(kind)) {
      const row = depositOf.get(idOf(operation.of))
      if (row?.status !== 'Approved' || row.credited !== BigInt(operation.cents))
        found.push(`deposit ${idOf(operation.of)}: ${kind} was acknowledged and it is ${row?.status}`)
    }
  return found
}
