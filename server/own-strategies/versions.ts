import { Problem } from '#contract/problem.ts'
import { type OwnStrategyKey, ownStrategyKey } from '#contract/terms.ts'
import { OWN_STRATEGIES } from '#contract/trading/own-strategies.ts'
import { type AccountRow, lockAccountById } from '../identity/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import { insertVersion, type OwnRow, strategyOfUser, termsOfRow, updateStrategy, type VersionTerms } from './store.ts'

export interface OwnStrategiesDeps {
  db: Db
  instruments: Instruments
  stopFollowers: StopFollowers
}

/** Stops the followers of a strategy: it has ended, or has a new version. Given by `automatic`. */
export type StopFollowers = (tx: Tx, strategy: OwnStrategyKey, why: string) => Promise<void>

export const CHANGED = 'The author has changed the strategy that you follow. Read its rule, then start again.'

/** Throws `limit_reached` for a strategy that has all the versions there can be, but the one that withdraws it. */
export function requireFewVersions({ version }: Pick<OwnRow, 'version'>): void {
  if (version >= OWN_STRATEGIES.versions)
    throw new Problem(
      'limit_reached',
      `This strategy has ${OWN_STRATEGIES.versions} versions, the most there can be. Save the rule as a new strategy.`,
    )
}

/** Writes a strategy's next version, with the same terms or others, and stops those who follow the one before. */
export async function writeVersion(
  deps: Pick<OwnStrategiesDeps, 'stopFollowers'>,
  tx: Tx,
  row: OwnRow,
  why = CHANGED,
  terms: VersionTerms = termsOfRow(row),
): Promise<number> {
  const version = row.version + 1
  await insertVersion(tx, row.id, version, terms)
  await updateStrategy(tx, row.id, { version })
  await deps.stopFollowers(tx, ownStrategyKey(row.id), why)
  return version
}

/** One change of a trader's strategies at a time, so that they can be counted. */
export async function lockUser(tx: Tx, userId: bigint): Promise<AccountRow> {
  const account = await lockAccountById(tx, userId)
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  return account
}

export async function found(tx: Db | Tx, userId: bigint, id: bigint): Promise<OwnRow> {
  const row = await strategyOfUser(tx, userId, id)
  if (!row) throw new Problem('not_found', 'Strategy not found.')
  return row
}
