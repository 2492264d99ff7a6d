import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { percentHalfUp, type Usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { realTradingClosed, refusalOf, sideFull } from '../../refusals.ts'
import { type AcceptRow, acceptedBalances, shortRooms } from '../accept.sql.ts'
import type { Order } from '../order.ts'
import type { QueueState } from './queue-state.ts'
import type { Statement } from './statements.ts'
import { isolate, type Ticket } from './ticket.ts'

/** Resolves each order of a committed batch; orders that can't be resolved yet return to the front of the queue. */
export function judge(
  queue: QueueState,
  batch: Ticket[],
  rows: AcceptRow[],
  { sentAt, statement }: { sentAt: number; statement: Statement },
): void {
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
  const short = shortRooms(rows.find((row) => row.rooms) ?? { rooms: null })
  for (const [accountId, tickets] of byAccount) {
    const row = refused.get(accountId)
    if (row) {
      again.push(...refuse(queue, tickets, row, { short, statement }))
      continue
    }
    const read = balancesOf.get(accountId)
    const balances = read && { ...read, sentAt }
    for (const { order, resolve } of tickets) resolve({ kind: 'accepted', accepted: { order, tradeTime, balances } })
  }
  queue.waiting.putBack(again)
}

/** What a statement said about the whole batch. */
interface Judged {
  short: ReturnType<typeof shortRooms>
  statement: Statement
}

/** Handles the orders of a rejected account. Returns those that must be judged again at once. */
function refuse(queue: QueueState, tickets: Ticket[], row: AcceptRow, { short, statement }: Judged): Ticket[] {
  if (row.repeated) {
    queue.statements.checkAllKeys()
    // A stored response takes precedence over every other result.
    if (tickets.length > 1) return tickets.map((ticket) => isolate(ticket, 'distinct'))
    first(tickets).resolve({ kind: 'repeated' })
  } else if (row.busy || row.stop === 'again') queue.locked.tryLater(tickets)
  else if (row.balance === null)
    for (const ticket of tickets) ticket.reject(new Error(`account ${row.id} does not exist`))
  else if (row.crowded && statement.checkKeys === 'rejected') {
    // A stored response takes precedence, and the statement didn't look for one.
    queue.statements.checkAllKeys()
    return tickets
  } else return refuseSome(queue, tickets, row, { held: row.balance, short })
  return []
}

/** Rejects the orders that fail on their own, and returns the others, those that don't fit together isolated. */
function refuseSome(
  queue: QueueState,
  tickets: Ticket[],
  row: AcceptRow,
  { held, short }: { held: Usd; short: Judged['short'] },
): Ticket[] {
  const again: Ticket[] = []
  let balance: bigint = held
  let room = queue.openStakeMax() - row.escrow
  let guardRoom = row.guard_room
  for (const ticket of tickets) {
    const { stake } = ticket.order
    const isLone = tickets.length === 1 && ticket.batching !== 'any'
    const problem = refusalOf(ticket.order, row, held, { openStakeMax: queue.openStakeMax(), isLone })
    const terms = problem
      ? 'same'
      : queue.offered(ticket.order, { version: row.price_list, at: Number(row.trade_time) })
    if (terms instanceof Problem) decline(queue, ticket, terms)
    else if (terms === 'unknown') queue.locked.tryLater([ticket])
    else if (terms !== 'same') {
      ticket.order = { ...ticket.order, offer: terms }
      again.push(isolate(ticket, 'distinct'))
    }
    if (terms !== 'same') continue
    const found = problem || !row.crowded ? 'some' : roomFor(queue, ticket.order, short)
    if (problem) decline(queue, ticket, problem)
    else if (found instanceof Problem) decline(queue, ticket, found)
    else if (found === 'asked') queue.locked.tryLater([ticket])
    else if (row.crowded || row.full || stake > balance || stake > room || (guardRoom !== null && stake > guardRoom))
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

/**
 * Says whether an order alone fits into the lane's rooms. If it doesn't, it asks for more, unless all lanes together
 * have too little.
 */
function roomFor({ rooms }: QueueState, order: Order, short: Judged['short']): Problem | 'some' | 'asked' {
  if (!rooms) return 'some'
  const profit = percentHalfUp(order.stake, order.percent)
  let found: 'some' | 'asked' = 'some'
  for (const number of rooms.roomsOf(order.symbolId, order.side)) {
    const room = short.get(number)
    if (!room || profit <= room.free) continue
    if (room.left !== undefined && profit > room.left) return room.left < 0n ? realTradingClosed() : sideFull(order)
    rooms.ask(rooms.lane, number, profit)
    found = 'asked'
  }
  return found
}

function decline(queue: QueueState, ticket: Ticket, problem: Problem): void {
  if (ticket.isDoubtful) queue.doubted.push({ ticket, problem })
  else ticket.reject(problem)
}
