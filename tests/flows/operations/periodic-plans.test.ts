import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { recordedStrategies } from '#server/own-strategies/recorded.ts'
import { createLog } from '#server/platform/process/log.ts'
import { countOn } from '#server/trading/history/figures.ts'
import { neededMinutes } from '#server/trading/settlement/needed-minutes.ts'
import { startWholeApp } from '#tests/support/servers/app.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'

const ROWS = 10_000_000
const PAGES = 100_000
/**
 * Tables with a row for each open trade, instrument, setting, exchange, operator, node, payment of the owners or strategy
 * whose signals are on, however large the platform grows.
 */
const SMALL = [
  ...[
    'alert_head',
    'audit_head',
    'cashier_settings',
    'feed_state',
    'instruments',
    'maintenance_runs',
    'migrations',
    'open_stake_limits',
  ],
  ...[
    'operators',
    'payout_halts',
    'price_history',
    'proof_keys',
    'reconciliation',
    'recorded_strategies',
    'schema_needs',
    'signal_head',
    'solvency_requests',
    'solvency_statements',
  ],
  ...['strategy_switches', 'symbol_open', 'tape_epochs', 'tape_expiry', 'tape_head', 'tape_kinds', 'trade_figures'],
  ...['capital', 'risk_count', 'risk_lanes', 'risk_limits', 'risk_rooms'],
  ...['trade_figures_head', 'trade_figures_open', 'trading_limits', 'venue_switches', 'waiting_head'],
]

/** Partial indexes of pending work: few rows, which leave once it is done. */
const WAITING = [
  ...['alerts_armed', 'notice_preferences_of_trades'],
  ...['automatic_orders_open', 'automations_zones', 'complaint_rulings_unpaid', 'complaints_unchecked'],
  ...['factor_resets_due_next', 'levers_pulled', 'mails_dropped', 'mails_waiting', 'signals_due', 'trades_due'],
  ...['waiting_orders_armed', 'waiting_orders_due', 'waiting_orders_triggered', 'waiting_orders_unnoticed'],
  ...['received_signals_pending', 'sale_orders_undecided', 'signals_fresh'],
]

/** Parts of statements that may read more, and why. */
const EXCEPTIONS = [
  ['left join ticks t using', 'runs when a kind of source begins, and reads one tick of each symbol'],
  ['delete from session_tokens', 'runs once an hour, and reads the sessions of 90 days'],
  ['as outside,', "runs once a minute while trades are open, and adds up what came in, went out and is the traders'"],
  ['balance + escrow + hold > 0 limit 1', 'runs once a night, before everything that is owed is added up'],
] as const

interface Statement {
  text: string
  values: unknown[]
}

/** Collects the statements that this process sends until the test ends, each once. */
function collectStatements(): Map<string, Statement> {
  const collected = new Map<string, Statement>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
    const [first, second] = args as unknown as [string | Partial<Statement> | undefined, unknown]
    const text = typeof first === 'string' ? first : first?.text
    const values = (typeof first === 'object' ? first.values : undefined) ?? (Array.isArray(second) ? second : [])
    if (text && /^\s*(with|select|insert|update|delete)\b/i.test(text)) collected.set(text, { text, values })
    return query.apply(this, args)
  } as typeof query
  onTestFinished(() => {
    pg.Client.prototype.query = query
  })
  return collected
}

/**
 * Makes the planner expect ten million rows in every table that grows: extends the files by empty pages that nobody reads.
 * Autovacuum is off for them: it would count the rows that are really there, between two plans.
 */
async function grow(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; kind: string; path: string; folder: string; partial: boolean }>(
    `select c.relname as name, c.relkind::text as kind, pg_relation_filepath(c.oid) as path, current_setting('data_directory') as folder,
       i.indpred is not null as partial
     from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and coalesce(t.relname, c.relname) <> all ($1)`,
    [SMALL],
  )
  for (const { name, kind } of rows) {
    if (kind === 'r') await client.query(`alter table ${pg.escapeIdentifier(name)} set (autovacuum_enabled = false)`)
  }
  for (const { name, kind, path, folder, partial } of rows) {
    await client.query(
      `select pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'relpages', $2::int, 'reltuples', $3::real)`,
      [name, kind === 'r' ? PAGES : 1, partial ? 1_000 : ROWS],
    )
    if (kind === 'r') truncateSync(join(folder, path), PAGES * 8_192)
  }
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: Plan[]
}

/** Returns what a plan reads as a whole, of what grows. */
function unboundedIn(plan: Plan, parent?: Plan, heap?: string): string[] {
  const { 'Index Name': index, 'Index Cond': condition, Filter: filter, 'Node Type': type } = plan
  const table = plan['Relation Name'] ?? heap
  const isScan = type === 'Seq Scan' || /Index (Only )?Scan$/.test(type)
  const isFirstRow =
    /^(Limit|LockRows|Result)$/.test(parent?.['Node Type'] ?? '') && filter === undefined && index !== undefined
  const isBounded =
    condition !== undefined || isFirstRow || SMALL.includes(table ?? '') || WAITING.includes(index ?? '')
  const children = (plan.Plans ?? []).map((child) => unboundedIn(child, plan, table))
  // One bounded index is enough where several are combined.
  const inside = type === 'BitmapAnd' && children.some((child) => child.length === 0) ? [] : children.flat()
  return isScan && !isBounded ? [`${table} by ${index ?? 'all its rows'}`, ...inside] : inside
}

/**
 * Runs the whole server idle, so that each of its loops has a round, and explains everything it sent. Sequential scans are
 * switched off, because the planner knows nothing of what the columns hold: the question is whether an index bounds what
 * a statement reads.
 */
test('every periodic statement reads a bounded part of tables with ten million rows', {
  timeout: 120_000,
}, async () => {
  const collected = collectStatements()
  const app = await startWholeApp({ SMTP_URL: 'smtp://127.0.0.1:1' })
  await sleep(5_000)
  // Hourly, on request, or when a candle closes.
  await neededMinutes(app.db, Date.now() - 90_000_000, Date.now() - 86_400_000)
  await countOn(app.db, Date.now())
  await recordedStrategies(app.db, createLog('error'))()
  await app.stop()
  // Without what the test itself asks from here on.
  const statements = [...collected.values()].filter(({ text }) => !EXCEPTIONS.some(([part]) => text.includes(part)))
  expect(statements.length).toBeGreaterThan(35)
  const client = await connectTo((await testDatabase()).superUrl)
  onTestFinished(() => client.end())
  await grow(client)
  await client.query('set enable_seqscan = off')
  const unbounded: string[] = []
  for (const { text, values } of statements) {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
      text: `explain (format json) ${text}`,
      values,
    })
    const found = unboundedIn(rows[0]!['QUERY PLAN'][0].Plan)
    if (found.length > 0) unbounded.push(`${found.join(', ')}: ${text.replace(/\s+/g, ' ').slice(0, 200)}`)
  }
  expect(unbounded.join('\n')).toBe('')
})
