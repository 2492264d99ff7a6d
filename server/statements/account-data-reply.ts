import { Problem } from '#contract/problem.ts'
import { findUser } from '../identity/index.ts'
import { FileReply } from '../platform/http/index.ts'
import { accountData, accountRows, moneyColumns } from './account-data.ts'
import { type DataLine, dataWords } from './account-words.ts'
import type { StatementsDeps } from './deps.ts'
import { type Pieces, pdfPieces } from './statement-stream.ts'

/** Streams everything that is stored about a trader as a file. Throws `too_many_requests` while another one is downloading. */
export async function accountDataReply(
  deps: Pick<StatementsDeps, 'db' | 'brand' | 'startStream' | 'instruments'>,
  userId: bigint,
  format: 'json' | 'pdf',
): Promise<FileReply> {
  const at = new Date().toISOString()
  const stream = await deps.startStream(userId, async () =>
    format === 'pdf' ? pdf(deps, userId, at) : accountData(deps, userId, { brand: deps.brand, at }),
  )
  // Not JSON to the client: what is saved is the text as it came.
  return new FileReply(stream, format === 'pdf' ? 'application/pdf' : 'text/plain; charset=utf-8', {
    'content-disposition': `attachment; filename="account-data-${at.slice(0, 10)}.${format}"`,
  })
}

async function pdf(
  { db, brand, instruments }: Pick<StatementsDeps, 'db' | 'brand' | 'instruments'>,
  userId: bigint,
  at: string,
): Promise<Pieces> {
  const owner = await findUser(db, userId)
  if (!owner) throw new Problem('unauthenticated', 'Please sign in.')
  const words = dataWords(instruments, await moneyColumns(db))
  return pdfPieces({ is: 'account data', head: { brand, email: owner.email, at } }, lines())

  async function* lines(): AsyncGenerator<DataLine> {
    for await (const rows of accountRows(db, userId)) yield* words(rows)
  }
}
