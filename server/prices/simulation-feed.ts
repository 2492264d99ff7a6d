import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartProblem } from '../platform/start-problem.ts'
import type { Feed } from './feed.ts'
import type { Instruments } from './instruments.ts'
import { createSimulation, crossUnits, legOf, STEP_MS } from './simulation.ts'

/** Quotes every instrument whose legs the simulation knows, at each of its steps. */
export function simulationFeed(instruments: Instruments, seed: string | Uint8Array): Feed {
  const simulation = createSimulation(seed)
  const pairs = instruments.list.flatMap((instrument, slot) => {
    const base = legOf(instrument.base)
    const quote = legOf(instrument.quote)
    return base === undefined || quote === undefined ? [] : [{ slot, base, quote, scale: instrument.scale }]
  })
  const known = new Set(pairs.map((pair) => instruments.list[pair.slot]!.symbol))
  let lastStep = 0
  return {
    kind: 'simulation',
    missing: ({ symbol }) => (known.has(symbol) ? undefined : "The simulation doesn't include this symbol."),
    collect(now, sink) {
      const step = Math.floor(now / STEP_MS)
      if (step === lastStep) return
      lastStep = step
      const legs = simulation.legsAt(now)
      for (const { slot, base, quote, scale } of pairs) {
        sink.state(slot, crossUnits(legs, base, quote, scale), now)
      }
    },
    stop: async () => undefined,
  }
}

/** The seed that was drawn when this installation's data was created. Secret: it predicts all future prices. */
export function keptSeed(dataDir: string): Uint8Array {
  const file = join(dataDir, 'simulation-seed')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' })
  const seed = readFileSync(file)
  if (seed.length !== 32) throw new StartProblem(`${file} is not a seed. Delete the file to generate a new one.`)
  return seed
}
