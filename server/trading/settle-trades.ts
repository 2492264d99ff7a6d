import { userOf } from '../ledger/index.ts'
import type { Connection } from '../platform/connection.ts'
import { numbers } from '../platform/connection.ts'
import { isRetryable } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Instruments, Tape } from '../prices/index.ts'
import type { TradingObserver } from './observer.ts'
import type { TradesChanged } from './push-trades.ts'
import { ENTER_SQL, RECOUNT_SYMBOLS_SQL, SETTLE_PROVEN_SQL, type SettledRow, VOID_UNENTERED_SQL } from './settle.sql.ts'
import { ENTRY_WITHIN_MS } from './trade.ts'

export interface SettlementDeps {
  /** Connections that settle in parallel. */
  connections: readonly Connection[]
  /** For work that must not wait behind settlement: entries. */
  entryConnection: Connection
  tape: Pick<Tape, 'latest' | 'provenUntil'>
  instruments: Pick<Instruments, 'current' | 'byId'>
  log: Log
  changed(event: TradesChanged): void
  observer?: TradingObserver | undefined
  /** Called when a trade may be open after none was. */
  begin?: (() => void) | undefined
}

export interface Settlement {
  /** A trade was accepted, here or on another node: look for its entry from the next frame on. */
  opened(trade: { id: bigint; symbolId: number; tradeTime: number }): void
  /**
   * Messages about trades that other nodes accepted may have been lost: reads again which trades wait for their entry.
   */
  reload(): void
  /** Whether a trade may be open. Once the last is settled, it takes a second until this says no. */
  mayHaveOpen(): boolean
  /** The tape has advanced. Frames only wake the worker; it finds its work by query. */
  frame(): void
  /** Trades that wait for their entry. */
  waiting(): number
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

interface Unentered {
  id: bigint
  tradeTime: number
}

/**
 * Settles each trade once its end is proven, and writes entries as soon as the tape has them. All state is in the
 * database: after a crash, the first round continues where the last one stopped.
 */
export async function startSettlement(deps: SettlementDeps): Promise<Settlement> {
  const { tape, instruments, connections, entryConnection, log } = deps
  const unentered = new Map<number, Unentered[]>()
  // Counts the messages about open trades, so that an older query doesn't overrule them.
  let opened = 0
  let mayHaveOpen = true

  // Trades accepted before this process started, or left behind by another one.
  async function loadUnentered(): Promise<void> {
    // Before the query: what is opened while it runs may come twice, and is never lost.
    unentered.clear()
    const rows = await entryConnection.run<{ id: bigint; symbol_id: number; trade_time: bigint }>(
      'unentered',
      `select id, symbol_id, trade_time from trades where status = 'Pending' and entry_seq is null`,
      [],
    )
    for (const row of rows) wait(row.symbol_id, { id: row.id, tradeTime: Number(row.trade_time) })
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

  function wait(symbolId: number, trade: Unentered): void {
    markOpen()
    const list = unentered.get(symbolId)
    if (list) list.push(trade)
    else unentered.set(symbolId, [trade])
  }

  function markOpen(): void {
    opened++
    if (mayHaveOpen) return
    mayHaveOpen = true
    entering.wake()
    settling.wake()
    deps.begin?.()
  }

  async function enterRound(): Promise<void> {
    const entering: bigint[] = []
    const voiding: { id: bigint; proven: number }[] = []
    for (const [symbolId, trades] of unentered) {
      const symbol = instruments.byId(symbolId)?.symbol
      if (symbol === undefined) continue
      const newest = tape.latest(symbol)?.sourceMs ?? 0
      const proven = tape.provenUntil(symbol)
      const still: Unentered[] = []
      for (const trade of trades) {
        if (newest > trade.tradeTime) entering.push(trade.id)
        if (proven >= trade.tradeTime + ENTRY_WITHIN_MS) voiding.push({ id: trade.id, proven })
        else if (newest <= trade.tradeTime) still.push(trade)
      }
      if (still.length === 0) unentered.delete(symbolId)
      else unentered.set(symbolId, still)
    }
    if (entering.length > 0) {
      const began = performance.now()
      const rows = await entryConnection.run<SettledRow & Record<string, unknown>>('enter', ENTER_SQL, [
        numbers(entering),
      ])
      tell('entered', rows, performance.now() - began)
    }
    if (voiding.length > 0) {
      const began = performance.now()
      const rows = await entryConnection.run<SettledRow & Record<string, unknown>>(
        'void_unentered',
        VOID_UNENTERED_SQL,
        [numbers(voiding.map((trade) => trade.id)), numbers(voiding.map((trade) => trade.proven))],
      )
      tell('settled', rows, performance.now() - began)
    }
  }

  async function settleRound(): Promise<void> {
    if (!mayHaveOpen) return
    const symbols = instruments.current().filter((instrument) => instrument.tradingType !== null)
    const proven = symbols.map((instrument) => Math.max(0, Math.floor(tape.provenUntil(instrument.symbol))))
    const values = [numbers(symbols.map((instrument) => instrument.id)), numbers(proven), SETTLE_BATCH]
    await Promise.all(
      connections.map((connection, worker) => settleWith(connection, [...values, connections.length, worker])),
    )
  }

  async function settleWith(connection: Connection, values: unknown[]): Promise<void> {
    for (;;) {
      const began = performance.now()
      const rows = await retried(() =>
        connection.run<SettledRow & Record<string, unknown>>('settle_proven', SETTLE_PROVEN_SQL, values),
      )
      tell('settled', rows, performance.now() - began)
      if (rows.length < SETTLE_BATCH) return
    }
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

  function tell(kind: TradesChanged['kind'], rows: SettledRow[], tookMs: number): void {
    if (rows.length === 0) return
    observe(kind, rows, tookMs)
    deps.changed({
      kind,
      tradeIds: rows.map((row) => row.id),
      userIds: [...new Set(rows.map((row) => userOf(row.account_id)))],
    })
  }

  function observe(kind: TradesChanged['kind'], rows: readonly SettledRow[], tookMs: number): void {
    const { observer } = deps
    if (kind === 'settled')
      observer?.settled(
        rows.map((row) => ({ id: row.id, tradeTime: Number(row.trade_time), endTime: Number(row.end_time) })),
        tookMs,
      )
    else if (observer?.entered)
      observer.entered(
        rows.map((row) => row.id),
        tookMs,
      )
  }

  function reload(): void {
    mustReload = true
    markOpen()
    entering.wake()
  }

  await loadUnentered()
  let mustReload = false
  const pause = () => (mayHaveOpen ? ROUND_MS : IDLE_ROUND_MS)
  const entering: Loop = startLoop('entries', pause, log, async () => {
    try {
      if (mustReload) {
        mustReload = false
        await loadUnentered()
      }
      await enterRound()
    } catch (error) {
      // Trades that the failed round had removed from its list are found again in the database.
      mustReload = true
      throw error
    }
  })
  const settling: Loop = startLoop('settlement', pause, log, settleRound)
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

  return {
    opened({ id, symbolId, tradeTime }) {
      wait(symbolId, { id, tradeTime })
    },
    mayHaveOpen: () => mayHaveOpen,
    reload,
    frame() {
      if (!mayHaveOpen) return
      entering.wake()
      settling.wake()
    },
    waiting: () => [...unentered.values()].reduce((sum, trades) => sum + trades.length, 0),
    async stop() {
      await Promise.all([entering.stop(), settling.stop(), recounting.stop()])
    },
  }
}
