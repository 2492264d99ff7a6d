import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { SECOND_MS } from '#kernel/time.ts'
import type { Db } from '../../platform/database/db.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import type { Instruments } from '../../prices/index.ts'
import { type DayLine, dayLines } from './day-file.ts'

/** A day is up to 345,600 frames: one download at a time. */
const AT_ONCE = 1
/** One that takes longer is cut off. */
const LONGEST_MS = 900 * SECOND_MS
/** So is one whose reader takes nothing for this long: it would keep everyone else out. */
const STALLED_MS = 20 * SECOND_MS

interface DayDownloadDeps {
  instruments: Instruments
  stalledMs?: number
}

/** Opens the public file of a day as a stream, which occupies a download slot until it closes. */
export function dayDownloads({ instruments, stalledMs = STALLED_MS }: DayDownloadDeps) {
  let downloads = 0
  return async (db: Db, day: string): Promise<Readable> => {
    if (Number.isNaN(Date.parse(`${day}T00:00:00Z`))) throw fieldProblem('day', 'must be a day')
    if (downloads >= AT_ONCE)
      throw new Problem('unavailable', 'Someone is downloading a day right now. Try again in a few minutes.', {
        retryAfterSeconds: 60,
      })
    downloads++
    try {
      const lines = dayLines(db, instruments, day, { trades: false })
      const begun = await firstLines(lines)
      // An error on the way closes the stream: the client sees that the file is incomplete.
      const stream = pipeline(
        Readable.from(asText(begun, lines, () => stalled.refresh())),
        createGzip(),
        () => undefined,
      )
      const end = setTimeout(() => stream.destroy(), LONGEST_MS)
      const stalled = setTimeout(() => stream.destroy(), stalledMs)
      stream.once('close', () => {
        clearTimeout(end)
        clearTimeout(stalled)
        downloads--
      })
      return stream
    } catch (error) {
      downloads--
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

/** Yields the lines as text, and calls `taken` each time the client has room for another. */
async function* asText(
  begun: readonly DayLine[],
  rest: AsyncIterable<DayLine>,
  taken: () => void,
): AsyncGenerator<string> {
  yield begun.map((line) => `${JSON.stringify(line)}\n`).join('')
  for await (const line of rest) {
    taken()
    yield `${JSON.stringify(line)}\n`
  }
}
