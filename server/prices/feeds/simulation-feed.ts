import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyFromText } from '../../platform/files/index.ts'
import { replaceFile } from '../../platform/process/durable-file.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { shownAt } from '../instruments/preview.ts'
import type { Feed } from './feed.ts'
import { createSimulation, crossUnits, legOf, STEP_MS } from './simulation.ts'

/** Quotes every instrument whose legs the simulation knows, at each of its steps. */
export function simulationFeed(instruments: Instruments, seed: string | Uint8Array): Feed {
  const simulation = createSimulation(seed)
  let pairs: { slot: number; base: number; quote: number; scale: number }[] = []
  let pairsOf = 0
  let lastStep = 0

  /** The pairs of all instruments; some may have been added. */
  function allPairs() {
    if (pairsOf === instruments.list.length) return pairs
    pairsOf = instruments.list.length
    pairs = instruments.list.flatMap((instrument, slot) => {
      const base = legOf(instrument.base)
      const quote = legOf(instrument.quote)
      return base === undefined || quote === undefined ? [] : [{ slot, base, quote, scale: instrument.scale }]
    })
    return pairs
  }

  return {
    kind: 'simulation',
    missing: ({ base, quote }) =>
      legOf(base) === undefined || legOf(quote) === undefined
        ? "The simulation doesn't include this symbol."
        : undefined,
    async preview({ base, quote, scale }, now) {
      const [baseLeg, quoteLeg] = [legOf(base), legOf(quote)]
      if (baseLeg === undefined || quoteLeg === undefined) {
        const unknown = [base, quote].filter((currency) => legOf(currency) === undefined)
        return { why: `The simulation doesn't know ${unknown.join(' and ')}.`, pairs: [] }
      }
      const units = crossUnits(simulation.legsAt(now), baseLeg, quoteLeg, scale)
      return { ...shownAt(BigInt(units), scale), pairs: [] }
    },
    collect(now, sink) {
      const step = Math.floor(now / STEP_MS)
      if (step === lastStep) return
      lastStep = step
      const legs = simulation.legsAt(now)
      for (const { slot, base, quote, scale } of allPairs()) {
        sink.state(slot, crossUnits(legs, base, quote, scale), now)
      }
    },
    stop: async () => undefined,
  }
}

/**
 * Returns the secret that predicts all simulated prices. Engines that share `PROOF_KEY` share it, so prices continue when
 * another one leads. Otherwise it was drawn when this folder's data was created.
 */
export function seedOf({ PROOF_KEY, dataDir }: { PROOF_KEY?: string | undefined; dataDir: string }): Uint8Array {
  if (PROOF_KEY === undefined) return keptSeed(dataDir)
  return new Uint8Array(hkdfSync('sha256', keyFromText(PROOF_KEY), '', 'simulated prices', 32))
}

function keptSeed(dataDir: string): Uint8Array {
  const file = join(dataDir, 'simulation-seed')
  if (!existsSync(file)) replaceFile(file, randomBytes(32))
  const seed = readFileSync(file)
  if (seed.length !== 32) throw new StartProblem(`${file} is not a seed. Delete the file to generate a new one.`)
  return seed
}
