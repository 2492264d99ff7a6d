import { isDeepStrictEqual } from 'node:util'
import { DeskPriceListChange } from '#contract/desk/markets/price-lists.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import type { PriceListDocument } from '#contract/trading/offers.ts'
import type { DryRun } from '#contract/trading/price-lists.ts'
import { last } from '#kernel/must.ts'
import { SECOND_MS } from '#kernel/time.ts'
import { type Db, sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { atMost } from '../../../platform/process/at-most.ts'
import { addVersion, dryRun, newestVersions } from '../../../price-lists/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import type { DeskDeps } from '../../deps.ts'

/** What is proposed, and what was computed for it. */
interface Change {
  document: PriceListDocument
  before: PriceListDocument
  dry_run: DryRun
}

interface ChangeColumns {
  version: number | null
  acknowledged: string | null
}

/** There is one document, so at most one change of it is pending. */
const SUBJECT = 'price-lists'

/** Price lists: proposed by one admin with a dry run, decided by another. */
export const priceListChanges = defineProposal({
  kind: 'price-lists',
  of: QUEUES['price-lists'].of,
  schema: DeskPriceListChange,
  waiting: () => 'A change of the price lists has already been proposed. Ask another admin to decide.',
  async apply(deps, tx, { id, payload: { document, dry_run }, acknowledged }) {
    if (dry_run.edge && acknowledged === undefined)
      throw fieldProblem('acknowledged', 'Say why you approve lists that would have given traders an edge.')
    if (!dry_run.edge && acknowledged !== undefined)
      throw fieldProblem('acknowledged', 'is only for lists that would have given traders an edge')
    const { version, fromMs } = await addVersion(tx, {
      ...{ document, proposalId: id },
      acknowledged: acknowledged ?? null,
    })
    deps.priceLists.changed(tx)
    return { version, from: new Date(fromMs).toISOString(), ...(acknowledged !== undefined && { acknowledged }) }
  },
  facts: ({ payload: { document, dry_run } }: { payload: Change }) => ({ document, edge: dry_run.edge }),
  list: {
    columns: sql`v.version, v.acknowledged`,
    joins: sql`left join price_list_versions v on v.proposal_id = r.id`,
  },
  view: ({ payload, version, acknowledged }: ChangeColumns & { payload: Change }) => ({
    ...payload,
    version,
    acknowledged,
  }),
})

type ProposeDeps = Pick<DeskDeps, 'db' | 'clock' | 'prices' | 'recordings'>

/** Proposes price lists. Throws `wrong_state` while others are proposed. */
export async function proposePriceLists(
  deps: ProposeDeps,
  who: WhoOperates,
  { document, reason }: { document: PriceListDocument; reason: string },
): Promise<DeskPriceListChange> {
  refuseUnknown(deps, document)
  const { document: before } = last(await newestVersions(deps.db))
  if (isDeepStrictEqual(document, before)) throw fieldProblem('document', 'These are the price lists that apply now.')
  const dry_run = await tryPriceLists(deps, document)
  return priceListChanges.propose(deps, who, async () => ({
    subject: SUBJECT,
    payload: { document, before, dry_run },
    reason,
  }))
}

/** One at a time: each reads a week of minutes of all symbols. */
const oneAtATime = atMost(1, { waiting: 50, patienceMs: 30 * SECOND_MS })
/** The newest result: what an admin has just tried is proposed next. */
let newest: { key: string; at: number; result: DryRun } | undefined
const NEW_FOR_MS = 60 * SECOND_MS

/** Tries price lists on past minutes, without proposing them. */
export async function tryPriceLists(deps: ProposeDeps, document: PriceListDocument): Promise<DryRun> {
  refuseUnknown(deps, document)
  const key = JSON.stringify(document)
  const { tape, instruments } = deps.prices
  return oneAtATime(async () => {
    const now = deps.clock.now()
    if (newest?.key === key && Math.abs(now - newest.at) < NEW_FOR_MS) return newest.result
    const { db, recordings } = deps
    const result = await dryRun({ db, tape, instruments, recordings }, document, await openTrades(db), now)
    newest = { key, at: now, result }
    return result
  })
}

function refuseUnknown({ prices }: Pick<DeskDeps, 'prices'>, { rules }: PriceListDocument): void {
  const unknown = rules.flatMap(({ symbols }) => symbols).find((one) => !prices.instruments.bySymbol(one)?.tradingType)
  if (unknown !== undefined) throw fieldProblem('document', `${unknown} is not traded here`)
}

async function openTrades(db: Db): Promise<number> {
  const { rows } = await sql<{ open: bigint }>`select count(*) as open from trades where status = 'Pending'`.execute(db)
  const [row] = rows
  if (!row) throw new Problem('unavailable', 'The trades could not be counted.')
  return Number(row.open)
}
