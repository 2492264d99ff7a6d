import type { Parsed } from '#contract/api.ts'
import type { DeskLever } from '#contract/desk/markets/levers.ts'
import { fieldProblem } from '#contract/problem.ts'
import type { LeverKind } from '#contract/terms.ts'
import { pullLever } from '../../levers/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { isoOf, readList } from '../lists/read.ts'

interface Row {
  id: string
  kind: LeverKind
  symbol: string | null
  notice: string | null
  why: string
  pulled_at: string
  operator: string
  email: string
  release: string | null
  proposer: string | null
  proposer_email: string | null
}

/** Returns the levers that are pulled, oldest first. */
export async function levers(db: Db | Tx): Promise<DeskLever[]> {
  const rows = await readList<Row>(
    db,
    sql`
      select l.id::text, l.kind, l.symbol, l.notice, l.reason as why, l.pulled_at, o.id::text as operator, o.email,
        r.id::text as release, p.id::text as proposer, p.email as proposer_email
      from levers l join operators o on o.id = l.pulled_by
      left join proposals r on r.kind = 'lever-releases' and r.subject = l.id::text and r.status = 'Pending'
      left join operators p on p.id = r.proposed_by
      where l.released_at is null order by l.id`,
  )
  return rows.map(({ operator, email, pulled_at, release, proposer, proposer_email, ...lever }) => ({
    ...lever,
    pulled_by: { operator_id: operator, email },
    pulled_at: isoOf(pulled_at),
    release:
      release === null || proposer === null || proposer_email === null
        ? null
        : { id: release, proposed_by: { operator_id: proposer, email: proposer_email } },
  }))
}

/** Pulls a lever. Throws `validation_failed`, and `wrong_state` if it is pulled already. */
export function pull(
  deps: Pick<DeskDeps, 'db' | 'prices' | 'levers'>,
  who: WhoOperates,
  { kind, symbol, notice, reason }: Parsed<'POST /desk/levers', 'body'>,
): Promise<DeskLever[]> {
  if ((kind === 'symbol') !== (symbol !== undefined))
    throw fieldProblem('symbol', kind === 'symbol' ? 'is required' : 'must be empty')
  if (symbol !== undefined && !deps.prices.instruments.bySymbol(symbol)?.tradingType)
    throw fieldProblem('symbol', 'is not traded here')
  if ((kind === 'maintenance') !== (notice !== undefined))
    throw fieldProblem('notice', kind === 'maintenance' ? 'is required' : 'must be empty')
  return audited(deps.db, who, async (tx) => {
    const lever = await pullLever(tx, { kind, symbol, notice, reason, operatorId: who.operatorId })
    deps.levers.changed(tx)
    return {
      answer: await levers(tx),
      entry: {
        action: 'pull',
        item: { kind: 'levers', id: String(lever.id) },
        after: { kind, ...(symbol === undefined ? {} : { symbol }), ...(notice === undefined ? {} : { notice }) },
        why: reason,
      },
    }
  })
}
