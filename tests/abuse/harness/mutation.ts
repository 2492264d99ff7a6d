import type { Draft } from './draft.ts'
import type { Draws } from './values.ts'

/** Things that belong to someone else: ids, links, cursors and e-mail addresses of the victim. */
export type Loot = Readonly<Record<string, readonly string[]>>

/**
 * Changes a draft and returns what was done; undefined if it doesn't apply. `transport` mutations leave the content
 * alone and come last.
 */
export interface Mutation {
  name: string
  weight: number
  transport?: true
  apply(draft: Draft, draw: Draws, loot: Loot): string | undefined
}
