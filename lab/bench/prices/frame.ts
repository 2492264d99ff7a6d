/**
 * The cost of a frame: `node lab/bench/prices/frame.ts [rounds]`.
 *
 * Makes frames with every instrument: simulates, gates, encodes and hashes them, keeps them in memory with their
 * candles, publishes them, and builds the values of their SQL statement. The reference, interleaved in the same run,
 * writes the entries of the same frame as JSON and hashes them with sha256.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { simulationFeed } from '#server/prices/feeds/simulation-feed.ts'
import { instrumentsFrom } from '#server/prices/instruments/instruments.ts'
import { frameEvent } from '#server/prices/tape/frame-event.ts'
import { type Entry, encodeBody, frameHash } from '#server/prices/tape/frames/frame.ts'
import { createGate } from '#server/prices/tape/gate.ts'
import { createMemory } from '#server/prices/tape/memory/memory.ts'
import { appendStatement } from '#server/prices/tape/store.ts'
import { instrument } from '#tests/support/prices/instruments.ts'

const ROUNDS = Number(process.argv[2] ?? 15)
const FRAMES = 2_000

const migration = readFileSync(new URL('../../../db/migrations/0003_prices.sql', import.meta.url), 'utf8')
const instruments = instrumentsFrom(
  [...migration.matchAll(/\((\d+), '(\w+)', '(\w+)', '(\w+)', .*?, (\d+)\)/g)].map(
    ([, id, symbol, base, quote, scale]) =>
      instrument({ id: Number(id), symbol: symbol!, base: base!, quote: quote!, scale: Number(scale) }),
  ),
)

const memory = createMemory(instruments)
const gate = createGate(instruments, memory.newest)
const feed = simulationFeed(instruments, 'bench')
let now = 1_790_000_000_000
let ticks = 0
let newest: Entry[] = []

function frame(store: boolean): number {
  now += 250
  const head = memory.head()
  gate.at(now)
  feed.collect(now, gate)
  const entries = gate.candidates().map(({ slot, units, sourceMs }): Entry => {
    const { symbol, scale } = instruments.list[slot]!
    return { symbol, kind: 2, scale, seq: memory.newest.seq[slot]! + 1, sourceMs, units }
  })
  const body = encodeBody(now, entries)
  const made = { n: head.n + 1, t: now, prev: head.hash, hash: frameHash(head.hash, head.n + 1, now, body), body }
  if (store) appendStatement(instruments, made, entries)
  memory.apply(made, entries)
  frameEvent(instruments, made, entries)
  ticks += entries.length
  newest = entries
  return entries.length
}

function reference(): number {
  return createHash('sha256').update(JSON.stringify(newest)).digest().length
}

/** Returns the CPU per call, microseconds. */
function cost(work: () => unknown): number {
  const before = process.cpuUsage()
  for (let i = 0; i < FRAMES; i++) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / FRAMES
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
const warm = () => [cost(() => frame(false)), cost(() => frame(true)), cost(reference)]
warm()
warm()
ticks = 0
const rounds = Array.from({ length: ROUNDS }, warm)
const [made, stored, json] = [0, 1, 2].map((at) => median(rounds.map((round) => round[at]!))) as [
  number,
  number,
  number,
]
const ratio = median(rounds.map((round) => round[1]! / round[2]!))
console.log(
  `instruments ${instruments.list.length}, ticks a frame ${(ticks / (ROUNDS * FRAMES * 2)).toFixed(1)}, rounds ${ROUNDS} of ${FRAMES} frames`,
)
console.log(`frame with candles         ${made.toFixed(1)} us of CPU`)
console.log(`values of its statement    ${(stored - made).toFixed(1)} us more`)
console.log(
  `JSON and sha256 of it      ${json.toFixed(1)} us; all / JSON and sha256 ${ratio.toFixed(2)} (at most 0.5 wanted)`,
)
