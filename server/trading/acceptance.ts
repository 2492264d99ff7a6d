import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { userOf } from '../ledger/index.ts'
import type { Connection } from '../platform/connection.ts'
import { databaseDown, isDatabaseDown, isRetryable, sqlState } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { type AcceptNeeds, type AcceptRow, acceptSql, acceptValues } from './accept.sql.ts'
import type { Accepted, Order } from './order.ts'

/** What became of an order: it was accepted, or its key already stands for a trade that is stored. */
export type Acceptance = { kind: 'accepted'; accepted: Accepted } | { kind: 'repeated' }

interface Ticket {
  order: Order
  resolve(result: Acceptance): void
  reject(error: unknown): void
  /**
   * How much company it may have in a batch: any; others of other accounts and limited symbols only (it could not be
   * judged together with its own kind); none (a batch with it failed).
   */
  company: 'any' | 'others' | 'none'
}

/** Connections that accept side by side. */
export const ACCEPTANCE_LANES = 2
const BATCH_MAX = 1_000
/** How long the keys of all orders are looked for after one came again. */
const LOOK_MS = 5_000
/** How long orders wait for a database that is gone before they are refused. */
const PATIENCE_MS = 4_000

/**
 * Orders that arrive while a statement is in flight form the next one: no timer, so a lone order waits for nothing and
 * a thousand cost hardly more than one. Each is answered after its COMMIT.
 */
export interface AcceptanceQueue {
  submit(order: Order): Promise<Acceptance>
  /** Refuses what comes from now on, and ends when what is waiting has been answered. */
  drain(): Promise<void>
}

/**
 * Several queues side by side, each with a connection of its own; a trader's orders always go through the same one, so
 * that batches in flight never wait for each other's accounts.
 */
export function acceptanceLanes(queues: readonly AcceptanceQueue[]): AcceptanceQueue {
  const lanes = BigInt(queues.length)
  return {
    submit: (order) => queues[Number(userOf(order.accountId) % lanes)]!.submit(order),
    async drain() {
      await Promise.all(queues.map((queue) => queue.drain()))
    },
  }
}

