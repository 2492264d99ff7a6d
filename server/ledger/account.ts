import type { Mode } from '#contract/trading.ts'

/** `real` or `demo`: two separate books; money never moves between them. */
export type Book = Mode

/** The row that holds a user's four accounts of a book. Its id encodes both, so no lookup is needed. */
export const accountOf = (userId: bigint, book: Book): bigint => userId * 2n + (book === 'demo' ? 1n : 0n)

export const userOf = (accountId: bigint): bigint => accountId / 2n

/** Returns `accountOf` as SQL text, for a column with a user's id. */
export const accountOfSql = (userColumn: string, book: Book): string =>
  book === 'demo' ? `(${userColumn} * 2 + 1)` : `(${userColumn} * 2)`

/** Returns `userOf` as SQL text, for a column with an account's id. Indexes are on this expression. */
export const userOfSql = (accountColumn: string): string => `(${accountColumn} / 2)`

export const bookOf = (accountId: bigint): Book => (accountId % 2n === 1n ? 'demo' : 'real')
