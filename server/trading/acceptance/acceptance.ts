import { setTimeout as sleep } from 'node:timers/promises'
import type { Usd } from '#kernel/money.ts'
import { type Connection, openConnection } from '../../platform/database/connection.ts'
import { databaseDown } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { type AcceptRow, acceptValues } from './accept.sql.ts'
import type { LaneRoom } from './limits/lane-rooms.ts'
import { asOffered, type OfferedNow } from './offered.ts'
import type { Order } from './order.ts'
import { judge } from './queue/judge.ts'
import { BUSY_MS, createLockedOrders, type QueueState } from './queue/queue-state.ts'
import { afterFailure, answerDoubted } from './queue/recover.ts'
import { createStatements, type Statement } from './queue/statements.ts'
import type { Acceptance } from './queue/ticket.ts'
import { createWaiting } from './queue/waiting.ts'

export type { Acceptance } from './queue/ticket.ts'

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

const BATCH_MAX = 1_000

/**
 * Opens a connection that accepts. Its prepared plans are kept while tables grow, until the next ANALYZE: a plan that
 * scans a small table would read it once for each order of a batch when it's large.
 */
export const openAcceptanceConnection = (url: string, log: Log): Connection =>
  openConnection(url, 'acceptance', log, '-c enable_seqscan=off')

interface QueueDeps {
  connection: Connection
  openStakeMax(): Usd
  newId(): bigint
  /** Says what the price lists offer an order at the time of a statement; without it, orders wait for their own. */
  offered?: OfferedNow
  /** Limits the profits of its real trades; without it, nothing does. */
  rooms?: LaneRoom | undefined
  /** Whether any of these users has a screen open on this node. */
  isAnyListening?(userIds: bigint[]): boolean
  log: Log
  /** Maximum orders per statement. */
  batchMax?: number
}

export function acceptanceQueue(deps: QueueDeps): AcceptanceLane {
  const waiting = createWaiting(deps.batchMax ?? BATCH_MAX)
  const locked = createLockedOrders((tickets) => {
    waiting.add(tickets)
    start()
  })
  const statements = createStatements(deps.isAnyListening, deps.rooms !== undefined)
  const queue: QueueState = {
    ...deps,
    rooms: deps.rooms,
    offered: deps.offered ?? asOffered,
    waiting,
    statements,
    locked,
    doubted: [],
  }
  let running = false
  let idle = Promise.resolve()
  let draining = false

  async function run(): Promise<void> {
    running = true
    // Orders submitted in the same tick still join the first batch.
    await undefined
    while (waiting.count() > 0) {
      const batch = waiting.takeBatch()
      const sentAt = performance.now()
      const orders = batch.map((ticket) => ticket.order)
      const statement = statements.of(orders)
      try {
        judge(queue, batch, await execute(queue, statement, orders), { sentAt, statement })
      } catch (error) {
        await afterFailure(queue, batch, error, statement, sentAt)
      }
      if (queue.doubted.length > 0) await answerDoubted(queue)
    }
    // Cleared in the same tick as the queue check, so an order that arrives later starts a new run.
    running = false
  }

  function start(): void {
    if (!running) idle = run()
  }

  return {
    submit(order) {
      if (draining) return Promise.reject(databaseDown())
      return new Promise<Acceptance>((resolve, reject) => {
        waiting.add([{ order, resolve, reject, batching: 'any', since: performance.now(), isDoubtful: false }])
        start()
      })
    },
    waiting: () => waiting.count(),
    async drain() {
      draining = true
      while (running || locked.isPending()) await (running ? idle : sleep(BUSY_MS))
    },
  }
}

const execute = (queue: QueueState, { name, text, rooms }: Statement, orders: readonly Order[]): Promise<AcceptRow[]> =>
  queue.connection.run<AcceptRow & Record<string, unknown>>(
    name,
    text,
    acceptValues(orders, queue.openStakeMax(), rooms ? queue.rooms : undefined),
  )
