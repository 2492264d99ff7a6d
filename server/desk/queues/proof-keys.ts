import { DeskProofKey } from '#contract/desk/office/proof-keys.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import type { Db } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { beginKey, waitingKeys } from '../../proof/index.ts'
import { pendingProposal } from '../../proposals/index.ts'
import { defineProposal } from '../actions/define-proposal.ts'
import type { DeskDeps } from '../deps.ts'

/** Beginning a key of receipts without the signature of the one before: proposed by an admin. The subject is the key's id. */
export const proofKeys = defineProposal({
  kind: 'proof-keys',
  of: QUEUES['proof-keys'].of,
  schema: DeskProofKey,
  waiting: () => 'This key has already been proposed. Ask another admin to decide.',
  apply: (_, tx, { subject, reason }) => beginKey(tx, must(subject), reason),
  facts: ({ subject }) => ({ key: subject }),
  view: ({ subject }) => ({ key: must(subject) }),
})

/** Proposes to begin a key. Throws `not_found` if no engine waits with it, and `wrong_state` if it is proposed already. */
export const proposeProofKey = (deps: DeskDeps, who: WhoOperates, { key, reason }: { key: string; reason: string }) =>
  proofKeys.propose(deps, who, async (tx) => {
    if (!(await waitingKeys(tx)).some(({ id }) => id === key))
      throw new Problem('not_found', 'No engine waits with this key.')
    return { subject: key, payload: {}, reason }
  })

/** The keys that sign nothing yet, and whether they are proposed. */
export const waitingProofKeys = async (db: Db) =>
  Promise.all(
    (await waitingKeys(db)).map(async ({ id, seenAt }) => ({
      key: id,
      since: seenAt.toISOString(),
      proposal_id: String((await pendingProposal(db, proofKeys.name, id))?.id ?? '') || null,
    })),
  )
