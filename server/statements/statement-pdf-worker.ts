import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { must } from '#kernel/must.ts'
import type { Line } from './lines.ts'
import { type StatementHead, statementPdf } from './statement-pdf.ts'

/**
 * Renders a statement in a worker thread: rendering a page takes milliseconds of CPU time that the event loop needs for
 * the tape. Each message is a batch of lines, then `null`; each reply is the output since the last one.
 */
const port = must(parentPort)
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
