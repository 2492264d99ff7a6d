import type { Draft } from './draft.ts'
import type { Draws } from './values.ts'

/** Data of the victim: ids, links, cursors and e-mail addresses. */
export type Loot = Readonly<Record<string, readonly string[]>>

/**
 * Changes a draft and returns a description of the change; undefined if it doesn't apply. `transport` mutations don't
 * change the content and come last.
 */
export interface Mutation {
  name: string
  weight: number
  transport?: true
  apply(draft: Draft, draw: Draws, loot: Loot): string | undefined
}
