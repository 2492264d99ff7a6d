import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { must } from '#kernel/must.ts'
import { accountDataPdf, type DataHead } from './account-data-pdf.ts'
import type { DataLine } from './account-words.ts'
import type { Line } from './lines.ts'
import { type StatementHead, statementPdf } from './statement-pdf.ts'

/** What a worker is started for: a file, and what its lines are. */
export type PdfTask = { is: 'statement'; head: StatementHead } | { is: 'account data'; head: DataHead }

/**
 * Renders a PDF file in a worker thread: rendering a page takes milliseconds of CPU time that the event loop needs for
 * the tape. Each message is a batch of lines, then `null`; each reply is the output since the last one.
 */
const port = must(parentPort)
let written: Uint8Array[] = []

const answer = () => {
  const bytes = Buffer.concat(written)
  written = []
  port.postMessage(bytes)
}

async function* linesFromMain<L>(): AsyncGenerator<L> {
  for (;;) {
    const [batch] = (await once(port, 'message')) as [L[] | null]
    if (batch === null) return
    yield* batch
    answer()
  }
}

const task = workerData as PdfTask
const pdf =
  task.is === 'statement'
    ? statementPdf(task.head, linesFromMain<Line>())
    : accountDataPdf(task.head, linesFromMain<DataLine>())
pdf.on('data', (bytes: Uint8Array) => written.push(bytes))
pdf.on('end', () => {
  answer()
  port.close()
})
