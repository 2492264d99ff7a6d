import type { Problem } from '#contract/problem.ts'
import type { Usd } from '#kernel/money.ts'
import type { Connection } from '../../../platform/database/connection.ts'
import type { Log } from '../../../platform/process/log.ts'
import { accountBusy } from '../../refusals.ts'
import type { LaneRoom } from '../limits/lane-rooms.ts'
import type { OfferedNow } from '../offered.ts'
import type { Statements } from './statements.ts'
import type { Ticket } from './ticket.ts'
import type { Waiting } from './waiting.ts'

/**
 * How long orders may take: from when they were sent if the database is unavailable, from their arrival if the account is
 * locked. Then the client gets a 503: it isn't known whether they were placed. None is placed after `LATE_MS`;
 * the rest of the time is for learning its fate.
 */
export const PATIENCE_MS = 4_000
/** The pause before the orders of a locked account are tried again. */
export const BUSY_MS = 20

/** A rejected order that may be stored. */
interface Doubted {
  ticket: Ticket
  problem: Problem
}

/** What the steps of a queue share: accept a batch, judge its result, recover from a failure. */
export interface QueueState {
  connection: Connection
  log: Log
  openStakeMax(): Usd
  rooms: LaneRoom | undefined
  offered: OfferedNow
  newId(): bigint
  waiting: Waiting
  statements: Statements
  locked: LockedOrders
  doubted: Doubted[]
}

/** Orders of locked accounts, until they are tried again. Nobody else's order waits for them. */
interface LockedOrders {
  /** Tries the orders of a locked account again soon, with the next batch, until their patience is over. */
  tryLater(tickets: readonly Ticket[]): void
  /** Whether orders will be tried again. */
  isPending(): boolean
}

/** `retry`: called with the orders that must be tried again. */
export function createLockedOrders(retry: (tickets: Ticket[]) => void): LockedOrders {
  const busy: Ticket[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    tryLater(tickets) {
      for (const ticket of tickets)
        if (performance.now() - ticket.since < PATIENCE_MS) busy.push(ticket)
        else ticket.reject(accountBusy())
      timer ??= setTimeout(() => {
        timer = undefined
        retry(busy.splice(0))
      }, BUSY_MS)
    },
    isPending: () => timer !== undefined,
  }
}
