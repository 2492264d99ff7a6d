import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../platform/process/log.ts'
import { startLoops } from './loops.ts'

type Started = Parameters<typeof startLoops>

/** Starts the loops of a node that hears of this when it has just read histories. Returns how often it has read. */
async function startNode(heard: string): Promise<() => number> {
  const listeners: { topic: string; listener: () => void }[] = []
  const bus = {
    subscribe: (topic: string, listener: () => void) => listeners.push({ topic, listener }),
    onGap: (listener: () => void) => listeners.push({ topic: 'gap', listener }),
  }
  let isDue = true
  let reads = 0
  let frames = 0
  const parts = {
    memory: { head: () => ({ n: frames++, t: 0 }) },
    leader: { step: async () => undefined, wake: () => undefined },
    housekeeping: {
      historyChanged: () => {
        isDue = true
      },
    },
    async runHousekeeping() {
      if (!isDue) return
      isDue = false
      reads++
      if (reads > 1) return
      for (const { topic, listener } of listeners) if (topic === heard) listener()
    },
  }
  const loops = await startLoops(
    { bus, log: createLog('silent') } as unknown as Started[0],
    parts as unknown as Started[1],
  )
  onTestFinished(async () => void (await Promise.all(loops.map((loop) => loop.stop()))))
  return () => reads
}

test.each([
  ['what another one makes while it starts', 'instruments-changed'],
  ['what it may not have heard of', 'gap'],
])('a node reads %s', async (_, heard) => {
  const reads = await startNode(heard)
  await expect.poll(reads).toBe(2)
})
