import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import type { Line } from './movements.ts'
import { type StatementHead, statementPdf } from './statement-pdf.ts'

/**
 * Draws a statement in a thread of its own: drawing a page takes milliseconds of processor time that the event loop
 * needs for the tape. Each message is a batch of lines, `null` after the last; each answer is what was written since.
 */
const port = parentPort!
let written: Uint8Array[] = []

const answer = () => {
  const bytes = Buffer.concat(written)
  written = []
  port.postMessage(bytes)
}

async function* linesFromMain(): AsyncGenerator<Line> {
  for (;;) {
    const [batch] = (await once(port, 'message')) as [Line[] | null]
    if (batch === null) return
    yield* batch
    answer()
  }
}

const pdf = statementPdf(workerData as StatementHead, linesFromMain())
pdf.on('data', (bytes: Uint8Array) => written.push(bytes))
pdf.on('end', () => {
  answer()
  port.close()
})
