import { isOwnStrategy, type OwnStrategyKey, ownStrategyKey, type StrategyKey } from '#contract/terms.ts'
import type { RuleBody } from '#contract/trading/own-strategies.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { type Decider, strategyOfRule } from '../strategies/index.ts'

/** The newest version of a strategy whose signals are recorded. */
export interface RecordedStrategy extends Decider {
  key: OwnStrategyKey
  version: number
  /** Whether anyone may read its signals. */
  isPublic: boolean
  durationSeconds: number
  symbolIds: ReadonlySet<number>
}

/** What a signal says about its strategy. */
interface Claim {
  strategy: StrategyKey
  version: number
  /** Null: public. */
  seal: Buffer | null
}

/** Whether the version `v` of a strategy is published, given its row `p` of `published_strategies`, if there is one. */
export const IS_PUBLIC = sql.raw<boolean>('coalesce(v.version >= p.first_version and p.withdrawn_at is null, false)')

/**
 * Returns what reads the strategies with a rule whose signals are recorded. A version's rule is read once. A rule that this
 * version of the server can't use gives no signals, and a line in the log.
 */
export function recordedStrategies(db: Db, log: Pick<Log, 'error'>): () => Promise<readonly RecordedStrategy[]> {
  let known = new Map<string, RecordedStrategy>()
  return async () => {
    const { rows } = await sql<{ id: bigint; version: number; is_public: boolean }>`
      select s.id, s.version, ${IS_PUBLIC} as is_public
      from recorded_strategies r join own_strategies s on s.id = r.strategy_id and s.kind = 'rule'
      join own_strategy_versions v on v.strategy_id = s.id and v.version = s.version
      left join published_strategies p on p.strategy_id = s.id order by s.id`.execute(db)
    const nameOf = (row: { id: bigint; version: number }) => `${row.id} ${row.version}`
    const unknown = rows.filter((row) => !known.has(nameOf(row)))
    const read = new Map((await readVersions(db, unknown)).map((one) => [nameOf(one), one]))
    const next = new Map<string, RecordedStrategy>()
    for (const row of rows) {
      const name = nameOf(row)
      const strategy = known.get(name) ?? compiled(read.get(name), log)
      if (strategy) next.set(name, { ...strategy, isPublic: row.is_public })
    }
    known = next
    return [...next.values()]
  }
}

/** What the newest version of a recorded strategy allows its signals to say. */
export interface RecordedVersion {
  version: number
  isPublic: boolean
  durationSeconds: number
  symbolIds: readonly number[]
}

/** Returns the newest versions of those strategies whose signals are recorded. */
export async function recordedVersions(db: Db | Tx, ids: readonly bigint[]): Promise<Map<bigint, RecordedVersion>> {
  const { rows } = await sql<VersionRow & { is_public: boolean }>`
    select s.id, v.version, v.duration_seconds, v.symbol_ids, ${IS_PUBLIC} as is_public
    from own_strategies s join recorded_strategies r on r.strategy_id = s.id
    join own_strategy_versions v on v.strategy_id = s.id and v.version = s.version
    left join published_strategies p on p.strategy_id = s.id
    where s.id = any (${ids}::bigint[])`.execute(db)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        version: row.version,
        isPublic: row.is_public,
        durationSeconds: row.duration_seconds,
        symbolIds: row.symbol_ids,
      },
    ]),
  )
}

export const recordedVersion = async (db: Db, id: bigint): Promise<RecordedVersion | undefined> =>
  (await recordedVersions(db, [id])).get(id)

interface VersionRow {
  id: bigint
  version: number
  rule: unknown
  duration_seconds: number
  symbol_ids: number[]
  zone: string
}

async function readVersions(db: Db, those: readonly { id: bigint; version: number }[]): Promise<VersionRow[]> {
  if (those.length === 0) return []
  const { rows } = await sql<VersionRow>`
    select v.strategy_id as id, v.version, v.rule, v.duration_seconds, v.symbol_ids, v.zone
    from unnest(${those.map(({ id }) => id)}::bigint[], ${those.map(({ version }) => version)}::int[]) as w(id, version)
    join own_strategy_versions v on v.strategy_id = w.id and v.version = w.version`.execute(db)
  return rows
}

function compiled(row: VersionRow | undefined, log: Pick<Log, 'error'>): RecordedStrategy | undefined {
  if (!row) return undefined
  const { duration_seconds: durationSeconds, zone } = row
  let decider: Decider
  try {
    // A stored rule was checked before it was written, and versions never change.
    decider = strategyOfRule({ body: row.rule as RuleBody, durationSeconds, zone })
  } catch (error) {
    log.error({ strategy: String(row.id), version: row.version, error: String(error) }, 'a stored rule is of no use')
    return undefined
  }
  return {
    ...decider,
    key: ownStrategyKey(row.id),
    version: row.version,
    isPublic: false,
    durationSeconds,
    symbolIds: new Set(row.symbol_ids),
  }
}

/**
 * Returns the signals whose strategy is still recorded, at this version and as public as they are, and locks those
 * strategies until the commit. A strategy that is being changed right now gives none.
 */
export async function lockUnchanged<T extends Claim>(tx: Tx, claims: readonly T[]): Promise<T[]> {
  const ids = [...new Set(claims.map(({ strategy }) => strategy))].filter(isOwnStrategy).map(ownIdOf)
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: bigint; version: number; is_public: boolean }>`
    select s.id, s.version, ${IS_PUBLIC} as is_public
    from own_strategies s join recorded_strategies r on r.strategy_id = s.id
    join own_strategy_versions v on v.strategy_id = s.id and v.version = s.version
    left join published_strategies p on p.strategy_id = s.id
    where s.id = any (${ids}::bigint[]) order by s.id for share of s skip locked`.execute(tx)
  const now = new Map(rows.map((row) => [ownStrategyKey(row.id) as StrategyKey, row]))
  return claims.filter(({ strategy, version, seal }) => {
    const row = now.get(strategy)
    return row?.version === version && row.is_public === (seal === null)
  })
}

export const ownIdOf = (key: OwnStrategyKey): bigint => BigInt(key.slice('own-'.length))
