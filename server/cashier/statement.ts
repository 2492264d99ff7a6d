import { fieldProblem } from '#contract/problem.ts'
import type { Mode } from '#contract/terms.ts'
import { DAY_MS } from '#kernel/time.ts'
import { FileReply } from '../platform/http/index.ts'
import type { CashierDeps } from './deps.ts'
import { balanceBefore, linesOf, movementsBetween } from './movements.ts'
import { statementCsv } from './statement-csv.ts'
import { type Pieces, statementPdfPieces } from './statement-stream.ts'

export interface StatementQuery {
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
export async function statementReply(
  deps: Pick<CashierDeps, 'db' | 'brand' | 'statements'>,
  userId: bigint,
  query: StatementQuery,
): Promise<FileReply> {
  const { mode, from, to, format = 'csv' } = query
  if (from > to) throw fieldProblem('to', 'must not be before the first day')
  const stream = await deps.statements(userId, () => pieces(deps, userId, { ...query, format }))
  return new FileReply(stream, format === 'csv' ? 'text/csv; charset=utf-8' : 'application/pdf', {
    'content-disposition': `attachment; filename="statement-${mode}-${from}-${to}.${format}"`,
  })
}

async function pieces(
  { db, brand }: Pick<CashierDeps, 'db' | 'brand'>,
  userId: bigint,
  { mode, from, to, format }: StatementQuery,
): Promise<Pieces> {
  const range = await movementsBetween(db, userId, mode, Date.parse(from), Date.parse(to) + DAY_MS)
  if (format === 'csv') return statementCsv(linesOf(db, range))
  const owner = await db
    .selectFrom('users')
    .select(['email', 'firstname', 'lastname'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const opening = await balanceBefore(db, range)
  const closing = await balanceBefore(db, { ...range, from: range.to + 1n })
  return statementPdfPieces(
    {
      brand,
      name: `${owner.firstname} ${owner.lastname}`,
      email: owner.email,
      mode,
      from,
      to,
      opening,
      closing,
    },
    linesOf(db, range),
  )
}
