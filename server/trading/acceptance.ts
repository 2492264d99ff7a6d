import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { dollars, type Usd } from '#kernel/money.ts'
import { blockedProblem, checkDueProblem, ownLimitProblem } from '../guardrails/index.ts'
import { userOf } from '../ledger/index.ts'
import { type Connection, openConnection } from '../platform/connection.ts'
import { databaseDown, isDatabaseDown, isRetryable, sqlState } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { type AcceptNeeds, type AcceptRow, acceptedBalances, acceptSql, acceptValues } from './accept.sql.ts'
import type { Accepted, Order } from './order.ts'

/** The result of an order: accepted, or its key already belongs to a stored trade. */
export type Acceptance = { kind: 'accepted'; accepted: Accepted } | { kind: 'repeated' }

interface Ticket {
  order: Order
  resolve(result: Acceptance): void
  reject(error: unknown): void
  /**
   * Which orders it may share a batch with: any; only those of other accounts and other limited symbols (it couldn't be
   * judged together with them); none (a batch that contained it failed).
   */
  batching: 'any' | 'distinct' | 'alone'
}

/** Maximum connections that accept in parallel. */
export const ACCEPTANCE_LANES = 2
const BATCH_MAX = 1_000

/**
 * Opens a connection that accepts. Its prepared plans are kept while tables grow, until the next ANALYZE: a plan that
 * scans a small table would read it once for each order of a batch when it's large.
 */
export const openAcceptanceConnection = (url: string, log: Log): Connection =>
  openConnection(url, 'acceptance', log, '-c enable_seqscan=off')

/** How long the keys of all orders are checked after one was repeated. */
const CHECK_ALL_KEYS_MS = 5_000
/** How long orders may take, from when they were sent, while the database is unavailable. Then they are rejected. */
const PATIENCE_MS = 4_000

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

/**
 * Orders that wait in a lane before the next one is used as well. A statement costs nearly a millisecond whatever its
 * size, so half as many orders in each of two statements cost more than all of them in one.
 */
const LANE_FULL = 128
/**
 * Orders that may wait in each lane, about as many as it accepts in a second on two cores. Beyond them, an answer at once
 * is better than one that comes too late.
 */
const LANE_WAITING_MAX = 4_000

/**
 * Spreads orders over several queues, each on a separate connection: the first one that isn't full. While a trader has
 * orders in flight, their next ones use the same queue, so batches never wait for each other's accounts. When all are
 * overloaded, rejects orders until they aren't.
 */
export function acceptanceLanes(lanes: readonly AcceptanceLane[], waitingMax = LANE_WAITING_MAX): AcceptanceQueue {
  const inFlight = new Map<bigint, { lane: AcceptanceLane; orders: number }>()
  const freeLane = () =>
    lanes.find((lane) => lane.waiting() < LANE_FULL) ??
    lanes.reduce((least, lane) => (lane.waiting() < least.waiting() ? lane : least))

  return {
    async submit(order) {
      if (lanes.every((lane) => lane.waiting() >= waitingMax)) throw overloaded()
      const userId = userOf(order.accountId)
      const current = inFlight.get(userId) ?? { lane: freeLane(), orders: 0 }
      inFlight.set(userId, current)
      current.orders++
      try {
        return await current.lane.submit(order)
      } finally {
        if (--current.orders === 0) inFlight.delete(userId)
      }
    },
    async drain() {
      await Promise.all(lanes.map((lane) => lane.drain()))
    },
  }
}

export function acceptanceQueue(deps: {
  connection: Connection
  openStakeMax(): Usd
  /** Whether any of these users has a screen open on this node. */
  isAnyListening?(userIds: bigint[]): boolean
  log: Log
  /** Maximum orders per statement. */
  batchMax?: number
}): AcceptanceLane {
  const batchMax = deps.batchMax ?? BATCH_MAX
  let waiting: Ticket[] = []
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

  /** Handles the orders of a rejected account. Returns those that must be judged again. */
  function refuse(tickets: Ticket[], row: AcceptRow): Ticket[] {
    const again: Ticket[] = []
    const lone = tickets.length === 1
    if (row.repeated) checkAllKeysFromNow()
    const held = row.balance
    if (held === null) {
      for (const ticket of tickets) ticket.reject(new Error(`account ${row.id} does not exist`))
      return again
    }
    let balance: bigint = held
    let room = deps.openStakeMax() - row.escrow
    const allowed = row.guard_room
    let guardRoom = allowed
    for (const ticket of tickets) {
      const { stake } = ticket.order
      // A stored response takes precedence over every other result.
      if (row.repeated && lone) ticket.resolve({ kind: 'repeated' })
      else if (row.repeated) again.push(isolate(ticket, 'distinct'))
      else if (row.locked) ticket.reject(lockedProblem())
      else if (row.ahead) ticket.reject(clocksDiffer())
      // This stake alone was not covered under the lock, so it fails whatever the order of the others.
      else if (stake > held) ticket.reject(new Problem('insufficient_balance', 'Insufficient balance'))
      else if (stake > deps.openStakeMax() - row.escrow) ticket.reject(openStakeProblem(deps.openStakeMax()))
      else if (row.stop === 'blocked') ticket.reject(blockedProblem())
      else if (row.stop === 'check') ticket.reject(checkDueProblem())
      else if (row.stop === 'again') again.push(ticket)
      else if (allowed !== null && stake > allowed)
        ticket.reject(ownLimitProblem(row.guard!, allowed, Number(row.trade_time)))
      else if (row.full && lone && ticket.batching !== 'any') ticket.reject(symbolLimitProblem())
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
    do {
      try {
        const found = await deps.connection.run<{ id: bigint; trade_time: bigint }>(
          'accepted_of',
          'select id, trade_time from trades where id = any ($1::bigint[])',
          [batch.map((ticket) => ticket.order.id)],
        )
        const timeOf = new Map(found.map((row) => [row.id, Number(row.trade_time)]))
        const missing = batch.filter((ticket) => {
          const tradeTime = timeOf.get(ticket.order.id)
          if (tradeTime === undefined) return true
          ticket.resolve({ kind: 'accepted', accepted: { order: ticket.order, tradeTime } })
          return false
        })
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

  return {
    submit(order) {
      if (draining) return Promise.reject(databaseDown())
      return new Promise<Acceptance>((resolve, reject) => {
        waiting.push({ order, resolve, reject, batching: 'any' })
        if (!running) idle = run()
      })
    },
    waiting: () => waiting.length,
    async drain() {
      draining = true
      while (running) await idle
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

/** The clocks of this process, the database and the tape disagree, so a trade can't be dated. */
export const clocksDiffer = () =>
  new Problem('unavailable', 'Trading is paused for a moment while we synchronize our clocks. Try again shortly.', {
    retryAfterSeconds: 5,
  })
const overloaded = () =>
  new Problem('unavailable', 'More orders are waiting than we can place right now. Try again in a second.', {
    retryAfterSeconds: 1,
  })
const lockedProblem = () => new Problem('account_locked', 'Trading is locked for this account. Contact support.')
const openStakeProblem = (max: Usd) =>
  new Problem('limit_reached', `Your open stakes can't exceed ${dollars(max)} in total. Wait for a trade to settle.`)
const symbolLimitProblem = () =>
  new Problem('limit_reached', 'This symbol has reached its limit for open stakes. Choose another symbol or try later.')
