import { setTimeout as sleep } from 'node:timers/promises'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { PricesDeps } from './deps.ts'
import type { Parts } from './parts.ts'
import type { Memory } from './tape/memory/memory.ts'

const HOUSEKEEPING_MS = 5_000
const FIRST_PRICES_MS = 3_000

/** Starts writing or following the tape, maintenance, and publishing the feed. Waits briefly for the first prices. */
export async function startLoops(
  { log, bus, isQuiet }: Pick<PricesDeps, 'log' | 'bus' | 'isQuiet'>,
  { memory, leader, housekeeping, runHousekeeping, publisher }: Parts,
): Promise<Loop[]> {
  const writing = startLoop('tape', 0, log, () => leader.step(true))
  bus.subscribe('frame', leader.wake)
  bus.onGap(leader.wake)
  // Before the first read: what another node makes meanwhile is in it, or in the next.
  bus.subscribe('instruments-changed', housekeeping.historyChanged)
  bus.onGap(housekeeping.historyChanged)
  await firstPrices(memory)
  // A failure here must not stop the start: the loop retries and reports it.
  await runHousekeeping().catch(() => undefined)
  const keeping = startLoop('prices housekeeping', HOUSEKEEPING_MS, log, runHousekeeping)
  bus.subscribe('feed-changed', keeping.wake)
  bus.subscribe('instruments-changed', keeping.wake)
  bus.onGap(keeping.wake)
  return publisher ? [writing, keeping, publisher.start(log, isQuiet)] : [writing, keeping]
}

async function firstPrices(memory: Memory): Promise<void> {
  const begun = memory.head().n
  for (let waited = 0; waited < FIRST_PRICES_MS && memory.head().n === begun; waited += 20) await sleep(20)
}
