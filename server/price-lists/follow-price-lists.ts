import { type Offer, offerAt, type PriceListVersion, type Wanted } from '#contract/trading/offers.ts'
import { last } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { startLoop } from '../platform/process/loop.ts'
import { newestVersions } from './price-lists.ts'

/** A hint: there is a new version. */
export interface PriceListTopics {
  'price-lists-changed': null
}

/** The price lists as this node knows them. The statement that accepts orders compares the version. */
export interface PriceLists {
  /** Returns what is offered at a time. */
  offer(wanted: Wanted, at: Ms): Offer
  /** The newest versions, oldest first: the one that applies, those before, and one that will. */
  versions(): readonly PriceListVersion[]
  /** The number of the newest version that this node knows. */
  newest(): number
  /** Reads again: another node knows a newer version. */
  look(): void
  /** Calls every node's listeners after the commit. */
  changed(tx: Tx): void
  /** Calls the listener when there is a new version, from any node. */
  onChange(listener: () => void): void
  stop(): Promise<void>
}

/** A change is read at once. This interval is for hints that were lost; a version applies five seconds after its commit. */
const READ_EVERY_MS = 1_000

/** Follows the price lists. */
export async function followPriceLists({
  db,
  log,
  bus,
}: {
  db: Db
  log: Log
  bus: Bus<PriceListTopics>
}): Promise<PriceLists> {
  let versions = await newestVersions(db)
  const listeners: (() => void)[] = []
  const newest = () => last(versions).version
  const loop = startLoop('price lists', READ_EVERY_MS, log, async () => {
    const before = newest()
    versions = await newestVersions(db)
    if (newest() !== before) for (const listener of listeners) listener()
  })
  bus.subscribe('price-lists-changed', loop.wake)
  return {
    offer: (wanted, at) => offerAt(versions, wanted, at),
    versions: () => versions,
    newest,
    look: loop.wake,
    changed: (tx) => tx.afterCommit(() => bus.publish('price-lists-changed', null), { once: 'price-lists' }),
    onChange: (listener) => void listeners.push(listener),
    stop: loop.stop,
  }
}
