import type { Mode } from '#contract/trading/trading.ts'

/** The row that holds a user's four accounts of a mode. Its id encodes both, so no lookup is needed. */
export const accountOf = (userId: bigint, mode: Mode): bigint => userId * 2n + (mode === 'demo' ? 1n : 0n)

export const userOf = (accountId: bigint): bigint => accountId / 2n

/** Returns `accountOf` as SQL text, for a column with a user's id. */
export const accountOfSql = (userColumn: string, mode: Mode): string =>
  mode === 'demo' ? `(${userColumn} * 2 + 1)` : `(${userColumn} * 2)`

/** Returns `userOf` as SQL text, for a column with an account's id. Indexes are on this expression. */
export const userOfSql = (accountColumn: string): string => `(${accountColumn} / 2)`

export const modeOf = (accountId: bigint): Mode => (accountId % 2n === 1n ? 'demo' : 'real')
