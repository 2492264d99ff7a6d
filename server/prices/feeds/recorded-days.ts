import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Ms } from '#kernel/time.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Instruments } from '../instruments/instruments.ts'

/** A recorded UTC day. */
export interface RecordedDay {
  start: Ms
  /** By symbol: its one-minute bars as JSON text, as from `storedMinutes`. */
  minutes: Map<string, string>
}

/** Recorded days that are kept in memory: at most 80 kB for each symbol and day. */
const DAYS_MAX = 31

/**
 * Reads the newest recorded days of a folder, newest first, once; the first caller starts it. None if they can't be read.
 */
export function recordedDays(
  folder: string | undefined,
  { list }: Instruments,
  log: Log,
): () => Promise<readonly RecordedDay[]> {
  let read: Promise<readonly RecordedDay[]> | undefined
  async function start(): Promise<readonly RecordedDay[]> {
    if (folder === undefined) return []
    const worker = new Worker(new URL('./recorded-days-worker.ts', import.meta.url), {
      workerData: { folder, list, daysMax: DAYS_MAX },
    })
    try {
      const [days] = (await once(worker, 'message')) as [RecordedDay[]]
      return days
    } finally {
      await worker.terminate()
    }
  }
  return () => {
    read ??= start().catch((error: unknown) => {
      log.error({ error: String(error) }, 'could not read the recordings')
      read = undefined
      return []
    })
    return read
  }
}
