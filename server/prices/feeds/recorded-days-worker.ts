import { parentPort, workerData } from 'node:worker_threads'
import { must } from '#kernel/must.ts'
import { DAY_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Instrument, instrumentsFrom } from '../instruments/instruments.ts'
import type { RecordedDay } from './recorded-days.ts'
import { recordedMinutes } from './recording.ts'

/** Reads a folder of recordings in a worker thread: parsing takes seconds that the event loop needs for the tape. */
const { folder, list, daysMax } = workerData as { folder: string; list: Instrument[]; daysMax: number }

const days = new Map<Ms, RecordedDay>()
for (const { symbol, minutes } of await recordedMinutes(folder, instrumentsFrom(list))) {
  for (const [start, bars] of Map.groupBy(minutes, ([time]) => startOf(time, DAY_MS))) {
    const day = days.get(start) ?? { start, minutes: new Map() }
    days.set(start, day)
    day.minutes.set(symbol, JSON.stringify(bars))
  }
}
const newest = [...days.values()].sort((a, b) => b.start - a.start).slice(0, daysMax)
must(parentPort).postMessage(newest)
