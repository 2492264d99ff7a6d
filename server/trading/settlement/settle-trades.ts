import { first } from '#kernel/must.ts'
import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import type { Connection } from '../../platform/database/connection.ts'
import type { Clock } from '../../platform/process/clock.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'
import type { Instruments, Tape } from '../../prices/index.ts'
import { WRITE_ENTRIES_SQL } from '../acceptance/entries/entry.sql.ts'
import { createLanes, type LanesDeps, settleBusy, settleShare } from './rounds/lanes.ts'
import { startVoiding, type Voiding, type VoidingDeps } from './rounds/void-unentered.ts'
import { RECOUNT_SYMBOLS_SQL } from './settle.sql.ts'

interface SettlementDeps extends LanesDeps, VoidingDeps {
  tape: Pick<Tape, 'latest' | 'provenUntil'>
  clock: Pick<Clock, 'now'>
  instruments: Pick<Instruments, 'current' | 'byId'>
  /** Called when a trade may be open after none was. */
  begin?: (() => void) | undefined
}

export interface Settlement {
  /** A trade was accepted, here or on another node. */
  opened(trade: { symbolId: number; tradeTime: Ms }): void
  /** Messages about trades that other nodes accepted may have been lost: reads again which ones may be without entry. */
  reload(): void
  /** Whether a trade may be open. After the last one has settled, this stays true for up to a second. */
  mayHaveOpen(): boolean
  /** The tape has advanced. Frames only wake the worker; it finds its work by query. */
  frame(): void
  stop(): Promise<void>
}

/** Connections that settle in parallel; they never take the same trades. */
export const SETTLE_WORKERS = 2
const ROUND_MS = 500
/** How often the loops run while no trade is known to be open, in case the message about one was lost. */
const IDLE_ROUND_MS = 5_000
const RECOUNT_MS = 1_000
/** Trades that are open for longer get their entry written. The searchable index holds their ticks for longer still. */
const UNWRITTEN_MS = 5 * MINUTE_MS
const WRITE_ENTRIES_EVERY_MS = MINUTE_MS
/** Maximum entries written by one statement, so that settlement hardly ever finds a trade locked. */
const WRITE_ENTRIES_AT_ONCE = 5_000

/**
 * Settles each trade once its end is proven, or once it is proven that it has no entry. All state is in the database:
 * after a crash, the first round continues where the last one stopped.
 */
export function startSettlement(deps: SettlementDeps): Settlement {
  const { connections, entryConnection, log } = deps
  const open = openTrades(entryConnection)
  const lanes = createLanes(deps, () => trying.wake())
  const pause = () => (open.mayBe() ? ROUND_MS : IDLE_ROUND_MS)

  function markOpen(): void {
    if (!open.mark()) return
    frame()
    deps.begin?.()
  }

  function frame(): void {
    voiding.wake()
    for (const worker of settling) worker.wake()
  }

  const voiding: Voiding = startVoiding(deps, pause, markOpen)
  const settling: Loop[] = connections.map((_, worker) =>
    startLoop('settlement', pause, log, async () => {
      if (open.mayBe()) await settleShare(lanes, worker)
    }),
  )
  const trying: Loop = startLoop(
    'trades of busy accounts',
    () => (lanes.busy.accounts.size > 0 ? lanes.busy.pauseMs : IDLE_ROUND_MS),
    log,
    () => settleBusy(lanes),
  )
  const recounting = startLoop(
    'open trades',
    () => (open.mayBe() ? RECOUNT_MS : IDLE_ROUND_MS),
    log,
    async () => {
      const mayHaveChanged = open.mayBe()
      // The message about it was lost.
      await open.look(voiding.reload)
      // Also once after the last trade has been settled.
      if (mayHaveChanged) await entryConnection.run('recount_symbols', RECOUNT_SYMBOLS_SQL, [])
    },
  )
  const writing = startLoop('entries', WRITE_ENTRIES_EVERY_MS, log, async () => {
    if (open.mayBe()) await writeEntries(deps)
  })

  return {
    opened: ({ symbolId, tradeTime }) => voiding.wait(symbolId, tradeTime),
    mayHaveOpen: open.mayBe,
    reload: voiding.reload,
    frame() {
      if (open.mayBe()) frame()
    },
    async stop() {
      await Promise.all([voiding, trying, recounting, writing, ...settling].map((loop) => loop.stop()))
    },
  }
}

/** Whether a trade may be open. */
function openTrades(connection: Connection) {
  // Counts the messages about open trades, so that an older query doesn't overrule them.
  let opened = 0
  let mayHaveOpen = true
  return {
    mayBe: () => mayHaveOpen,
    /** A trade may be open. Returns whether none was before. */
    mark(): boolean {
      opened++
      if (mayHaveOpen) return false
      mayHaveOpen = true
      return true
    },
    /** Checks whether any trade is open. `unknown`: called if one is, and none was known. */
    async look(unknown: () => void): Promise<void> {
      const before = opened
      const rows = await connection.run<{ open: boolean }>(
        'any_open',
        `select exists (select from trades where status = 'Pending') as open`,
        [],
      )
      const { open } = first(rows)
      if (open && !mayHaveOpen) unknown()
      mayHaveOpen = open || opened !== before
    },
  }
}

async function writeEntries({ clock, entryConnection }: SettlementDeps): Promise<void> {
  const until = Math.floor(clock.now()) - UNWRITTEN_MS
  let written: number
  do {
    const values = [until, WRITE_ENTRIES_AT_ONCE]
    written = (await entryConnection.run('write_entries', WRITE_ENTRIES_SQL, values)).length
  } while (written === WRITE_ENTRIES_AT_ONCE)
}
