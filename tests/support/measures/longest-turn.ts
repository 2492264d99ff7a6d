import { setTimeout as sleep } from 'node:timers/promises'

/** Returns the processor time of this thread in milliseconds. */
function busyMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const RUNS = 3

/**
 * Returns the longest time, in milliseconds of processor time, for which `work` keeps this thread from running timers.
 * Processor time excludes other processes on the machine. Of three runs it is the shortest: what blocks does so in each,
 * a garbage collection in one.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const turns: number[] = []
  for (let run = 0; run < RUNS; run++) turns.push(await longestTurnOf(work))
  return Math.min(...turns)
}

async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  const watch = async () => {
    for (let last = busyMs(); !isDone; last = busyMs()) {
      await sleep(1)
      longest = Math.max(longest, busyMs() - last)
    }
  }
  const watching = watch()
  await work().finally(() => {
    isDone = true
  })
  await watching
  return longest
}
