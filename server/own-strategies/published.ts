import { isOwnStrategy, ownStrategyKey, type StrategyKey } from '#contract/terms.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import { IS_PUBLIC, ownIdOf } from './recorded.ts'
import { sentenceOf } from './store.ts'

/** The newest version of a strategy, with the name under which the reader knows it. */
interface NewestRow {
  id: bigint
  version: number
  name: string
  duration_seconds: number
  symbol_ids: number[]
}

/** Returns those of these strategies that a trader can follow: their own, and what others have published. */
export async function followableStrategies(db: Db | Tx, userId: bigint, keys: readonly StrategyKey[]) {
  const ids = keys.filter(isOwnStrategy).map(ownIdOf)
  if (ids.length === 0) return []
  const { rows } = await sql<NewestRow>`
    select s.id, v.version, v.duration_seconds, v.symbol_ids,
      case when s.user_id = ${userId} then s.name else p.name end as name
    from own_strategies s join recorded_strategies r on r.strategy_id = s.id
    join own_strategy_versions v on v.strategy_id = s.id and v.version = s.version
    left join published_strategies p on p.strategy_id = s.id
    where s.id = any (${ids}::bigint[]) and (s.user_id = ${userId} or ${IS_PUBLIC})`.execute(db)
  return rows.map((row) => ({
    key: ownStrategyKey(row.id),
    name: row.name,
    version: row.version,
    durationSeconds: row.duration_seconds,
    symbolIds: row.symbol_ids,
  }))
}

interface PublishedRow extends NewestRow {
  rule: unknown
  zone: string
  published_at: Date
}

/** Returns what traders have published and not withdrawn, the newest first. */
export async function publishedStrategies(db: Db, instruments: Instruments) {
  const { rows } = await sql<PublishedRow>`
    select s.id, v.version, v.rule, v.duration_seconds, v.symbol_ids, v.zone, p.name, p.published_at
    from published_strategies p join own_strategies s on s.id = p.strategy_id
    join own_strategy_versions v on v.strategy_id = s.id and v.version = s.version
    where p.withdrawn_at is null order by p.published_at desc`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    version: row.version,
    name: row.name,
    duration: row.duration_seconds,
    publishedAt: row.published_at.getTime(),
    sentence: sentenceOf(instruments, row),
  }))
}
