import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import { userOf } from '../../ledger/index.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { numbers } from '../../platform/database/connection.ts'
import { isRetryable } from '../../platform/database/db.ts'
import type { Clock } from '../../platform/process/clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'
import type { Instruments, Tape } from '../../prices/index.ts'
import { WRITE_ENTRIES_SQL } from '../acceptance/entry.sql.ts'
import type { TradingObserver } from '../observer.ts'
import type { TradesChanged } from '../push-trades.ts'
import { ENTRY_WITHIN_MS } from '../trade.ts'
import {
  type BusyRow,
  RECOUNT_SYMBOLS_SQL,
  SETTLE_PROVEN_SQL,
  type SettledRow,
  VOID_UNENTERED_SQL,
} from './settle.sql.ts'

export interface SettlementDeps {
  /** Connections that settle in parallel. */
  connections: readonly Connection[]
  /** Settles the trades of accounts that were locked when their turn came. */
  busyConnection: Connection
  /** For work that must not wait behind settlement: trades without an entry. */
  entryConnection: Connection
  tape: Pick<Tape, 'latest' | 'provenUntil'>
  clock: Pick<Clock, 'now'>
  instruments: Pick<Instruments, 'current' | 'byId'>
  log: Log
  changed(event: TradesChanged): void
  observer?: TradingObserver | undefined
  /** Called when a trade may be open after none was. */
  begin?: (() => void) | undefined
}

export interface Settlement {
  /** A trade was accepted, here or on another node. */
  opened(trade: { symbolId: number; tradeTime: Ms }): void
  /** Messages about trades that other nodes accepted may have been lost: reads again which ones may be without entry. */
  reload(): void
  /** Whether a trade may be open. Once the last is settled, it takes a second until this says no. */
  mayHaveOpen(): boolean
  /** The tape has advanced. Frames only wake the worker; it finds its work by query. */
  frame(): void
  stop(): Promise<void>
}

/**
 * Maximum trades per settling statement. Fewer is slower. With many more, accounts wait, and a plan made while nothing was
 * due (the planner then expects a single row) takes seconds: its cost grows with the square.
 */
export const SETTLE_BATCH = 1_000
/** Connections that settle in parallel; they never take the same trades. */
export const SETTLE_WORKERS = 2
const ROUND_MS = 500
/** How often the loops run while no trade is known to be open, in case the message about one was lost. */
const IDLE_ROUND_MS = 5_000
const RECOUNT_MS = 1_000
/** Pauses before the trades of locked accounts are tried again, growing while none of the accounts is free. */
const BUSY_MS = { first: 10, most: 200 }

/** Trades that are open for longer get their entry written. The searchable index holds their ticks for longer still. */
const UNWRITTEN_MS = 5 * MINUTE_MS
const WRITE_ENTRIES_EVERY_MS = MINUTE_MS
/** Maximum entries written by one statement, so that settlement hardly ever finds a trade locked. */
const WRITE_ENTRIES_AT_ONCE = 5_000

/** When the trades of a symbol that may be without an entry were accepted. */
interface Unentered {
  oldest: Ms
  newest: Ms
}

/**
 * Settles each trade once its end is proven, or once it is proven that it has no entry. All state is in the database:
 * after a crash, the first round continues where the last one stopped.
 */
