import { Problem } from '#contract/problem.ts'
import { ownStrategyKey } from '#contract/terms.ts'
import { OWN_STRATEGIES } from '#contract/trading/own-strategies.ts'
import { lockAccountById, requireConfirmed } from '../identity/index.ts'
import { inTransaction, isUniqueViolation, sql, type Tx } from '../platform/database/db.ts'
import { STRATEGIES } from '../strategies/index.ts'
import { authorOf, type OwnRow, strategyOfUser } from './store.ts'
import { found, lockUser, type OwnStrategiesDeps, requireFewVersions, writeVersion } from './versions.ts'

/** Why followers of a strategy stop, as they read it. */
const WHY = {
  off: 'The signals of the strategy that you follow are switched off.',
  withdrawn: 'The author has withdrawn the strategy that you follow.',
  archived: 'The strategy that you follow was archived.',
  taken: 'An operator has withdrawn the strategy that you follow.',
}

/**
 * Begins or ends the recording of a strategy's signals. A trader with a confirmed address has three at once: everyone's
 * signals share the time between a close and its entry.
 */
export function switchSignals(deps: OwnStrategiesDeps, userId: bigint, id: bigint, on: boolean): Promise<void> {
  return inTransaction(deps.db, async (tx) => {
    const account = await lockUser(tx, userId)
    const row = await found(tx, userId, id)
    if (on) {
      requireConfirmed(account, 'switch signals on')
      return recordSignalsOf(tx, userId, id)
    }
    if (row.published_at && !row.withdrawn_at)
      throw new Problem('wrong_state', 'This strategy is published. Withdraw it before you switch its signals off.')
    await stopSignals(deps, tx, row, WHY.off)
  })
}

/**
 * Publishes a strategy under a name. The record begins with a new version, so that nobody chooses the best of many
 * private records. Throws `already_exists` for a name that was used before.
 */
export async function publishStrategy(
  deps: OwnStrategiesDeps,
  userId: bigint,
  id: bigint,
  name: string,
): Promise<void> {
  if (STRATEGIES.some((one) => one.name.toLowerCase() === name.toLowerCase())) throw nameTaken(name)
  try {
    await inTransaction(deps.db, async (tx) => {
      const account = await lockUser(tx, userId)
      const row = await found(tx, userId, id)
      requireConfirmed(account, 'publish the strategy')
      if (row.withdrawn_at)
        throw new Problem(
          'wrong_state',
          'This strategy was withdrawn, and its record stays. Save the rule as a new one.',
        )
      if (row.published_at) throw new Problem('wrong_state', 'This strategy is published already.')
      requireFewVersions(row)
      await requireFewPublished(tx, userId)
      await recordSignalsOf(tx, userId, id)
      const version = await writeVersion(deps, tx, row)
      await tx.insertInto('published_strategies').values({ strategy_id: id, name, first_version: version }).execute()
    })
  } catch (error) {
    throw isUniqueViolation(error, 'published_strategies_name') ? nameTaken(name) : error
  }
}

/** Withdraws a published strategy: what it signals from now on is private. Its public record stays. */
export function withdrawStrategy(deps: OwnStrategiesDeps, userId: bigint, id: bigint): Promise<void> {
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId)
    const row = await found(tx, userId, id)
    if (!row.published_at || row.withdrawn_at) throw new Problem('wrong_state', 'This strategy is not published.')
    await withdraw(tx, row)
    await writeVersion(deps, tx, row, WHY.withdrawn)
  })
}

/** Withdraws a published strategy instead of its author. Throws `not_found`. Returns who the author is, and its names. */
export async function withdrawByOperator(
  deps: Pick<OwnStrategiesDeps, 'stopFollowers'>,
  tx: Tx,
  id: bigint,
): Promise<{ userId: bigint; name: string; publicName: string }> {
  const userId = await authorOf(tx, id)
  // As for every change of its author, so that none comes between.
  if (userId !== undefined) await lockAccountById(tx, userId)
  const row = userId === undefined ? undefined : await strategyOfUser(tx, userId, id)
  if (userId === undefined || !row?.published_at || row.withdrawn_at)
    throw new Problem('not_found', 'No published strategy has this number.')
  await withdraw(tx, row)
  await writeVersion(deps, tx, row, WHY.taken)
  return { userId, name: row.name, publicName: row.public_name ?? row.name }
}

/** Ends all that a strategy does, before it's archived. */
export async function endStrategy(deps: Pick<OwnStrategiesDeps, 'stopFollowers'>, tx: Tx, row: OwnRow): Promise<void> {
  if (row.published_at && !row.withdrawn_at) await withdraw(tx, row)
  await stopSignals(deps, tx, row, WHY.archived)
}

async function withdraw(tx: Tx, { id, version }: OwnRow): Promise<void> {
  await tx
    .updateTable('published_strategies')
    .set({ last_version: version, withdrawn_at: new Date() })
    .where('strategy_id', '=', id)
    .execute()
}

async function stopSignals(
  deps: Pick<OwnStrategiesDeps, 'stopFollowers'>,
  tx: Tx,
  { id }: OwnRow,
  why: string,
): Promise<void> {
  // Locked as when a signal is written: afterwards there is no more.
  await sql`select from own_strategies where id = ${id} for no key update`.execute(tx)
  await tx.deleteFrom('recorded_strategies').where('strategy_id', '=', id).execute()
  await deps.stopFollowers(tx, ownStrategyKey(id), why)
}

/** Takes one of the trader's places; nothing if the strategy has one. */
async function recordSignalsOf(tx: Tx, userId: bigint, id: bigint): Promise<void> {
  const { rows } = await sql<{ has: boolean; place: number | null }>`
    select exists (select from recorded_strategies where strategy_id = ${id}) as has, (
      select min(s) from generate_series(1, ${OWN_STRATEGIES.recorded}::int) s
      where not exists (select from recorded_strategies r where r.user_id = ${userId} and r.slot = s)
    ) as place`.execute(tx)
  if (rows[0]?.has) return
  const place = rows[0]?.place
  if (place == null)
    throw new Problem(
      'limit_reached',
      `The signals of ${OWN_STRATEGIES.recorded} of your strategies are on, the most there can be. Switch those of another one off first.`,
    )
  await tx.insertInto('recorded_strategies').values({ strategy_id: id, user_id: userId, slot: place }).execute()
}

async function requireFewPublished(tx: Tx, userId: bigint): Promise<void> {
  const { rows } = await sql<{ ever: number }>`
    select count(*)::int as ever from published_strategies p join own_strategies s on s.id = p.strategy_id
    where s.user_id = ${userId}`.execute(tx)
  if ((rows[0]?.ever ?? 0) >= OWN_STRATEGIES.published)
    throw new Problem(
      'limit_reached',
      `You have published ${OWN_STRATEGIES.published} strategies, withdrawn ones included, the most there can be.`,
    )
}

const nameTaken = (name: string) =>
  new Problem('already_exists', `A strategy named ${name} was published before. Choose another name.`, {
    errors: [{ field: 'name', message: 'A strategy was published under this name before. Choose another one.' }],
  })
