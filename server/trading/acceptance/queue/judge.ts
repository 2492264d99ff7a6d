import type { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import type { Usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { refusalOf } from '../../refusals.ts'
import { type AcceptRow, acceptedBalances } from '../accept.sql.ts'
import type { QueueState } from './queue-state.ts'
import { isolate, type Ticket } from './ticket.ts'

/** Resolves each order of a committed batch; orders that can't be resolved yet return to the front of the queue. */
export function judge(queue: QueueState, batch: Ticket[], rows: AcceptRow[], sentAt: number): void {
  const byAccount = Map.groupBy(batch, (ticket) => ticket.order.accountId)
  const refused = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, row]])))
  const [all] = rows
  assert(
    all && Number(all.accepted) + refused.size === byAccount.size,
    'each account of a batch is accepted or refused',
  )
  const tradeTime = Number(all.trade_time)
  const balancesOf = acceptedBalances(all)
  const again: Ticket[] = []
  for (const [accountId, tickets] of byAccount) {
    const row = refused.get(accountId)
    if (row) {
      again.push(...refuse(queue, tickets, row))
      continue
    }
    const read = balancesOf.get(accountId)
    const balances = read && { ...read, sentAt }
    for (const { order, resolve } of tickets) resolve({ kind: 'accepted', accepted: { order, tradeTime, balances } })
  }
  queue.waiting.putBack(again)
}

/** Handles the orders of a rejected account. Returns those that must be judged again at once. */
function refuse(queue: QueueState, tickets: Ticket[], row: AcceptRow): Ticket[] {
  if (row.repeated) {
    queue.statements.checkAllKeys()
    // A stored response takes precedence over every other result.
    if (tickets.length > 1) return tickets.map((ticket) => isolate(ticket, 'distinct'))
    first(tickets).resolve({ kind: 'repeated' })
  } else if (row.busy || row.stop === 'again') queue.locked.tryLater(tickets)
  else if (row.balance === null)
    for (const ticket of tickets) ticket.reject(new Error(`account ${row.id} does not exist`))
  else return refuseSome(queue, tickets, row, row.balance)
  return []
}

/** Rejects the orders that fail on their own, and returns the others, those that don't fit together isolated. */
function refuseSome(queue: QueueState, tickets: Ticket[], row: AcceptRow, held: Usd): Ticket[] {
  const again: Ticket[] = []
  let balance: bigint = held
  let room = queue.openStakeMax() - row.escrow
  let guardRoom = row.guard_room
  for (const ticket of tickets) {
    const { stake } = ticket.order
    const isLone = tickets.length === 1 && ticket.batching !== 'any'
    const problem = refusalOf(ticket.order, row, held, { openStakeMax: queue.openStakeMax(), isLone })
    if (problem) decline(queue, ticket, problem)
    else if (row.full || stake > balance || stake > room || (guardRoom !== null && stake > guardRoom))
      again.push(isolate(ticket, 'distinct'))
    else {
      // Keep the longest prefix that fits together.
      balance -= stake
      room -= stake
      if (guardRoom !== null) guardRoom -= stake
      again.push(ticket)
    }
  }
  return again
}

function decline(queue: QueueState, ticket: Ticket, problem: Problem): void {
  if (ticket.isDoubtful) queue.doubted.push({ ticket, problem })
  else ticket.reject(problem)
}
