import { userOf } from '../ledger/index.ts'
import type { Connection } from '../platform/connection.ts'
import { numbers } from '../platform/connection.ts'
import { isRetryable } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { FrameEvent, Instruments, Tape } from '../prices/index.ts'
import type { Accepted } from './order.ts'
import { ENTER_SQL, RECOUNT_SYMBOLS_SQL, SETTLE_PROVEN_SQL, type SettledRow, VOID_UNENTERED_SQL } from './settle.sql.ts'
import { ENTRY_WITHIN_MS } from './trade.ts'

/** Trades of some users that have just changed: entered or settled. */
export interface TradesChanged {
  kind: 'entered' | 'settled'
  tradeIds: bigint[]
  userIds: bigint[]
}

export interface SettlementDeps {
  /** Connections that settle in parallel. */
  connections: readonly Connection[]
  /** For work that must not wait behind settlement: entries. */
  entryConnection: Connection
  tape: Tape
  instruments: Instruments
  log: Log
  changed(event: TradesChanged): void
}

export interface Settlement {
  /** A trade was accepted: look for its entry from the next frame on. */
  opened(accepted: Accepted): void
  /** The tape has advanced. Frames only wake the worker; it finds its work by query. */
  frame(event: FrameEvent): void
  stop(): Promise<void>
}

/** Maximum trades per settling statement. Fewer is slower; many more makes accounts wait. */
export const SETTLE_BATCH = 5_000
/** Connections that settle in parallel; they never take the same trades. */
export const SETTLE_WORKERS = 2
const ROUND_MS = 500
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

  // Trades accepted before this process started, or left behind by another one.
  async function loadUnentered(): Promise<void> {
    const rows = await entryConnection.run<{ id: bigint; symbol_id: number; trade_time: bigint }>(
      'unentered',
      `select id, symbol_id, trade_time from trades where status = 'Pending' and entry_seq is null`,
      [],
    )
    unentered.clear()
    for (const row of rows) wait(row.symbol_id, { id: row.id, tradeTime: Number(row.trade_time) })
  }

  function wait(symbolId: number, trade: Unentered): void {
    const list = unentered.get(symbolId)
    if (list) list.push(trade)
    else unentered.set(symbolId, [trade])
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
      const rows = await entryConnection.run<SettledRow & Record<string, unknown>>('enter', ENTER_SQL, [
        numbers(entering),
      ])
      tell('entered', rows)
    }
    if (voiding.length > 0) {
      const rows = await entryConnection.run<SettledRow & Record<string, unknown>>(
        'void_unentered',
        VOID_UNENTERED_SQL,
        [numbers(voiding.map((trade) => trade.id)), numbers(voiding.map((trade) => trade.proven))],
      )
      tell('settled', rows)
    }
  }

  async function settleRound(): Promise<void> {
    const symbols = instruments.list.filter((instrument) => instrument.tradingType !== null)
    const proven = symbols.map((instrument) => Math.max(0, Math.floor(tape.provenUntil(instrument.symbol))))
    const values = [numbers(symbols.map((instrument) => instrument.id)), numbers(proven), SETTLE_BATCH]
    await Promise.all(connections.map((connection) => settleWith(connection, values)))
  }

  async function settleWith(connection: Connection, values: unknown[]): Promise<void> {
    for (;;) {
      const rows = await retried(() =>
        connection.run<SettledRow & Record<string, unknown>>('settle_proven', SETTLE_PROVEN_SQL, values),
      )
      tell('settled', rows)
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

  function tell(kind: TradesChanged['kind'], rows: SettledRow[]): void {
    if (rows.length === 0) return
    deps.changed({
      kind,
      tradeIds: rows.map((row) => row.id),
      userIds: [...new Set(rows.map((row) => userOf(row.account_id)))],
    })
  }

  await loadUnentered()
  const entering: Loop = startLoop('entries', ROUND_MS, log, async () => {
    try {
      await enterRound()
    } catch (error) {
      // Trades that the failed round had removed from its list are found again in the database.
      await loadUnentered()
      throw error
    }
  })
  const settling: Loop = startLoop('settlement', ROUND_MS, log, settleRound)
  const recounting: Loop = startLoop('symbol stakes', RECOUNT_MS, log, async () => {
    await entryConnection.run('recount_symbols', RECOUNT_SYMBOLS_SQL, [])
  })

  return {
    opened({ order, tradeTime }) {
      wait(order.symbolId, { id: order.id, tradeTime })
    },
    frame() {
      entering.wake()
      settling.wake()
    },
    async stop() {
      await Promise.all([entering.stop(), settling.stop(), recounting.stop()])
    },
  }
}
