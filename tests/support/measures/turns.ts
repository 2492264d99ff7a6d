import { setImmediate as nextTurn } from 'node:timers/promises'

/** Whether `work` ends within a few turns of the event loop: it waits for no timer and for nobody. */
export async function endsAtOnce(work: Promise<unknown>): Promise<boolean> {
  let isDone = false
  const done = work.then(() => {
    isDone = true
  })
  for (let turn = 0; turn < 5 && !isDone; turn++) await nextTurn()
  const wasDone = isDone
  await done
  return wasDone
}
