import type { Bus } from '../platform/bus/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { startLoop } from '../platform/process/loop.ts'
import { type PulledLever, pulledLevers, stopText } from './levers.ts'

/** A hint: a lever was pulled or released. */
export interface LeversTopics {
  'levers-changed': null
}

/**
 * The pulled levers as this node knows them, to show them: the statements that accept and pay read the table itself, so
 * they obey a lever that this node hasn't heard of.
 */
export interface Levers {
  /** Why nobody can trade this symbol; undefined while they can. */
  symbolStop(symbol: string): string | undefined
  /** Why nobody can trade with real money; undefined while they can. */
  realStop(): string | undefined
  /** What every screen shows; undefined without maintenance. */
  maintenance(): string | undefined
  /** Calls every node's listeners after the commit. */
  changed(tx: Tx): void
  /** Calls the listener when a lever was pulled or released, on any node. */
  onChange(listener: () => void): void
  stop(): Promise<void>
}

/** A change is read at once. This interval is for hints that were lost. */
const READ_EVERY_MS = 1_000

/** Follows the levers. */
export async function followLevers({ db, log, bus }: { db: Db; log: Log; bus: Bus<LeversTopics> }): Promise<Levers> {
  let pulled = await pulledLevers(db)
  const listeners: (() => void)[] = []
  const loop = startLoop('levers', READ_EVERY_MS, log, async () => {
    const before = idsOf(pulled)
    pulled = await pulledLevers(db)
    if (idsOf(pulled) !== before) for (const listener of listeners) listener()
  })
  bus.subscribe('levers-changed', loop.wake)
  const find = (matches: (lever: PulledLever) => boolean) => pulled.find(matches)
  const textOf = (lever: PulledLever | undefined) => lever && stopText(lever)
  return {
    symbolStop: (symbol) => textOf(find((lever) => lever.symbol === symbol)),
    realStop: () => textOf(find(({ kind }) => kind === 'real-trading')),
    maintenance: () => find(({ kind }) => kind === 'maintenance')?.notice ?? undefined,
    changed: (tx) => tx.afterCommit(() => bus.publish('levers-changed', null), { once: 'levers' }),
    onChange: (listener) => void listeners.push(listener),
    stop: loop.stop,
  }
}

const idsOf = (levers: readonly PulledLever[]) => levers.map(({ id }) => id).join()
