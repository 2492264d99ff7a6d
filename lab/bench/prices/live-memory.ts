/**
 * Memory with live prices: `node lab/bench/prices/live-memory.ts [minutes] [quotes a second]`, an hour by default.
 *
 * Four fake exchanges in another process send best bids and asks of 79 markets, each 50 times a second, over real
 * sockets to the real adapters. The feed, the gate and the in-memory tape turn them into frames. Prints the memory in
 * use after a garbage collection every minute, and at the end the slope of the second half: memory that is never
 * released.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLog } from '#server/platform/process/log.ts'
import { liveFeed } from '#server/prices/feeds/live-feed.ts'
import { instrumentsFrom } from '#server/prices/instruments/instruments.ts'
import { type Entry, encodeBody, frameHash } from '#server/prices/tape/frames/frame.ts'
import { createGate } from '#server/prices/tape/gate.ts'
import { createMemory } from '#server/prices/tape/memory/memory.ts'
import { openVenue } from '#server/venues/index.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { pairs, startQuoting } from '../support/exchanges.ts'

const FRAME_MS = 250
const MINUTES = Number(process.argv[2] ?? 60)
const PER_SECOND = Number(process.argv[3] ?? 50)
/** In kB a minute: 6 MB an hour. */
const GOAL = 100

await measure()

async function measure(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const { addresses, stop } = await startQuoting(PER_SECOND)
  const clock = { now: () => Date.now(), agrees: () => true }
  const log = createLog('warn')
  const instruments = instrumentsFrom(
    pairs.map(({ base, quote }, n) => instrument({ id: n + 1, symbol: base + quote, base, quote, scale: 4 })),
  )
  const venues = addresses.map(({ id, address }) => openVenue(id, { clock, log, address }))
  const feed = liveFeed({ instruments, venues, log })
  await feed.readLists()
  const memory = createMemory(instruments)
  const gate = createGate(instruments, memory.newest)
  let frames = 0
  let ticks = 0
  const timer = setInterval(() => {
    const now = clock.now()
    gate.at(now)
    feed.collect(now, gate)
    const entries = gate
      .candidates()
      .map(({ slot, units, sourceMs }): Entry => {
        const { symbol, scale } = instruments.list[slot]!
        return { symbol, kind: 0, scale, seq: memory.newest.seq[slot]! + 1, sourceMs, units }
      })
      .sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
    const head = memory.head()
    const body = encodeBody(now, entries)
    const hash = frameHash(head.hash, head.n + 1, now, body)
    memory.apply({ n: head.n + 1, t: now, hash }, entries)
    gate.clear()
    frames++
    ticks += entries.length
  }, FRAME_MS)

  const heap: number[] = []
  for (let minute = 1; minute <= MINUTES; minute++) {
    await sleep(60_000)
    collectGarbage()
    const { heapUsed, rss, arrayBuffers } = process.memoryUsage()
    heap.push((heapUsed + arrayBuffers) / 1_000)
    const messages = feed.venues!(clock.now()).reduce((sum, venue) => sum + venue.messagesPerSecond, 0)
    console.log(
      `${minute} min: in use ${Math.round(heap.at(-1)!)} kB, process ${Math.round(rss / 1e6)} MB; ${Math.round(messages)} messages, ${(frames / minute / 60).toFixed(1)} frames a second with ${(ticks / frames).toFixed(1)} ticks`,
    )
  }
  clearInterval(timer)
  await feed.stop()
  stop()
  const found = slope(heap.slice(heap.length >> 1))
  console.log(`slope of the second half: ${found.toFixed(1)} kB a minute (goal: below ${GOAL})`)
  process.exit(found < GOAL ? 0 : 1)
}

/** Fits a line by least squares. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const [up, across] = values.reduce(
    ([a, b], value, at) => [a! + (at - middle) * (value - mean), b! + (at - middle) ** 2],
    [0, 0],
  )
  return across! === 0 ? 0 : up! / across!
}
