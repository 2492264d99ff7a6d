import { Problem } from '#contract/problem.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { releaseClaim } from './claims.ts'
import { auditedItem, findItem, type Item, type ItemSource, takeItem } from './items.ts'

interface Act {
  queue: ItemSource
  id: bigint
  action: string
  /** More steps follow: the operator keeps their claim. Otherwise the step releases it. */
  keeps?: boolean
}

/** The result of a use case that ran in the caller's transaction. */
export interface Step {
  /** What the audit row calls it, if not the action's name. */
  action?: string
  before?: object
  after?: object
  /** The reason, for the audit row. */
  why?: string
}

/**
 * Runs one step on an item. Rejects the operator's own items, claims a free one, and audits the step. The claim is
 * released afterwards, or kept where `keeps` is set. Throws `not_found`, `own_item`, `claimed`, and the errors of the
 * step.
 */
export function act(
  deps: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  { queue, id, action, keeps }: Act,
  step: (tx: Tx, item: Item) => Promise<Step>,
): Promise<Item> {
  return audited(deps.db, who, async (tx) => {
    const item = await takeItem(tx, queue, id, who, { ends: !keeps })
    const { action: did, before, after, why } = await step(tx, item)
    return {
      answer: item,
      entry: {
        action: did ?? action,
        item: auditedItem(queue.name, id),
        userId: item.userId,
        before: before ?? null,
        after: after ?? null,
        ...(why === undefined ? {} : { why }),
      },
    }
  })
}

/** Claims an item. Throws `not_found`, `own_item`, `claimed`, and `wrong_state` when it needs no more work. */
export function claim(deps: Pick<DeskDeps, 'db'>, who: WhoOperates, queue: ItemSource, id: bigint): Promise<void> {
  return audited(deps.db, who, async (tx) => {
    const item = await takeItem(tx, queue, id, who, { ends: false })
    if (!item.open) throw new Problem('wrong_state', 'This item needs no more work.')
    return { answer: undefined, entry: { action: 'claim', item: auditedItem(queue.name, id), userId: item.userId } }
  })
}

/** Releases an item. Throws `not_found`, and `claimed` when another operator has it. */
export function release(deps: Pick<DeskDeps, 'db'>, who: WhoOperates, queue: ItemSource, id: bigint): Promise<void> {
  return audited(deps.db, who, async (tx) => {
    const item = await findItem(tx, queue, id)
    await releaseClaim(tx, queue.name, item.id, who)
    return { answer: undefined, entry: { action: 'release', item: auditedItem(queue.name, id), userId: item.userId } }
  })
}