export function startSettlement(deps: SettlementDeps): Settlement {
  const { tape, instruments, connections, entryConnection, log } = deps
  const unentered = new Map<number, Unentered>()
  // Counts the messages about open trades, so that an older query doesn't overrule them.
  let opened = 0
  let mayHaveOpen = true
  // Accounts that another transaction had locked. Only the busy lane tries them, so that nobody else's trades wait.
  const busy = new Set<bigint>()
  let busyMs = BUSY_MS.first
  let mustReload = true

  // Trades accepted before this process started, or left behind by another one.
  async function loadUnentered(): Promise<void> {
    const rows = await entryConnection.run<{ symbol_id: number; oldest: bigint; newest: bigint }>(
      'unentered',
      `select symbol_id, min(trade_time) as oldest, max(trade_time) as newest from trades
       where status = 'Pending' and entry_seq is null group by symbol_id`,
      [],
    )
    for (const { symbol_id, oldest, newest } of rows) {
      wait(symbol_id, Number(oldest))
      wait(symbol_id, Number(newest))
    }
  }

  /** Checks whether any trade is open. */
  async function look(): Promise<void> {
    const before = opened
    const rows = await entryConnection.run<{ open: boolean }>(
      'any_open',
      `select exists (select from trades where status = 'Pending') as open`,
      [],
    )
    const { open } = rows[0]!
    // The message about it was lost.
    if (open && !mayHaveOpen) reload()
    mayHaveOpen = open || opened !== before
  }

  function wait(symbolId: number, tradeTime: Ms): void {
    markOpen()
    const known = unentered.get(symbolId)
    if (!known) unentered.set(symbolId, { oldest: tradeTime, newest: tradeTime })
    else if (tradeTime > known.newest) known.newest = tradeTime
    else if (tradeTime < known.oldest) known.oldest = tradeTime
  }

  function markOpen(): void {
    opened++
    if (mayHaveOpen) return
    mayHaveOpen = true
    voiding.wake()
    for (const worker of settling) worker.wake()
    deps.begin?.()
  }

  async function voidRound(): Promise<void> {
    const silent: { symbolId: number; since: Ms; proven: Ms }[] = []
    for (const [symbolId, trades] of unentered) {
      const symbol = instruments.byId(symbolId)?.symbol
      if (symbol === undefined) continue
      const newest = tape.latest(symbol)?.sourceMs ?? 0
      const proven = Math.floor(tape.provenUntil(symbol))
      // The next tick may have come too late, or not at all. Whether one came in between, the statement finds out.
      if (proven >= trades.oldest + ENTRY_WITHIN_MS) silent.push({ symbolId, since: trades.oldest, proven })
      const decided = Math.max(newest - 1, proven - ENTRY_WITHIN_MS)
      if (decided >= trades.newest) unentered.delete(symbolId)
      else trades.oldest = Math.max(trades.oldest, decided + 1)
    }
    if (silent.length === 0) return
    const left = await settle(entryConnection, 'void_unentered', VOID_UNENTERED_SQL, [
      numbers(silent.map(({ symbolId }) => symbolId)),
      numbers(silent.map(({ since }) => since)),
      numbers(silent.map(({ proven }) => proven)),
    ])
    for (const { symbol_id, trade_time } of left.busy) wait(symbol_id, Number(trade_time))
  }

  async function writeEntries(): Promise<void> {
    const until = Math.floor(deps.clock.now()) - UNWRITTEN_MS
    let written: number
    do {
      const values = [until, WRITE_ENTRIES_AT_ONCE]
      written = (await entryConnection.run('write_entries', WRITE_ENTRIES_SQL, values)).length
    } while (written === WRITE_ENTRIES_AT_ONCE)
  }

  /** Settles all trades of a worker's share of the users that are due, except those of busy accounts. */
  async function settleShare(worker: number): Promise<void> {
    if (!mayHaveOpen) return
    const due = dueValues()
    for (;;) {
      const values = [...due, connections.length, worker, numbers([...busy]), false]
      const left = await settle(connections[worker]!, 'settle_proven', SETTLE_PROVEN_SQL, values)
      for (const { account_id } of left.busy) busy.add(account_id)
      if (left.busy.length > 0) tryBusySoon()
      else if (left.settled < SETTLE_BATCH) return
    }
  }

  /** Tries the busy accounts again. Those that aren't found locked any more return to the workers. */
  async function settleBusy(): Promise<void> {
    if (busy.size === 0) return
    const tried = [...busy]
    const values = [...dueValues(), 1, 0, numbers(tried), true]
    const left = await settle(deps.busyConnection, 'settle_proven', SETTLE_PROVEN_SQL, values)
    const still = new Set(left.busy.map(({ account_id }) => account_id))
    for (const account of tried) if (!still.has(account)) busy.delete(account)
    busyMs = still.size < tried.length ? BUSY_MS.first : Math.min(2 * busyMs, BUSY_MS.most)
  }

  function tryBusySoon(): void {
    busyMs = BUSY_MS.first
    trying.wake()
  }

  /** The first values of the settling statement: the symbols, until when each is proven, and how many trades at once. */
  function dueValues(): unknown[] {
    const symbols = instruments.current().filter((instrument) => instrument.tradingType !== null)
    const proven = symbols.map((instrument) => Math.max(0, Math.floor(tape.provenUntil(instrument.symbol))))
    return [numbers(symbols.map((instrument) => instrument.id)), numbers(proven), SETTLE_BATCH]
  }

  /** Runs a settling statement, and reports what it settled. Returns how much that was, and what it left alone. */
  async function settle(
    connection: Connection,
    name: string,
    text: string,
    values: unknown[],
  ): Promise<{ settled: number; busy: BusyRow[] }> {
    const began = performance.now()
    const rows = await retried(() =>
      connection.run<(SettledRow | BusyRow) & Record<string, unknown>>(name, text, values),
    )
    const settled: SettledRow[] = []
    const left: BusyRow[] = []
    for (const row of rows) {
      if (row.id === null) left.push(row)
      else settled.push(row)
    }
    report(settled, performance.now() - began)
    return { settled: settled.length, busy: left }
  }

  async function retried<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (attempt >= 5 || !isRetryable(error)) throw error
      }
    }
  }

  function report(rows: SettledRow[], tookMs: number): void {
    if (rows.length === 0) return
    deps.observer?.settled(
      rows.map(({ id, trade_time, entry_time, end_time }) => ({
        id,
        tradeTime: Number(trade_time),
        entryTime: entry_time === null ? undefined : Number(entry_time),
        endTime: Number(end_time),
      })),
      tookMs,
    )
    deps.changed({
      tradeIds: rows.map((row) => row.id),
      userIds: [...new Set(rows.map((row) => userOf(row.account_id)))],
    })
  }

  function reload(): void {
    mustReload = true
    markOpen()
    voiding.wake()
  }

  const pause = () => (mayHaveOpen ? ROUND_MS : IDLE_ROUND_MS)
  const voiding: Loop = startLoop('trades without entry', pause, log, async () => {
    try {
      if (mustReload) {
        mustReload = false
        await loadUnentered()
      }
      await voidRound()
    } catch (error) {
      // What the failed round had removed from its list is found again in the database.
      mustReload = true
      throw error
    }
  })
  const settling: Loop[] = connections.map((_, worker) =>
    startLoop('settlement', pause, log, () => settleShare(worker)),
  )
  const trying: Loop = startLoop(
    'trades of busy accounts',
    () => (busy.size > 0 ? busyMs : IDLE_ROUND_MS),
    log,
    settleBusy,
  )
  const recounting: Loop = startLoop(
    'open trades',
    () => (mayHaveOpen ? RECOUNT_MS : IDLE_ROUND_MS),
    log,
    async () => {
      const mayHaveChanged = mayHaveOpen
      await look()
      // Also once after the last trade has been settled.
      if (mayHaveChanged) await entryConnection.run('recount_symbols', RECOUNT_SYMBOLS_SQL, [])
    },
  )
  const writing: Loop = startLoop('entries', WRITE_ENTRIES_EVERY_MS, log, async () => {
    if (mayHaveOpen) await writeEntries()
  })

  return {
    opened: ({ symbolId, tradeTime }) => wait(symbolId, tradeTime),
    mayHaveOpen: () => mayHaveOpen,
    reload,
    frame() {
      if (!mayHaveOpen) return
      voiding.wake()
      for (const worker of settling) worker.wake()
    },
    async stop() {
      await Promise.all([voiding, trying, recounting, writing, ...settling].map((loop) => loop.stop()))
    },
  }
}
