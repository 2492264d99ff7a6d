import { Readable } from 'node:stream'
import { fieldProblem } from '#contract/problem.ts'
import type { Mode } from '#contract/terms.ts'
import { DAY_MS } from '#kernel/time.ts'
import { FileReply } from '../platform/http/index.ts'
import type { CashierDeps } from './deps.ts'
import { balanceBefore, linesOf, movementsBetween } from './movements.ts'
import { statementCsv } from './statement-csv.ts'
import { statementPdf } from './statement-pdf.ts'

export interface StatementQuery {
  mode: Mode
  /** UTC days, both included. */
  from: string
  to: string
  format?: 'csv' | 'pdf' | undefined
}

/** Every movement of a period as a file that is written while it is read. */
export async function statementReply(
  deps: Pick<CashierDeps, 'db' | 'brand'>,
  userId: bigint,
  { mode, from, to, format = 'csv' }: StatementQuery,
): Promise<FileReply> {
  if (from > to) throw fieldProblem('to', 'must not lie before the first day')
  const { db } = deps
  const range = await movementsBetween(db, userId, mode, Date.parse(from), Date.parse(to) + DAY_MS)
  const headers = { 'content-disposition': `attachment; filename="statement-${mode}-${from}-${to}.${format}"` }
  if (format === 'csv') {
    return new FileReply(Readable.from(statementCsv(linesOf(db, range))), 'text/csv; charset=utf-8', headers)
  }
  const owner = await db
    .selectFrom('users')
    .select(['email', 'firstname', 'lastname'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const opening = await balanceBefore(db, range)
  const closing = await balanceBefore(db, { ...range, from: range.to + 1n })
  const pdf = statementPdf(
    {
      brand: deps.brand,
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
  return new FileReply(pdf, 'application/pdf', headers)
}
