import type { Parsed } from '#contract/api.ts'
import { DeskLeverRelease } from '#contract/desk/markets/levers.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import type { LeverKind } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { releaseLever, requirePulled } from '../../../levers/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { defineProposal, subjectId } from '../../actions/define-proposal.ts'
import type { DeskDeps } from '../../deps.ts'
import { isoOf } from '../../lists/read.ts'

interface LeverColumns {
  lever_kind: LeverKind
  symbol: string | null
  notice: string | null
  why: string
  puller: string
  puller_email: string
  pulled_at: string
}

/** Releasing an emergency lever: proposed on the page of the emergency. The subject is the lever. */
export const leverReleases = defineProposal({
  kind: 'lever-releases',
  of: QUEUES['lever-releases'].of,
  schema: DeskLeverRelease,
  waiting: () => 'Releasing it has already been proposed. Ask another operator to decide.',
  async apply(deps, tx, { subject }) {
    await releaseLever(tx, BigInt(must(subject)))
    deps.levers.changed(tx)
  },
  facts: ({ subject }) => ({ lever: subject }),
  list: {
    columns: sql`l.kind as lever_kind, l.symbol, l.notice, l.reason as why, l.pulled_at, u.id::text as puller, u.email as puller_email`,
    joins: sql`join levers l on l.id = ${subjectId('lever-releases')} join operators u on u.id = l.pulled_by`,
  },
  view: ({
    subject,
    lever_kind,
    symbol,
    notice,
    why,
    puller,
    puller_email,
    pulled_at,
  }: LeverColumns & { subject: string | null }) => ({
    lever_id: must(subject),
    kind: lever_kind,
    symbol,
    notice,
    why,
    pulled_by: { operator_id: puller, email: puller_email },
    pulled_at: isoOf(pulled_at),
  }),
})

/** Proposes to release a lever. Throws `not_found`, and `wrong_state` once it is released, or while one is pending. */
export const proposeLeverRelease = (
  deps: DeskDeps,
  who: WhoOperates,
  { lever_id, reason }: Parsed<'POST /desk/lever-releases', 'body'>,
) =>
  leverReleases.propose(
    deps,
    who,
    async (tx) => {
      await requirePulled(tx, lever_id)
      return { subject: String(lever_id), payload: {}, reason }
    },
    (tx) => requirePulled(tx, lever_id),
  )
