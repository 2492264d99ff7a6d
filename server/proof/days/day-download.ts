import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { SECOND_MS } from '#kernel/time.ts'
import type { Db } from '../../platform/database/db.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import type { Instruments } from '../../prices/index.ts'
import { type DayLine, dayLines } from './day-file.ts'
import type { KeptDays } from './kept-days.ts'

/** A day is up to 345,600 frames. Each network has one download at a time, so that nobody takes them all. */
const AT_ONCE = 2
/** One that takes longer is cut off. */
const LONGEST_MS = 900 * SECOND_MS
/** So is one whose reader takes less than this much text in this long: it would keep others out. */
const SLOWEST = { bytes: 3_000_000, ms: 20 * SECOND_MS }

/** Bytes of text for each byte of a packed file, about. */
const PACKED = 4

interface DayDownloadDeps {
  instruments: Instruments
  /** Where files of finished days are kept; on some nodes of tests nowhere. */
  days?: KeptDays | undefined
  slowest?: { bytes: number; ms: number }
}

/**
 * Opens the public file of a day as a stream: one that is kept, or a new one for a network, which counts as its
 * download until it closes.
 */
export function dayDownloads({ instruments, days, slowest = SLOWEST }: DayDownloadDeps) {
  const downloading = new Set<string>()
  /** Downloads that are read from the database. */
  let packing = 0

  /** Cuts a stream off that takes too long or is read too slowly. Lets the network start another when it closes. */
  function guarded<T extends Readable>(stream: T, taken: () => number, network: string): T {
    const end = setTimeout(() => stream.destroy(), LONGEST_MS)
    let before = 0
    const look = setInterval(() => {
      if (taken() - before < slowest.bytes) stream.destroy()
      before = taken()
    }, slowest.ms)
    stream.once('close', () => {
      clearTimeout(end)
      clearInterval(look)
      downloading.delete(network)
    })
    return stream
  }

  return async (db: Db, day: string, network: string): Promise<Readable> => {
    if (Number.isNaN(Date.parse(`${day}T00:00:00Z`))) throw fieldProblem('day', 'must be a day')
    if (downloading.has(network)) throw busy('A day is being downloaded from your network. Try again when it is done.')
    downloading.add(network)
    let isPacking = false
    try {
      const kept = await days?.open(day)
      if (kept) return guarded(kept, () => kept.bytesRead * PACKED, network)
      if (packing >= AT_ONCE) throw busy('Others are downloading days right now. Try again in a few minutes.')
      packing++
      isPacking = true
      const lines = dayLines(db, instruments, day, { trades: false })
      const begun = await firstLines(lines)
      // An error on the way closes the stream: the client sees that the file is incomplete.
      const stream = pipeline(Readable.from(asText(begun, lines)), createGzip(), () => undefined)
      stream.once('close', () => packing--)
      guarded(stream, () => stream.bytesWritten, network)
      return (await days?.keep(day, stream)) ?? stream
    } catch (error) {
      downloading.delete(network)
      if (isPacking) packing--
      if (error instanceof StartProblem) throw new Problem('not_found', error.message)
      throw error
    }
  }
}

/** Reads up to the first frame. Errors for a missing day come before that. */
async function firstLines(lines: AsyncGenerator<DayLine>): Promise<DayLine[]> {
  const begun: DayLine[] = []
  for (;;) {
    const { value, done } = await lines.next()
    if (done) return begun
    begun.push(value)
    if (Array.isArray(value)) return begun
  }
}

const busy = (message: string) => new Problem('unavailable', message, { retryAfterSeconds: 60 })

async function* asText(begun: readonly DayLine[], rest: AsyncIterable<DayLine>): AsyncGenerator<string> {
  yield begun.map((line) => `${JSON.stringify(line)}\n`).join('')
  for await (const line of rest) yield `${JSON.stringify(line)}\n`
}
