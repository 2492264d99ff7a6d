import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import type { Connection } from '../../../platform/database/connection.ts'
import { numbers } from '../../../platform/database/connection.ts'
import type { Instruments, Tape } from '../../../prices/index.ts'
import { SETTLE_PROVEN_SQL, SETTLE_RECENT_SQL } from '../settle.sql.ts'
import { type SettledListeners, settle } from './run-settling.ts'

/**
 * Maximum trades per settling statement. Fewer is slower. With many more, accounts wait, and a plan made while nothing was
 * due (the planner then expects a single row) takes seconds: its cost grows with the square.
 */
export const SETTLE_BATCH = 1_000
/** How often a worker looks for all due trades, however long ago they ended. */
const LOOK_AT_ALL_MS = 10_000
/** It also does so when the proven time has jumped: after a pause of the tape, trades ended long before it. */
const JUMP_MS = 10_000
/** Pauses before the trades of locked accounts are tried again, growing while none of the accounts is free. */
const BUSY_MS = { first: 10, most: 200 }

export interface LanesDeps extends SettledListeners {
  /** Connections that settle in parallel. */
  connections: readonly Connection[]
  /** Settles the trades of accounts that were locked when their turn came. */
  busyConnection: Connection
  tape: Pick<Tape, 'provenUntil'>
  instruments: Pick<Instruments, 'current'>
}

/** The workers that settle in parallel, and the lane of busy accounts. */
interface Lanes {
  deps: LanesDeps
  busy: Busy
  /** When each worker last looked for all due trades, by `performance.now()`. */
  lookedAtAll: number[]
  /** The newest proven time of each worker's last round. */
  proven: Ms[]
  /** Wakes the busy lane. */
  tryBusySoon(): void
}

/** Accounts that another transaction had locked. Only the busy lane tries them, so that nobody else's trades wait. */
interface Busy {
  accounts: Set<bigint>
  /** The pause before they are tried again. */
  pauseMs: number
}

export function createLanes(deps: LanesDeps, wakeBusy: () => void): Lanes {
  const busy: Busy = { accounts: new Set(), pauseMs: BUSY_MS.first }
  return {
    deps,
    busy,
    lookedAtAll: deps.connections.map(() => Number.NEGATIVE_INFINITY),
    proven: deps.connections.map(() => 0),
    tryBusySoon() {
      busy.pauseMs = BUSY_MS.first
      wakeBusy()
    },
  }
}

/** Settles all trades of a worker's share of the users that are due, except those of busy accounts. */
export async function settleShare(lanes: Lanes, worker: number): Promise<void> {
  const { deps, busy, lookedAtAll } = lanes
  const { connections } = deps
  const symbols = tradedSymbols(deps)
  const due = dueValues(symbols)
  const proven = Math.max(0, ...symbols.map((symbol) => symbol.proven))
  const began = performance.now()
  const looksAtAll =
    began - must(lookedAtAll[worker]) >= LOOK_AT_ALL_MS || proven - must(lanes.proven[worker]) > JUMP_MS
  const [name, text] = looksAtAll ? ['settle_proven', SETTLE_PROVEN_SQL] : ['settle_recent', SETTLE_RECENT_SQL]
  for (;;) {
    const values = [...due, connections.length, worker, numbers([...busy.accounts]), false]
    const left = await settle(deps, must(connections[worker]), name, text, values)
    for (const { account_id } of left.busy) busy.accounts.add(account_id)
    if (left.busy.length > 0) lanes.tryBusySoon()
    else if (left.settled < SETTLE_BATCH) break
  }
  if (looksAtAll) lookedAtAll[worker] = began
  lanes.proven[worker] = proven
}

/** Tries the busy accounts again. Those that are no longer locked return to the workers. */
export async function settleBusy({ deps, busy }: Lanes): Promise<void> {
  if (busy.accounts.size === 0) return
  const tried = [...busy.accounts]
  const values = [...dueValues(tradedSymbols(deps)), 1, 0, numbers(tried), true]
  const left = await settle(deps, deps.busyConnection, 'settle_proven', SETTLE_PROVEN_SQL, values)
  const still = new Set(left.busy.map(({ account_id }) => account_id))
  for (const account of tried) if (!still.has(account)) busy.accounts.delete(account)
  busy.pauseMs = still.size < tried.length ? BUSY_MS.first : Math.min(2 * busy.pauseMs, BUSY_MS.most)
}

/** The symbols that are traded, and until when each is proven. */
const tradedSymbols = ({ instruments, tape }: LanesDeps) =>
  instruments
    .current()
    .filter((instrument) => instrument.tradingType !== null)
    .map(({ id, symbol }) => ({ id, proven: Math.max(0, Math.floor(tape.provenUntil(symbol))) }))

/** The first values of the settling statement: the symbols, until when each is proven, and how many trades at once. */
const dueValues = (symbols: readonly { id: number; proven: Ms }[]): unknown[] => [
  numbers(symbols.map(({ id }) => id)),
  numbers(symbols.map(({ proven }) => proven)),
  SETTLE_BATCH,
]
