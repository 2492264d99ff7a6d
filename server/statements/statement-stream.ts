import { once } from 'node:events'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { Problem } from '#contract/problem.ts'
import { SECOND_MS } from '#kernel/time.ts'
import { atMost } from '../platform/process/at-most.ts'
import type { DataLine } from './account-words.ts'
import type { Line } from './lines.ts'
import type { PdfTask } from './pdf-worker.ts'

/** Statements that a node generates at the same time. */
const RUNNING = 2
/** Lines rendered between two messages to the worker: about ten pages. */
const BATCH = 400
/** A client that reads nothing for this long loses its statement, so that it can't block others. */
const STALLED_MS = 20 * SECOND_MS

/** Yields a PDF file in chunks, rendered in a worker thread at the pace at which the client reads. */
export async function* pdfPieces<L extends Line | DataLine>(
  task: PdfTask,
  lines: AsyncIterable<L>,
): AsyncGenerator<Uint8Array> {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { workerData: task })
  const answerTo = async (batch: L[] | null): Promise<Uint8Array> => {
    worker.postMessage(batch)
    const [bytes] = (await once(worker, 'message')) as [Uint8Array]
    return bytes
  }
  try {
    let batch: L[] = []
    for await (const line of lines) {
      batch.push(line)
      if (batch.length < BATCH) continue
      const bytes = await answerTo(batch)
      if (bytes.length > 0) yield bytes
      batch = []
    }
    if (batch.length > 0) {
      const bytes = await answerTo(batch)
      if (bytes.length > 0) yield bytes
    }
    yield await answerTo(null)
  } finally {
    await worker.terminate()
  }
}

/** The chunks of a statement, as they are generated. */
export type Pieces = AsyncIterable<Uint8Array | string>

/** Streams at most two statements at once on this node, and one per trader. A statement counts until its stream ends. */
export type StartStream = (userId: bigint, write: () => Promise<Pieces>) => Promise<Readable>

export function limitStreams(): StartStream {
  const whenFree = atMost(RUNNING, { waiting: 20, patienceMs: 10 * SECOND_MS })
  const busy = new Set<bigint>()
  return (userId, write) => {
    if (busy.has(userId)) {
      throw new Problem('too_many_requests', 'Your last statement is still downloading. Wait for it to finish.', {
        retryAfterSeconds: 10,
      })
    }
    busy.add(userId)
    return new Promise((resolve, reject) => {
      whenFree(async () => {
        const stream = endingWhenStalled(await write())
        resolve(stream)
        await finished(stream).catch(() => undefined)
      })
        .catch(reject)
        .finally(() => busy.delete(userId))
    })
  }
}

function endingWhenStalled(pieces: Pieces): Readable {
  const stream = Readable.from(watched())
  let timer = setTimeout(() => stream.destroy(), STALLED_MS)
  stream.once('close', () => clearTimeout(timer))
  return stream

  async function* watched() {
    for await (const piece of pieces) {
      clearTimeout(timer)
      timer = setTimeout(() => stream.destroy(), STALLED_MS)
      yield piece
    }
  }
}
