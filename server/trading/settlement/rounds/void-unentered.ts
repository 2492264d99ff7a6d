import type { Ms } from '#kernel/time.ts'
import { type Connection, numbers } from '../../../platform/database/connection.ts'
import type { Log } from '../../../platform/process/log.ts'
import { startLoop } from '../../../platform/process/loop.ts'
import type { Instruments, Tape } from '../../../prices/index.ts'
import { VOID_UNENTERED_SQL } from '../settle.sql.ts'
import { type SettledListeners, settle } from './run-settling.ts'
import { createUnentered, type Silent } from './unentered.ts'

export interface VoidingDeps extends SettledListeners {
  /** For work that must not wait behind settlement: trades without an entry. */
  entryConnection: Connection
  tape: Pick<Tape, 'latest' | 'provenUntil'>
  instruments: Pick<Instruments, 'byId'>
  log: Log
}

/** Voids trades once it is proven that they have no entry. */
export interface Voiding {
  /** A trade was accepted. */
  wait(symbolId: number, tradeTime: Ms): void
  /** Reads again which trades may be without entry. */
  reload(): void
  wake(): void
  stop(): Promise<void>
}

/** `opened`: called for each trade that may be open. */
export function startVoiding(deps: VoidingDeps, pause: () => number, opened: () => void): Voiding {
  const unentered = createUnentered(deps.tape, deps.instruments)
  let mustReload = true

  function wait(symbolId: number, tradeTime: Ms): void {
    opened()
    unentered.add(symbolId, tradeTime)
  }

  const loop = startLoop('trades without entry', pause, deps.log, async () => {
    try {
      if (mustReload) {
        mustReload = false
        await loadUnentered(deps.entryConnection, wait)
      }
      const silent = unentered.takeSilent()
      if (silent.length > 0) await voidSilent(deps, silent, wait)
    } catch (error) {
      // What the failed round had removed from its list is found again in the database.
      mustReload = true
      throw error
    }
  })

  return {
    wait,
    reload() {
      mustReload = true
      opened()
      loop.wake()
    },
    wake: loop.wake,
    stop: loop.stop,
  }
}

/** Reads the trades that were accepted before this process started, or left behind by another one. */
async function loadUnentered(
  entryConnection: Connection,
  wait: (symbolId: number, tradeTime: Ms) => void,
): Promise<void> {
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

/** Voids the trades of these symbols that have no entry. Those of locked accounts wait again. */
async function voidSilent(
  deps: VoidingDeps,
  silent: readonly Silent[],
  wait: (symbolId: number, tradeTime: Ms) => void,
): Promise<void> {
  const left = await settle(deps, deps.entryConnection, 'void_unentered', VOID_UNENTERED_SQL, [
    numbers(silent.map(({ symbolId }) => symbolId)),
    numbers(silent.map(({ since }) => since)),
    numbers(silent.map(({ proven }) => proven)),
  ])
  for (const { symbol_id, trade_time } of left.busy) wait(symbol_id, Number(trade_time))
}
