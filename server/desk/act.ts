import type { Queue } from '#contract/desk.ts'
import { Problem } from '#contract/problem.ts'
import type { Tx } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { audited } from './audited.ts'
import { giveBack } from './claims.ts'
import type { DeskDeps } from './deps.ts'
import { findItem, type Item, takeItem } from './items.ts'

export interface Act {
  queue: Queue
  /** The item as the address names it. */
  id: string
  action: string
  why?: string
  /** The step is one of many: whoever did it goes on having the item, which otherwise is free again. */
  keeps?: boolean
}

/** What a use case did within the caller's transaction. */
export interface Step {
  before?: object
  after?: object
  committed?(): void
}

/**
 * Does one step of an item: nobody's own, claimed by whoever acts where it was free, audited, and free again afterwards (or
 * kept where more of the same follows).
 * Throws `not_found`, `own_item`, `claimed`, and what the step itself refuses.
 */
export function act(
  deps: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  { queue, id, action, why, keeps }: Act,
  step: (tx: Tx, item: Item) => Promise<Step>,
): Promise<Item> {
  return audited(deps.db, who, async (tx) => {
    const item = await takeItem(tx, queue, id, who, { ends: !keeps })
    const { before, after, committed } = await step(tx, item)
    return {
      answer: item,
      deed: {
        action,
        item: { kind: queue, id },
        userId: item.userId,
        before: before ?? null,
        after: after ?? null,
        ...(why === undefined ? {} : { why }),
      },
      ...(committed ? { committed } : {}),
    }
  })
}

/** Takes an item to work on. Throws `not_found`, `own_item`, `claimed`, `wrong_state` where nothing is left to do. */
export function claim(deps: Pick<DeskDeps, 'db'>, who: WhoOperates, queue: Queue, id: string): Promise<void> {
  return audited(deps.db, who, async (tx) => {
    const item = await takeItem(tx, queue, id, who, { ends: false })
    if (!item.open) throw new Problem('wrong_state', 'Nothing is left to do here.')
    return { answer: undefined, deed: { action: 'claim', item: { kind: queue, id }, userId: item.userId } }
  })
}

/** Gives an item back. Throws `not_found`, and `claimed` where somebody else has it. */
export function release(deps: Pick<DeskDeps, 'db'>, who: WhoOperates, queue: Queue, id: string): Promise<void> {
  return audited(deps.db, who, async (tx) => {
    const item = await findItem(tx, queue, id)
    await giveBack(tx, queue, item.id, who)
    return { answer: undefined, deed: { action: 'release', item: { kind: queue, id }, userId: item.userId } }
  })
}
