import { expect, test } from 'vitest'
import { clusterFaults } from '../harness/cluster/faults.ts'
import { openCluster } from '../harness/cluster/world.ts'
import { run } from '../harness/run.ts'

/**
 * Some faults of `npm run faults -- --cluster`, with shorter times: two web nodes behind nginx and two engines, on a
 * primary with a synchronous standby, Redis and a bucket.
 */
const TIMES = { pausedMs: 4_000, downMs: 1_500, cutMs: 3_000 }
const NAMES = ['leader-pause', 'primary-kill']

test('a cluster loses nothing when its leader is paused and its primary fails over', async () => {
  const faults = clusterFaults(TIMES).filter(({ name, missing }) => {
    const why = NAMES.includes(name) ? missing?.() : undefined
    if (why !== undefined) console.log(`Skipping ${name}: ${why}`)
    return NAMES.includes(name) && why === undefined
  })
  const rounds = await run({
    open: () => openCluster(3),
    next: ({ length }) => faults[length],
    burst: 1,
    seed: 1,
    perSecond: 40,
    calmMs: 500,
    warmUpMs: 58_000,
    isBrief: true,
    progress: () => undefined,
  })
  expect(rounds.flatMap(({ fault, findings }) => findings.map((one) => ({ fault: fault.name, ...one })))).toEqual([])
  expect(rounds.map(({ fault }) => fault.name)).toEqual(faults.map(({ name }) => name))
  for (const { acknowledged } of rounds) expect(acknowledged).toBeGreaterThan(10)
}, 300_000)
