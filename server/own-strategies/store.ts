import { outsideSentence, ruleSentence } from '#contract/rules/sentence.ts'
import { ownStrategyKey } from '#contract/terms.ts'
import { type OwnStrategy, RuleBody } from '#contract/trading/own-strategies.ts'
import { must } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'

/** A strategy with its newest version. */
export interface OwnRow {
  id: bigint
  name: string
  kind: 'rule' | 'webhook'
  version: number
  created_at: Date
  changed_at: Date
  rule: unknown
  duration_seconds: number
  symbol_ids: number[]
  zone: string
  /** Whether its signals are recorded. */
  recorded: boolean
  public_name: string | null
  published_at: Date | null
  withdrawn_at: Date | null
}

/** What a version says. */
export interface VersionTerms {
  /** Null: its signals come from outside. */
  rule: RuleBody | null
  durationSeconds: number
  symbolIds: readonly number[]
  zone: string
}

const ROWS = sql`select s.id, s.name, s.kind, s.version, s.created_at, v.created_at as changed_at, v.rule, v.duration_seconds,
  v.symbol_ids, v.zone,
  exists (select from recorded_strategies r where r.strategy_id = s.id) as recorded,
  p.name as public_name, p.published_at, p.withdrawn_at
  from own_strategies s join own_strategy_versions v on v.strategy_id = s.id and v.version = s.version
  left join published_strategies p on p.strategy_id = s.id`

/** Returns the strategies of a trader that aren't archived, newest first. */
export async function strategiesOf(db: Db | Tx, userId: bigint): Promise<OwnRow[]> {
  const { rows } =
    await sql<OwnRow>`${ROWS} where s.user_id = ${userId} and s.archived_at is null order by s.id desc`.execute(db)
  return rows
}

/** Returns a trader's strategy unless it's archived. The caller has the lock of the user's row. */
export async function strategyOfUser(tx: Db | Tx, userId: bigint, id: bigint): Promise<OwnRow | undefined> {
  const { rows } =
    await sql<OwnRow>`${ROWS} where s.user_id = ${userId} and s.id = ${id} and s.archived_at is null`.execute(tx)
  return rows[0]
}

/** Returns who has made a strategy. */
export async function authorOf(tx: Tx, id: bigint): Promise<bigint | undefined> {
  const { rows } = await sql<{ user_id: bigint }>`select user_id from own_strategies where id = ${id}`.execute(tx)
  return rows[0]?.user_id
}

/** Counts a trader's strategies: all, those that aren't archived, and those of them that have this name. */
export async function countOf(
  tx: Tx,
  userId: bigint,
  name: string,
  except?: bigint,
): Promise<{ ever: number; active: number; named: number }> {
  const { rows } = await sql<{ ever: number; active: number; named: number }>`
    select count(*)::int as ever, (count(*) filter (where archived_at is null))::int as active,
      (count(*) filter (where archived_at is null and lower(name) = lower(${name}) and id is distinct from ${except ?? null}))::int as named
    from own_strategies where user_id = ${userId}`.execute(tx)
  return must(rows[0])
}

export async function insertStrategy(tx: Tx, userId: bigint, name: string, terms: VersionTerms): Promise<bigint> {
  const kind = terms.rule === null ? 'webhook' : 'rule'
  const { id } = await tx
    .insertInto('own_strategies')
    .values({ user_id: userId, name, kind })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertVersion(tx, id, 1, terms)
  return id
}

export async function insertVersion(tx: Tx, id: bigint, version: number, terms: VersionTerms): Promise<void> {
  const { rule, durationSeconds, symbolIds, zone } = terms
  await sql`insert into own_strategy_versions (strategy_id, version, rule, duration_seconds, symbol_ids, zone)
    values (${id}, ${version}, ${rule && JSON.stringify(rule)}::jsonb, ${durationSeconds}, ${symbolIds}::smallint[], ${zone})`.execute(
    tx,
  )
}

export const updateStrategy = (
  tx: Tx,
  id: bigint,
  change: { name?: string; version?: number; archived_at?: Date },
): Promise<unknown> => tx.updateTable('own_strategies').set(change).where('id', '=', id).execute()

export const termsOfRow = (row: OwnRow): VersionTerms => ({
  rule: ruleOf(row),
  durationSeconds: row.duration_seconds,
  symbolIds: row.symbol_ids,
  zone: row.zone,
})

/** Whether a version says the same. */
export const isSame = (row: OwnRow, { rule, durationSeconds, symbolIds, zone }: VersionTerms): boolean =>
  JSON.stringify(ruleOf(row)) === JSON.stringify(rule) &&
  row.duration_seconds === durationSeconds &&
  row.symbol_ids.join() === symbolIds.join() &&
  row.zone === zone

/** Reads a stored rule with its parts in the order of the contract; null if signals come from outside. */
const ruleOf = ({ rule }: Pick<OwnRow, 'rule'>): RuleBody | null => (rule === null ? null : RuleBody.parse(rule))

/** Returns a strategy as its owner sees it. */
export function toOwnStrategy(instruments: Instruments, row: OwnRow): OwnStrategy {
  const rule = ruleOf(row)
  const { duration_seconds: duration, zone } = row
  return {
    id: String(row.id),
    key: ownStrategyKey(row.id),
    name: row.name,
    kind: row.kind,
    version: row.version,
    created_at: row.created_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
    rule,
    duration,
    symbols: symbolsOf(instruments, row),
    zone,
    signals_on: row.recorded,
    ...(row.public_name !== null &&
      row.published_at && {
        published: {
          name: row.public_name,
          at: row.published_at.toISOString(),
          ...(row.withdrawn_at && { withdrawn_at: row.withdrawn_at.toISOString() }),
        },
      }),
    sentence: sentenceOf(instruments, row),
  }
}

const symbolsOf = (instruments: Instruments, { symbol_ids }: Pick<OwnRow, 'symbol_ids'>): string[] =>
  symbol_ids.map((id) => must(instruments.byId(id)).symbol)

/** What a strategy does, in plain English. */
export function sentenceOf(
  instruments: Instruments,
  row: Pick<OwnRow, 'rule' | 'symbol_ids' | 'duration_seconds' | 'zone'>,
): string {
  const rule = ruleOf(row)
  const about = { symbols: symbolsOf(instruments, row), duration: row.duration_seconds, zone: row.zone }
  return rule === null ? outsideSentence(about) : ruleSentence(rule, about)
}
