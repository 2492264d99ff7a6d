import { expect, onTestFinished, test } from 'vitest'
import { discard } from '#tests/support/servers/server.ts'
import { busyFaults } from './harness/faults/busy.ts'
import { run } from './harness/run.ts'
import { openWorld, prepare } from './harness/world.ts'

/** Two faults of `npm run faults`, with a shorter time: accounts that stay locked, by a console and by a paused web. */
const HELD_MS = 8_000

test('accounts that stay locked delay no other order and no other settlement', async () => {
  const prepared = await prepare(5)
  onTestFinished(() => discard(prepared))
  const faults = busyFaults(HELD_MS)
  const rounds = await run({
    open: () => openWorld(prepared),
    next: ({ length }) => faults[length],
    burst: 1,
    seed: 1,
    perSecond: 40,
    calmMs: 500,
    warmUpMs: 55_000,
    isBrief: true,
    progress: () => undefined,
  })
  expect(rounds.flatMap(({ fault, findings }) => findings.map((one) => ({ fault: fault.name, ...one })))).toEqual([])
  expect(rounds.map(({ fault }) => fault.name)).toEqual(faults.map(({ name }) => name))
  for (const { acknowledged } of rounds) expect(acknowledged).toBeGreaterThan(10)
}, 300_000)
