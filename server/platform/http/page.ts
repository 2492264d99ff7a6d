import { DEFAULT_LIMIT } from '#contract/fields.ts'
import { fieldProblem } from '#contract/problem.ts'
import { parsePublicId, publicId } from '#kernel/id.ts'
import { last } from '#kernel/must.ts'

/** A page of a list: up to `limit` rows that follow row number `after` in the order of the list. */
export interface Page {
  after: bigint | undefined
  limit: number
}

/** The fields `limit` and `cursor` of a query, as `contract/fields.ts` lets them through. */
export interface PageQuery {
  limit?: string | undefined
  cursor?: string | undefined
}

/** Parses the page that a query asks for. `parse` reads a cursor; by default it is a public id. */
export function pageOf(
  { limit, cursor }: PageQuery,
  parse: (unchecked: string) => bigint | undefined = parsePublicId,
): Page {
  const after = cursor === undefined ? undefined : parse(cursor)
  if (cursor !== undefined && after === undefined) throw fieldProblem('cursor', 'is invalid')
  return { after, limit: limit === undefined ? DEFAULT_LIMIT : Number(limit) }
}

/**
 * Builds the response of a list from rows that were read with one extra, which shows that more follow. `format` writes
 * the cursor that `pageOf` parses.
 */
export function listReply<Row extends { id: bigint }, T>(
  rows: readonly Row[],
  { limit }: Page,
  view: (row: Row) => T,
  format: (id: bigint) => string = publicId,
) {
  const shown = rows.slice(0, limit)
  return {
    status: true as const,
    data: shown.map(view),
    ...(rows.length > limit ? { next_cursor: format(last(shown).id) } : {}),
  }
}
