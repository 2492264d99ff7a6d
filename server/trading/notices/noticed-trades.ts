import type { Selectable } from 'kysely'
import type { Ms } from '#kernel/time.ts'
import { accountOf } from '../../ledger/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { DB } from '../../platform/database/db-types.ts'

export type NoticedTrade = Pick<
  Selectable<DB['trades']>,
  'id' | 'account_id' | 'symbol_id' | 'side' | 'stake' | 'status' | 'payout' | 'end_time' | 'entry_price' | 'exit_price'
>

const COLUMNS = sql.raw('id, account_id, symbol_id, side, stake, status, payout, end_time, entry_price, exit_price')

const accountsOf = (userIds: readonly bigint[]): bigint[] =>
  userIds.flatMap((userId) => [accountOf(userId, 'real'), accountOf(userId, 'demo')])

/** Returns open trades of these users that end within (after, until] and last at least so long. */
export async function endingTrades(
  db: Db,
  userIds: readonly bigint[],
  {
    symbolIds,
    after,
    until,
    leastSeconds,
  }: { symbolIds: readonly number[]; after: Ms; until: Ms; leastSeconds: number },
): Promise<NoticedTrade[]> {
  const { rows } = await sql<NoticedTrade>`
    select ${COLUMNS} from trades
    where symbol_id = any(${symbolIds}::smallint[]) and status = 'Pending' and end_time > ${after} and end_time <= ${until}
      and duration_seconds >= ${leastSeconds} and account_id = any(${accountsOf(userIds)}::bigint[])`.execute(db)
  return rows
}

/** Returns which of these trades are settled and belong to these users. */
export async function settledOf(
  db: Db,
  userIds: readonly bigint[],
  tradeIds: readonly bigint[],
): Promise<NoticedTrade[]> {
  const { rows } = await sql<NoticedTrade>`
    select ${COLUMNS} from trades where id = any(${tradeIds}::bigint[]) and status <> 'Pending'
      and account_id = any(${accountsOf(userIds)}::bigint[])`.execute(db)
  return rows
}

/** Returns the trades of these users that were settled lately. */
export async function settledLately(db: Db, userIds: readonly bigint[], lately: Ms): Promise<NoticedTrade[]> {
  const { rows } = await sql<NoticedTrade>`
    select ${COLUMNS} from trades
    where settled_at > clock_timestamp() - make_interval(secs => ${lately / 1_000}) and status <> 'Pending'
      and account_id = any(${accountsOf(userIds)}::bigint[])`.execute(db)
  return rows
}
