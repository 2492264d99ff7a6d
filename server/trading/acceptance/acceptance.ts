import { setTimeout as sleep } from 'node:timers/promises'
import type { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import type { Usd } from '#kernel/money.ts'
import { userOf } from '../../ledger/index.ts'
import { type Connection, openConnection } from '../../platform/database/connection.ts'
import { databaseDown, isDatabaseDown, isLockTimeout, isRetryable, sqlState } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { accountBusy, refusalOf } from '../refusals.ts'
import { type AcceptNeeds, type AcceptRow, acceptedBalances, acceptSql, acceptValues } from './accept.sql.ts'
import type { Accepted, Order } from './order.ts'
import { ACCEPTED_OF_SQL, isSame, type StoredOrder } from './stored-order.ts'

/** The result of an order: accepted, or its key already belongs to a stored trade. */
export type Acceptance = { kind: 'accepted'; accepted: Accepted } | { kind: 'repeated' }

/**
 * Batches orders: those that arrive while a statement is in flight form the next one. There is no timer, so a lone
 * order never waits and a thousand cost little more than one. Each is answered after its COMMIT.
 */
export interface AcceptanceQueue {
  submit(order: Order): Promise<Acceptance>
  /** Rejects new orders and resolves when all queued ones have been answered. */
  drain(): Promise<void>
}

/** A queue that reports how many orders wait for its next statement. */
export interface AcceptanceLane extends AcceptanceQueue {
  waiting(): number
}

interface Ticket {
  order: Order
  resolve(result: Acceptance): void
  reject(error: unknown): void
  /**
   * Which orders it may share a batch with: any; only those of other accounts and other limited symbols (it couldn't be
   * judged together with them); none (a batch that contained it failed).
   */
  batching: 'any' | 'distinct' | 'alone'
  /** When it arrived here, as `performance.now()`. */
  since: number
  /** The reply to a statement with it was lost, so it may be stored: it's looked up before it is rejected. */
  isDoubtful: boolean
}

const BATCH_MAX = 1_000

/**
 * Opens a connection that accepts. Its prepared plans are kept while tables grow, until the next ANALYZE: a plan that
 * scans a small table would read it once for each order of a batch when it's large.
 */
export const openAcceptanceConnection = (url: string, log: Log): Connection =>
  openConnection(url, 'acceptance', log, '-c enable_seqscan=off')

/** How long the keys of all orders are checked after one was repeated. */
const CHECK_ALL_KEYS_MS = 5_000
/**
 * How long orders may take while the database is unavailable, from when they were sent, or their account is locked, from
 * when they arrived. Then the client gets a 503: it isn't known whether they were placed. None is placed after `LATE_MS`;
 * the rest of the time is for learning its fate.
 */
export const PATIENCE_MS = 4_000
/** The pause before the orders of a locked account are tried again. */
export const BUSY_MS = 20

export function acceptanceQueue(deps: {
  connection: Connection
  openStakeMax(): Usd
  newId(): bigint
  /** Whether any of these users has a screen open on this node. */
  isAnyListening?(userIds: bigint[]): boolean
  log: Log
  /** Maximum orders per statement. */
  batchMax?: number
}): AcceptanceLane {
  const batchMax = deps.batchMax ?? BATCH_MAX
  let waiting: Ticket[] = []
  // Orders of locked accounts, until they are tried again. Nobody else's order waits for them.
  const busy: Ticket[] = []
  let busyTimer: ReturnType<typeof setTimeout> | undefined
  // Rejected orders that may be stored.
  const doubted: { ticket: Ticket; problem: Problem }[] = []
  let running = false
  let idle = Promise.resolve()
  let draining = false
  // One repeated key (a lost connection, a probing client) means more will follow: check all keys for a while.
  let checkAllKeysUntil = Number.NEGATIVE_INFINITY
  const checkAllKeysFromNow = () => {
    checkAllKeysUntil = performance.now() + CHECK_ALL_KEYS_MS
  }

  function takeBatch(): Ticket[] {
    const single = waiting.findIndex((ticket) => ticket.batching === 'alone')
    if (single >= 0) return waiting.splice(single, 1)
    if (!waiting.some((ticket) => ticket.batching === 'distinct')) return waiting.splice(0, batchMax)
    // Isolated orders go first, at most one per account and per limited symbol.
    const taken = new Set<Ticket>()
    const seen = new Set<bigint | number>()
    for (const ticket of waiting) {
      const { accountId, symbolId, limited } = ticket.order
      if (ticket.batching === 'any' || seen.has(accountId) || (limited && seen.has(symbolId))) continue
      seen.add(accountId)
      if (limited) seen.add(symbolId)
      taken.add(ticket)
      if (taken.size === batchMax) break
    }
    waiting = waiting.filter((ticket) => !taken.has(ticket))
    return [...taken]
  }

  async function run(): Promise<void> {
    running = true
    // Orders submitted in the same tick still join the first batch.
    await undefined
    while (waiting.length > 0) {
      const batch = takeBatch()
      const sentAt = performance.now()
      const orders = batch.map((ticket) => ticket.order)
      const statement = statementFor(orders)
      try {
        judge(batch, await execute(statement, orders), sentAt)
      } catch (error) {
        await afterFailure(batch, error, statement, sentAt)
      }
      if (doubted.length > 0) await answerDoubted(doubted.splice(0))
    }
    // Cleared in the same tick as the queue check, so an order that arrives later starts a new run.
    running = false
  }

  function statementFor(orders: readonly Order[]): Statement {
    const balances = deps.isAnyListening?.(orders.map((order) => userOf(order.accountId))) ? 'read' : 'unread'
    if (orders.some((order) => order.limited)) return STATEMENTS.limited[balances]
    return (performance.now() < checkAllKeysUntil ? STATEMENTS.looking : STATEMENTS.plain)[balances]
  }

  const execute = ({ name, text }: Statement, orders: readonly Order[]): Promise<AcceptRow[]> =>
    deps.connection.run<AcceptRow & Record<string, unknown>>(name, text, acceptValues(orders, deps.openStakeMax()))

  /** Resolves each order of a committed batch; orders that can't be resolved yet return to the front of the queue. */
  function judge(batch: Ticket[], rows: AcceptRow[], sentAt: number): void {
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
        again.push(...refuse(tickets, row))
        continue
      }
      const read = balancesOf.get(accountId)
      const balances = read && { ...read, sentAt }
      for (const { order, resolve } of tickets) resolve({ kind: 'accepted', accepted: { order, tradeTime, balances } })
    }
    waiting.unshift(...again)
  }

  /** Handles the orders of a rejected account. Returns those that must be judged again at once. */
  function refuse(tickets: Ticket[], row: AcceptRow): Ticket[] {
    if (row.repeated) {
      checkAllKeysFromNow()
      // A stored response takes precedence over every other result.
      if (tickets.length > 1) return tickets.map((ticket) => isolate(ticket, 'distinct'))
      tickets[0]!.resolve({ kind: 'repeated' })
    } else if (row.busy || row.stop === 'again') tryLater(tickets)
    else if (row.balance === null)
      for (const ticket of tickets) ticket.reject(new Error(`account ${row.id} does not exist`))
    else return refuseSome(tickets, row, row.balance)
    return []
  }

  /** Rejects the orders that fail on their own, and returns the others, those that don't fit together isolated. */
  function refuseSome(tickets: Ticket[], row: AcceptRow, held: Usd): Ticket[] {
    const again: Ticket[] = []
    let balance: bigint = held
    let room = deps.openStakeMax() - row.escrow
    let guardRoom = row.guard_room
    for (const ticket of tickets) {
      const { stake } = ticket.order
      const isLone = tickets.length === 1 && ticket.batching !== 'any'
      const problem = refusalOf(ticket.order, row, held, { openStakeMax: deps.openStakeMax(), isLone })
      if (problem) decline(ticket, problem)
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

  /** Tries the orders of a locked account again soon, with the next batch, until their patience is over. */
  function tryLater(tickets: readonly Ticket[]): void {
    for (const ticket of tickets)
      if (performance.now() - ticket.since < PATIENCE_MS) busy.push(ticket)
      else ticket.reject(accountBusy())
    busyTimer ??= setTimeout(() => {
      busyTimer = undefined
      waiting.push(...busy.splice(0))
      start()
    }, BUSY_MS)
  }

  function decline(ticket: Ticket, problem: Problem): void {
    if (ticket.isDoubtful) doubted.push({ ticket, problem })
    else ticket.reject(problem)
  }

  /**
   * Answers rejected orders whose reply was lost before. The statement that rejected them had their accounts' locks, so
   * the lost one has ended: either they are stored by now, or they never will be.
   */
  async function answerDoubted(rejected: typeof doubted): Promise<void> {
    try {
      const stored = await storedOrders(rejected.map(({ ticket }) => ticket))
      for (const { ticket, problem } of rejected) if (!acceptStored(ticket, stored)) ticket.reject(problem)
    } catch (error) {
      for (const { ticket } of rejected) ticket.reject(isDatabaseDown(error) ? databaseDown() : error)
    }
  }

  /** Handles an error, which fails the whole batch. Nothing is answered until it is known what the database did. */
  async function afterFailure(batch: Ticket[], error: unknown, statement: Statement, sentAt: number): Promise<void> {
    if (isRetryable(error)) {
      waiting.unshift(...batch)
      return
    }
    if (sqlState(error) === '23505') {
      checkAllKeysFromNow()
      if (isolateDuplicateKeys(batch) || statement.checkKeys === 'rejected') {
        // A key is repeated within this batch, or was used before.
        waiting.unshift(...batch)
        return
      }
      // Another batch has committed one of these keys or ids in the meantime: retry each order alone to find out which.
      if (batch.length > 1) {
        waiting.unshift(...batch.map((ticket) => isolate(ticket, 'alone')))
        return
      }
      await resolveLostReply(batch, sentAt)
      return
    }
    if (isLockTimeout(error)) {
      // Another transaction has locked the reservation of an automatic trade.
      if (batch.length > 1) waiting.unshift(...batch.map((ticket) => isolate(ticket, 'alone')))
      else tryLater(batch)
      return
    }
    if (sqlState(error)?.startsWith('53')) {
      // Out of disk or memory: the statement was certainly rolled back.
      deps.log.error({ error: String(error), orders: batch.length }, 'the database has no room: rejecting orders')
      for (const ticket of batch) ticket.reject(databaseDown())
      return
    }
    if (isDatabaseDown(error)) {
      await resolveLostReply(batch, sentAt)
      return
    }
    deps.log.error({ error: String(error), orders: batch.length }, 'a batch failed')
    if (batch.length > 1) waiting.unshift(...batch.map((ticket) => isolate(ticket, 'alone')))
    else for (const ticket of batch) ticket.reject(error)
  }

  /**
   * Recovers from a lost reply, when the batch may have committed or may still commit. Accepts the orders that are
   * found stored; resubmits the others under the same ids, which can exist only once.
   */
  async function resolveLostReply(batch: Ticket[], sentAt: number): Promise<void> {
    for (const ticket of batch) ticket.isDoubtful = true
    do {
      try {
        const stored = await storedOrders(batch)
        const missing = batch.filter((ticket) => !acceptStored(ticket, stored))
        // An id that belongs to another order can't belong to this one any more.
        for (const ticket of missing)
          if (stored.has(ticket.order.id)) ticket.order = { ...ticket.order, id: deps.newId() }
        waiting.unshift(...missing.map((ticket) => isolate(ticket, 'alone')))
        return
      } catch (error) {
        if (!isDatabaseDown(error)) {
          for (const ticket of batch) ticket.reject(error)
          return
        }
        await sleep(100)
      }
    } while (performance.now() < sentAt + PATIENCE_MS)
    for (const ticket of [...batch, ...waiting.splice(0)]) ticket.reject(databaseDown())
  }

  /** Returns the stored trades with the ids of these orders. */
  async function storedOrders(tickets: readonly Ticket[]): Promise<Map<bigint, StoredOrder>> {
    const rows = await deps.connection.run<StoredOrder & Record<string, unknown>>('accepted_of', ACCEPTED_OF_SQL, [
      tickets.map(({ order }) => order.id),
    ])
    return new Map(rows.map((row) => [row.id, row]))
  }

  /** Accepts an order if it is stored. Two nodes with the same number make the same id, so it may be another order's. */
  function acceptStored({ order, resolve }: Ticket, stored: ReadonlyMap<bigint, StoredOrder>): boolean {
    const row = stored.get(order.id)
    if (!row || !isSame(row, order)) return false
    resolve({ kind: 'accepted', accepted: { order, tradeTime: Number(row.trade_time) } })
    return true
  }

  function start(): void {
    if (!running) idle = run()
  }

  return {
    submit(order) {
      if (draining) return Promise.reject(databaseDown())
      return new Promise<Acceptance>((resolve, reject) => {
        waiting.push({ order, resolve, reject, batching: 'any', since: performance.now(), isDoubtful: false })
        start()
      })
    },
    waiting: () => waiting.length,
    async drain() {
      draining = true
      while (running || busyTimer !== undefined) await (running ? idle : sleep(BUSY_MS))
    },
  }
}

interface Statement extends AcceptNeeds {
  name: string
  text: string
}

function prepared(name: string, needs: Omit<AcceptNeeds, 'balances'>): Record<'read' | 'unread', Statement> {
  const statement = (balances: boolean): Statement => ({
    name: balances ? `${name}_with_balances` : name,
    text: acceptSql({ ...needs, balances }),
    ...needs,
    balances,
  })
  return { read: statement(true), unread: statement(false) }
}
const STATEMENTS = {
  plain: prepared('accept', { limited: false, checkKeys: 'rejected' }),
  looking: prepared('accept_looking', { limited: false, checkKeys: 'all' }),
  limited: prepared('accept_limited', { limited: true, checkKeys: 'all' }),
}

/** Isolates the later of one trader's orders with the same key. Returns whether there were any. */
function isolateDuplicateKeys(batch: readonly Ticket[]): boolean {
  const seen = new Set<string>()
  let any = false
  for (const ticket of batch) {
    const { accountId, key } = ticket.order
    if (key === undefined) continue
    const whose = `${userOf(accountId)} ${key}`
    if (seen.has(whose)) {
      isolate(ticket, 'distinct')
      any = true
    }
    seen.add(whose)
  }
  return any
}

const isolate = (ticket: Ticket, batching: Ticket['batching']) => Object.assign(ticket, { batching })