export function acceptanceQueue(deps: {
  connection: Connection
  openStakeMax(): bigint
  log: Log
  /** Orders a statement takes at most. */
  batchMax?: number
}): AcceptanceQueue {
  const batchMax = deps.batchMax ?? BATCH_MAX
  let waiting: Ticket[] = []
  let running = false
  let idle = Promise.resolve()
  let draining = false
  // Where keys come again (a connection was lost, somebody tries), others will: for a while all are looked for.
  let looksUntil = Number.NEGATIVE_INFINITY
  const lookFromNow = () => {
    looksUntil = performance.now() + LOOK_MS
  }

  function takeBatch(): Ticket[] {
    const single = waiting.findIndex((ticket) => ticket.company === 'none')
    if (single >= 0) return waiting.splice(single, 1)
    if (!waiting.some((ticket) => ticket.company === 'others')) return waiting.splice(0, batchMax)
    // What must be judged apart from its own kind goes first, each account and each limited symbol once.
    const taken = new Set<Ticket>()
    const seen = new Set<bigint | number>()
    for (const ticket of waiting) {
      const { accountId, symbolId, limited } = ticket.order
      if (ticket.company === 'any' || seen.has(accountId) || (limited && seen.has(symbolId))) continue
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
    // What is submitted in the same moment still joins the first batch.
    await undefined
    while (waiting.length > 0) {
      const batch = takeBatch()
      const orders = batch.map((ticket) => ticket.order)
      const statement = statementFor(orders)
      try {
        judge(batch, await execute(statement, orders))
      } catch (error) {
        await afterFailure(batch, error, statement)
      }
    }
    // In the same step as the look at the queue: an order that comes after it starts a new run.
    running = false
  }

  function statementFor(orders: readonly Order[]): Statement {
    if (orders.some((order) => order.limited)) return STATEMENTS.limited
    return performance.now() < looksUntil ? STATEMENTS.looking : STATEMENTS.plain
  }

  const execute = ({ name, text }: Statement, orders: readonly Order[]): Promise<AcceptRow[]> =>
    deps.connection.run<AcceptRow & Record<string, unknown>>(name, text, acceptValues(orders, deps.openStakeMax()))

  /** Tells each order of a committed batch what became of it; what cannot be told yet goes back to the front. */
  function judge(batch: Ticket[], rows: AcceptRow[]): void {
    const byAccount = Map.groupBy(batch, (ticket) => ticket.order.accountId)
    const refused = new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.id, row]])))
    const [all] = rows
    assert(
      all && Number(all.accepted) + refused.size === byAccount.size,
      'each account of a batch is accepted or refused',
    )
    const tradeTime = Number(all.trade_time)
    const again: Ticket[] = []
    for (const [accountId, tickets] of byAccount) {
      const row = refused.get(accountId)
      if (!row) for (const { order, resolve } of tickets) resolve({ kind: 'accepted', accepted: { order, tradeTime } })
      else again.push(...refuse(tickets, row))
    }
    waiting.unshift(...again)
  }

  /** The orders of an account whose batch did not pass. Answers those that must be judged again. */
  function refuse(tickets: Ticket[], row: AcceptRow): Ticket[] {
    const again: Ticket[] = []
    const lone = tickets.length === 1
    if (row.repeated) lookFromNow()
    const held = row.balance
    if (held === null) {
      for (const ticket of tickets) ticket.reject(new Error(`account ${row.id} does not exist`))
      return again
    }
    let balance = held
    let room = deps.openStakeMax() - row.escrow
    for (const ticket of tickets) {
      const { stake } = ticket.order
      // A kept answer comes before everything else that could be said of the order.
      if (row.repeated && lone) ticket.resolve({ kind: 'repeated' })
      else if (row.repeated) again.push(apart(ticket, 'others'))
      else if (row.locked) ticket.reject(lockedProblem())
      else if (row.ahead) ticket.reject(clocksDiffer())
      // Under the lock this stake alone was not covered: whatever order the others go in, that was so.
      else if (stake > held) ticket.reject(new Problem('insufficient_balance', 'Insufficient balance'))
      else if (stake > deps.openStakeMax() - row.escrow) ticket.reject(openStakeProblem(deps.openStakeMax()))
      else if (row.full && lone && ticket.company !== 'any') ticket.reject(symbolLimitProblem())
      else if (row.full || stake > balance || stake > room) again.push(apart(ticket, 'others'))
      else {
        // The first ones that fit together stay together.
        balance -= stake
        room -= stake
        again.push(ticket)
      }
    }
    return again
  }

  /** One error fails a whole batch. Nothing of it may be answered before it is known what the database did. */
  async function afterFailure(batch: Ticket[], error: unknown, statement: Statement): Promise<void> {
    if (isRetryable(error)) {
      waiting.unshift(...batch)
      return
    }
    if (sqlState(error) === '23505') {
      lookFromNow()
      if (doublesApart(batch) || statement.keysOf === 'the refused') {
        // A key that comes twice in this batch, or was used before.
        waiting.unshift(...batch)
        return
      }
      // A key or a number that another batch has committed meanwhile: alone, each finds out which.
      if (batch.length > 1) {
        waiting.unshift(...batch.map((ticket) => apart(ticket, 'none')))
        return
      }
      await settleDoubt(batch)
      return
    }
    if (sqlState(error)?.startsWith('53')) {
      // No room on its disk or in its memory: the statement was rolled back for certain.
      deps.log.error({ error: String(error), orders: batch.length }, 'the database has no room: orders are refused')
      for (const ticket of batch) ticket.reject(databaseDown())
      return
    }
    if (isDatabaseDown(error)) {
      await settleDoubt(batch)
      return
    }
    deps.log.error({ error: String(error), orders: batch.length }, 'a batch failed')
    if (batch.length > 1) waiting.unshift(...batch.map((ticket) => apart(ticket, 'none')))
    else for (const ticket of batch) ticket.reject(error)
  }

  /**
   * The reply was lost, so the batch may have been committed, or may still be. Orders that are found stored are accepted;
   * the others go again under the same numbers, which can exist only once.
   */
  async function settleDoubt(batch: Ticket[]): Promise<void> {
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until) {
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
        waiting.unshift(...missing.map((ticket) => apart(ticket, 'none')))
        return
      } catch (error) {
        if (!isDatabaseDown(error)) {
          for (const ticket of batch) ticket.reject(error)
          return
        }
        await sleep(100)
      }
    }
    for (const ticket of [...batch, ...waiting.splice(0)]) ticket.reject(databaseDown())
  }

  return {
    submit(order) {
      if (draining) return Promise.reject(databaseDown())
      return new Promise<Acceptance>((resolve, reject) => {
        waiting.push({ order, resolve, reject, company: 'any' })
        if (!running) idle = run()
      })
    },
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

const prepared = (name: string, needs: AcceptNeeds): Statement => ({ name, text: acceptSql(needs), ...needs })
const STATEMENTS = {
  plain: prepared('accept', { limited: false, keysOf: 'the refused' }),
  looking: prepared('accept_looking', { limited: false, keysOf: 'everybody' }),
  limited: prepared('accept_limited', { limited: true, keysOf: 'everybody' }),
}

/** Of orders with one trader's same key, lets the later ones go apart from the first. Answers whether there were any. */
function doublesApart(batch: readonly Ticket[]): boolean {
  const seen = new Set<string>()
  let any = false
  for (const ticket of batch) {
    const { accountId, key } = ticket.order
    if (key === undefined) continue
    const whose = `${userOf(accountId)} ${key}`
    if (seen.has(whose)) {
      apart(ticket, 'others')
      any = true
    }
    seen.add(whose)
  }
  return any
}

const apart = (ticket: Ticket, company: Ticket['company']) => Object.assign(ticket, { company })

/** The clocks of this process, the database and the tape are not one: a trade could not be dated. */
export const clocksDiffer = () =>
  new Problem('unavailable', 'Trading pauses for a moment: the clocks do not agree. Please try again shortly.', {
    retryAfterSeconds: 5,
  })
const lockedProblem = () =>
  new Problem('account_locked', 'Trading is locked for this account. Please contact our support.')
const openStakeProblem = (max: bigint) =>
  new Problem('limit_reached', `Your open stakes may be at most ${max / 100n} USD in all. Wait for a trade to settle.`)
const symbolLimitProblem = () =>
  new Problem(
    'limit_reached',
    'The open stakes on this symbol have reached their limit. Choose another symbol or try later.',
  )
