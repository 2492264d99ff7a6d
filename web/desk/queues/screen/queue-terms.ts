import type { ReactNode } from 'react'
import type { Reply } from '#contract/api.ts'
import type { Queue } from '#contract/desk/terms.ts'
import type { Action, QueueItem } from './item.ts'

/** An item of a queue, as its list returns it. */
export type ItemOf<Q extends Queue> = Reply<`GET /desk/${Q}`> extends { data: (infer Item)[] } ? Item : never
/** Proposals aren't claimed and carry no warnings: any operator but the proposer decides. */
export type Shown<Q extends Queue> = ItemOf<Q> & QueueItem

/** A filter of a queue: its query parameter, label, and label by value. */
export interface QueueFilterTerms {
  param: string
  label: string
  options: Readonly<Record<string, string>>
  /** The statuses whose items it selects from; all, if it isn't said. */
  of?: readonly string[]
}

export interface QueueScreenProps<Q extends Queue> {
  queue: Q
  /** Shown above the items. */
  above?: ReactNode
  /** Filters besides the status, which a link can set. */
  filters?: readonly QueueFilterTerms[]
  /**
   * Returns since when the item has waited for the desk, undefined if it isn't waiting. By default an open item waits
   * from its creation.
   */
  waitsSince?: (item: ItemOf<Q>) => string | undefined
  /** Returns why the operator `me` can't act on this item, for rules specific to this queue. */
  blocked?: (item: ItemOf<Q>, me: string | undefined) => string | undefined
  /** The second line and the figure of a row. */
  line: (item: ItemOf<Q>) => { words: ReactNode; figure?: ReactNode }
  /** `may`: whether this operator may act on this queue at all. */
  detail: (item: ItemOf<Q>, may: boolean) => ReactNode
  actions: (item: ItemOf<Q>, me: string | undefined) => Action[]
}
