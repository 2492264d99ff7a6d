import type { Parsed } from '#contract/api.ts'
import { DeskCapitalMove } from '#contract/desk/money/capital.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { dollars as dollarsText, negate, type Usd, usdToText } from '#kernel/money.ts'
import { capitalOf, moveCapital, storeCapitalMove } from '../../../ledger/index.ts'
import { sql, type Tx } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { requireBookCovered } from '../../../risk/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import type { DeskDeps } from '../../deps.ts'
import { dollars } from '../../lists/read.ts'

/** The subject of each: one waits at a time, so two can't take the same money out. */
const SUBJECT = 'capital'

/** Movements of the house's capital: proposed by one admin on the page of exposure. */
export const capitalMoves = defineProposal({
  kind: 'capital-moves',
  of: QUEUES['capital-moves'].of,
  schema: DeskCapitalMove,
  waiting: () => 'Another movement of capital is waiting for a decision. Decide it first.',
  details: {
    insert: (tx: Tx, id: bigint, move: { amount: Usd; reference: string }) => storeCapitalMove(tx, { id, ...move }),
    read: (tx: Tx, id: bigint) =>
      tx.selectFrom('capital_moves').select(['amount', 'reference']).where('id', '=', id).executeTakeFirstOrThrow(),
  },
  async apply(deps, tx, { id, payload: { amount } }) {
    await requireCapital(deps, tx, amount)
    if (amount < 0n)
      await requireBookCovered(tx, deps.prices, { production: deps.production, takenOut: negate(amount) })
    await moveCapital(tx, id, amount)
  },
  facts: ({ payload: { amount, reference } }) => ({ amount: usdToText(amount), reference }),
  list: {
    columns: sql`m.amount, m.reference`,
    joins: sql`join capital_moves m on m.id = r.id`,
    amount: sql`abs(m.amount)`,
  },
  view: (row: { amount: number; reference: string }) => ({ amount: dollars(row.amount), reference: row.reference }),
})

/** Proposes a movement. Throws `wrong_state` while another one is pending, and if the capital doesn't cover it. */
export const proposeCapitalMove = (
  deps: DeskDeps,
  who: WhoOperates,
  { amount, reference, reason }: Parsed<'POST /desk/capital-moves', 'body'>,
) =>
  capitalMoves.propose(deps, who, async (tx) => {
    await requireCapital(deps, tx, amount)
    return { subject: SUBJECT, payload: { amount, reference: reference.toWellFormed() }, reason }
  })

async function requireCapital({ production }: Pick<DeskDeps, 'production'>, tx: Tx, amount: Usd): Promise<void> {
  if (amount > 0n) return
  const { capital } = await capitalOf(tx, { production })
  if (capital + amount < 0n)
    throw new Problem('wrong_state', `The house's capital is ${dollarsText(capital)}, so you can't take out more.`)
}
