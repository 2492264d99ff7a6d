import { first } from '#kernel/must.ts'
import { type BookDifference, haltPayouts, noteCleanBooks } from '../cashier/index.ts'
import { type Check, ledgerChecks, newestMovement } from '../ledger/index.ts'
import { type Db, inSnapshot, sql } from '../platform/database/db.ts'
import { brokenRows } from './broken-rows.ts'
import { cashierChecks } from './checks/cashier.ts'
import { complaintChecks } from './checks/complaints.ts'
import { deskChecks } from './checks/desk.ts'
import { planChecks } from './checks/plans.ts'
import { tradingChecks } from './checks/trading.ts'

/** Rows of each check that the desk shows. */
const ROWS_MAX = 5

/**
 * The invariants of ledger, lists and holds: a single missing cent breaks one of them. Those about people and limits
 * aren't included.
 */
const NAMES = [
  'L1',
  'L2',
  'L3',
  'L4',
  'L5',
  'L6',
  'L7',
  'L8',
  'L9',
  'L10',
  'order',
  'R1',
  'R2',
  'T1',
  'T2',
  'T5',
  'W1',
  'W2',
]
const bookChecks: readonly Check[] = [
  ...ledgerChecks,
  ...cashierChecks,
  ...tradingChecks,
  ...planChecks,
  ...complaintChecks,
  ...deskChecks,
].filter(({ name }) => NAMES.includes(name))

/** The checks whose cost doesn't grow with the history: balances against the newest movement and the lists. */
const quickChecks: readonly Check[] = [
  newestMovement,
  ...[...cashierChecks, ...tradingChecks].filter(({ name }) => name === 'L8'),
]

/** Compares the books. Returns the differences. */
export async function findDifferences(db: Db, checks = bookChecks): Promise<BookDifference[]> {
  return inSnapshot(db, async (snapshot) => {
    // One core at most, however large the tables are: traders come first.
    await sql`set local max_parallel_workers_per_gather = 0`.execute(snapshot)
    await sql`set local statement_timeout = '10min'`.execute(snapshot)
    const differences: BookDifference[] = []
    for (const check of checks) {
      const rows = await brokenRows(snapshot, check, ROWS_MAX)
      if (rows.length > 0) differences.push({ name: check.name, says: check.says, rows })
    }
    return differences
  })
}

/** Compares all of the books once, records it, and halts payouts if they differ. Returns the differences. */
export async function reconcile(db: Db): Promise<BookDifference[]> {
  const begun = performance.now()
  const differences = await findDifferences(db)
  const tookMs = Math.round(performance.now() - begun)
  await sql`
    insert into reconciliation (finished_at, took_ms, differences) values (clock_timestamp(), ${tookMs}, ${differences.length})
    on conflict (only_row) do update set finished_at = excluded.finished_at, took_ms = excluded.took_ms,
      differences = excluded.differences`.execute(db)
  if (differences.length === 0) await noteCleanBooks(db)
  else await halt(db, differences)
  return differences
}

/** Compares the balances only, and halts payouts if they differ. Returns the differences. */
export async function reconcileQuickly(db: Db): Promise<BookDifference[]> {
  const differences = await findDifferences(db, quickChecks)
  if (differences.length > 0) await halt(db, differences)
  return differences
}

async function halt(db: Db, differences: readonly BookDifference[]): Promise<void> {
  const first = await haltPayouts(db, differences)
  db.log.error({ differences, first }, "the books don't agree: payouts are halted")
}

/** The tables that hold money, or the items that it was moved for. */
const BOOKS = [
  'accounts',
  'adjustments',
  'archived_days',
  'archived_sums',
  'card_events',
  'deposit_reinstatements',
  'deposit_reversals',
  'deposits',
  'expired_days',
  'expired_grant_sums',
  'expired_grants',
  'plan_charges',
  'proposals',
  'trade_remedies',
  'trades',
  'transfers',
  'withdrawals',
]
/** The tables whose rows no one may change. */
const FINAL = ['deposit_reinstatements', 'deposit_reversals', 'plan_charges', 'trade_remedies', 'transfers']

/**
 * PostgreSQL's counters of changed rows, which include changes by anyone, and the files that the tables are in.
 * `final`: of tables whose rows no one may change. The counters lag behind a commit by a second, or a minute at most.
 */
export async function countChanges(db: Db): Promise<{ all: string; final: string }> {
  const { rows } = await sql<{ all: string; final: string }>`
    select json_agg(json_build_array(relname, n_tup_ins, n_tup_upd, n_tup_del, pg_relation_filenode(relid)) order by relname)::text as all,
      coalesce(json_agg(json_build_array(relname, n_tup_upd, n_tup_del, pg_relation_filenode(relid)) order by relname)
        filter (where relname = any(${FINAL}::text[])), '[]')::text as final
    from pg_stat_user_tables where schemaname = 'public' and relname = any(${BOOKS}::text[])`.execute(db)
  return first(rows)
}
