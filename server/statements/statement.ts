import { fieldProblem, Problem } from '#contract/problem.ts'
import type { Mode } from '#contract/terms.ts'
import { DAY_MS } from '#kernel/time.ts'
import { findUser } from '../identity/index.ts'
import { balanceBefore, completeFrom, transfersBetween } from '../ledger/index.ts'
import { csvFile } from '../platform/http/csv.ts'
import { FileReply } from '../platform/http/index.ts'
import type { StatementsDeps } from './deps.ts'
import { linesOf } from './lines.ts'
import { statementCsv } from './statement-csv.ts'
import { type Pieces, pdfPieces } from './statement-stream.ts'

interface StatementQuery {
  mode: Mode
  /** UTC days, both included. */
  from: string
  to: string
  format?: 'csv' | 'pdf' | undefined
}

/**
 * Streams every movement of a period as a file. Throws `too_many_requests` while the trader's previous statement is
 * downloading.
 */
export async function statementReply(deps: StatementsDeps, userId: bigint, query: StatementQuery): Promise<FileReply> {
  const { mode, from, to, format = 'csv' } = query
  if (from > to) throw fieldProblem('to', 'must not be before the first day')
  const complete = await completeFrom(deps.db, userId, mode)
  if (complete !== undefined && from < complete)
    throw fieldProblem(
      'from',
      `must be ${complete} or later. Older trades are no longer listed: contact us for an older statement`,
    )
  const stream = await deps.startStream(userId, () => pieces(deps, userId, { ...query, format }))
  const name = `statement-${mode}-${from}-${to}`
  if (format === 'csv') return csvFile(name, stream)
  return new FileReply(stream, 'application/pdf', {
    'content-disposition': `attachment; filename="${name}.pdf"`,
  })
}

async function pieces(
  deps: StatementsDeps,
  userId: bigint,
  { mode, from, to, format }: StatementQuery,
): Promise<Pieces> {
  const { db, brand } = deps
  const range = await transfersBetween(db, userId, mode, Date.parse(from), Date.parse(to) + DAY_MS)
  const lines = linesOf(deps, userId, range)
  if (format === 'csv') return statementCsv(lines)
  const owner = await findUser(db, userId)
  if (!owner) throw new Problem('unauthenticated', 'Please sign in.')
  const opening = await balanceBefore(db, range)
  const closing = await balanceBefore(db, { ...range, from: range.to + 1n })
  const head = {
    brand,
    name: `${owner.firstname} ${owner.lastname}`,
    email: owner.email,
    mode,
    from,
    to,
    opening,
    closing,
  }
  return pdfPieces({ is: 'statement', head }, lines)
}
