/**
 * Checks that each room uses only its own tables, in Kysely calls and in SQL text. One table lists the owners, another
 * the exceptions with their reasons; anything else fails with the offending line.
 */

import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ESTree, parseSync } from 'vite'
import { first, must } from '#kernel/must.ts'
import { placeOf, sources } from './boundaries.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The tables of each room. */
const TABLES: Record<string, readonly string[]> = {
  platform: ['mails', 'maintenance_runs', 'migrations', 'node_leases', 'retention_rules', 'schema_needs'],
  proposals: ['proposals'],
  levers: ['levers'],
  'price-lists': ['price_list_versions'],
  ledger: [
    'accounts',
    'archived_days',
    'archived_sums',
    'expired_days',
    'expired_grant_sums',
    'expired_grants',
    'capital',
    'capital_grace',
    'capital_moves',
    'request_keys',
    'transfers',
  ],
  prices: [
    'candles',
    'feed_state',
    'frame_orders',
    'frames',
    'instruments',
    'price_history',
    'tape_bodies',
    'tape_epochs',
    'tape_expiry',
    'tape_head',
    'tape_kinds',
    'tape_minutes',
    'terms_changes',
    'ticks',
    'venue_switches',
  ],
  proof: [
    'checkpoint_timestamps',
    'checkpoints',
    'proof_keys',
    'waiting_proof_keys',
    'receipt_links',
    'solvency_entries',
    'solvency_requests',
    'solvency_statements',
    'solvency_trees',
  ],
  notices: ['notice_preferences', 'notices'],
  guardrails: ['exclusion_sweeps', 'exclusions', 'guard_changes', 'guards', 'kept_matches'],
  identity: [
    'account_closures',
    'charts',
    'email_changes',
    'factor_resets',
    'known_devices',
    'lock_lifts',
    'one_time_tokens',
    'passkey_challenges',
    'passkeys',
    'recovery_codes',
    'reset_requests',
    'screen_choices',
    'session_tokens',
    'sessions',
    'sign_in_links',
    'step_ups',
    'totp_factors',
    'user_locks',
    'users',
    'withdrawal_pauses',
  ],
  webpush: ['push_messages', 'push_subscriptions'],
  kyc: ['identity_checks'],
  plans: ['plan_charges', 'plan_requests'],
  cashier: [
    'approval_limits',
    'card_events',
    'cashier_settings',
    'coin_transactions',
    'deposit_approvals',
    'deposit_arrivals',
    'deposit_reinstatements',
    'deposit_requests',
    'deposit_reversals',
    'deposits',
    'payout_addresses',
    'payout_batch_items',
    'payout_batches',
    'payout_guards',
    'payout_halts',
    'uncredited_payments',
    'unknown_deposits',
    'withdrawal_approvals',
    'withdrawals',
  ],
  trading: [
    'open_stake_limits',
    'sale_orders',
    'symbol_open',
    'trade_figures',
    'trade_figures_head',
    'trade_figures_open',
    'trade_notes',
    'trade_remedies',
    'trade_tags',
    'trade_voids',
    'trades',
    'trading_limits',
    'unbound_orders',
    'unstated_trades',
  ],
  risk: ['risk_count', 'risk_lanes', 'risk_limits', 'risk_rooms'],
  alerts: ['alert_head', 'alert_trades', 'alerts'],
  waiting: ['waiting_head', 'waiting_orders'],
  'own-strategies': ['own_strategies', 'own_strategy_versions', 'published_strategies', 'recorded_strategies'],
  complaints: ['complaint_rulings', 'complaints'],
  automatic: ['automatic_orders', 'automatic_summaries', 'automations', 'followed_strategies', 'strategy_switches'],
  signals: [
    'received_signals',
    'signal_addresses',
    'signal_closes',
    'signal_head',
    'signal_hours',
    'signal_spreads',
    'signals',
  ],
  support: ['chat_messages', 'chats', 'contact_messages', 'contact_replies'],
  desk: [
    'adjustments',
    'audit',
    'audit_head',
    'claims',
    'notes',
    'operator_actions',
    'operator_invitations',
    'operator_request_keys',
    'operator_sessions',
    'operators',
    'reversal_proposals',
  ],
  invariants: ['reconciliation'],
}

const OWNER = new Map(Object.entries(TABLES).flatMap(([room, tables]) => tables.map((table) => [table, room] as const)))

interface Exception {
  /** A file, or a folder that ends with '/'. */
  where: string
  reads: readonly string[] | 'all'
  writes?: readonly string[]
  why: string
}

const LISTS = 'lists of the desk join what operators see together; they change nothing'

/** Who may use the tables of other rooms, and why. */
const EXCEPTIONS: readonly Exception[] = [
  { where: 'server/desk/lists/', reads: 'all', why: LISTS },
  { where: 'server/desk/queues/', reads: 'all', why: LISTS },
  { where: 'server/desk/risk/', reads: 'all', why: LISTS },
  { where: 'server/desk/users/', reads: 'all', why: LISTS },
  { where: 'server/desk/actions/items.ts', reads: 'all', why: 'finds the item of a queue and its owner in one query' },
  { where: 'server/desk/actions/define-proposal.ts', reads: ['proposals'], why: LISTS },
  { where: 'server/invariants/', reads: 'all', why: 'invariants compare the raw rows of several rooms' },
  {
    where: 'server/trading/acceptance/accept.sql.ts',
    reads: ['price_list_versions', 'tape_head', 'request_keys'],
    writes: ['accounts', 'risk_rooms', 'transfers'],
    why: 'hot path: accepts a batch of orders in one statement',
  },
  {
    where: 'server/trading/acceptance/order-fate.ts',
    reads: ['accounts'],
    why: "takes the account's lock, which every acceptance needs, before it says that an order was not placed",
  },
  {
    where: 'server/trading/settlement/settle.sql.ts',
    reads: ['accounts', 'ticks', 'tape_kinds'],
    why: 'hot path: settles a set of trades in one statement',
  },
  {
    where: 'server/trading/sales/sell.sql.ts',
    reads: ['accounts', 'tape_kinds', 'ticks'],
    why: 'decides orders to sell by the tape, and sells a set of trades in one statement',
  },
  {
    where: 'server/trading/acceptance/entries/entry.sql.ts',
    reads: ['ticks'],
    why: 'the entry of an open trade is a tick; written when it settles, it is part of the hot path',
  },
  {
    where: 'server/trading/settlement/return-stakes.sql.ts',
    reads: ['accounts'],
    why: 'returns the stakes of a set of trades in one statement',
  },
  {
    where: 'server/risk/',
    reads: ['trades', 'trading_limits'],
    why: "counts the open book in sets, in one snapshot with the lanes' rooms",
  },
  {
    where: 'server/identity/accounts/profile/screen-choices.ts',
    reads: ['alerts', 'waiting_orders'],
    why: 'says to the trading screen whether there are alerts and waiting orders, so that it asks for them only then',
  },
  {
    where: 'server/guardrails/presence.ts',
    reads: ['accounts', 'tape_head'],
    why: 'reads the tape time, and notes at which movement of the account a session began, in the statement that begins it',
  },
  {
    where: 'server/statements/account-data.ts',
    reads: 'all',
    why: 'a trader gets everything that is stored about them, from the tables of every room',
  },
  {
    where: 'ops/archive/',
    reads: 'all',
    writes: [
      'archived_days',
      'archived_sums',
      'expired_days',
      'expired_grant_sums',
      'expired_grants',
      'request_keys',
      'tape_expiry',
      'trades',
      'transfers',
    ],
    why: 'moves settled trades and their movements out in one transaction, unless a row of any room still needs them',
  },
  {
    where: 'server/automatic/reservations/reserve.sql.ts',
    reads: ['accounts', 'identity_checks', 'signals', 'tape_head', 'trades', 'users'],
    why: 'hot path: checks and reserves the trades of all followers of new signals in one statement',
  },
]

/** One use of a table. */
interface TableUse {
  table: string
  writes: boolean
  line: number
}

const READS = [
  'selectFrom',
  'innerJoin',
  'leftJoin',
  'rightJoin',
  'fullJoin',
  'crossJoin',
  'innerJoinLateral',
  'leftJoinLateral',
]
const WRITES = ['insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto']

/** Recognises SQL outside of a `sql` tag: statements of the hot paths, and invariants. */
const LOOKS_LIKE_SQL =
  /\bselect\b.*\bfrom\b|\binsert into \w|\bdelete from \w|\bupdate \w+( \w+)? set\b|\bleft join \w|^\s*(from|join) \w/s

/** What a source file does in the database. */
interface Found {
  uses: TableUse[]
  /** Lines where the table is not a literal. */
  unreadable: number[]
  /** Lines that compute an account's number, or the user of a number, by hand. */
  accountNumbers: number[]
}

export function tablesIn(file: string, text: string): Found {
  const uses: TableUse[] = []
  const unreadable: number[] = []
  const accountNumbers: number[] = []
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length

  function named(argument: ESTree.Node | undefined, writes: boolean): void {
    if (!argument) return
    if (argument.type === 'Literal' && typeof argument.value === 'string') {
      const table = first(argument.value.split(' '))
      if (OWNER.has(table)) uses.push({ table, writes, line: lineAt(argument.start) })
    } else if (argument.type === 'ArrayExpression')
      for (const element of argument.elements) named(element ?? undefined, writes)
    // A subquery is read separately.
    else if (argument.type !== 'ArrowFunctionExpression' && argument.type !== 'CallExpression')
      unreadable.push(lineAt(argument.start))
  }

  function fragment(sql: string, start: number): void {
    const { found, dynamic } = tablesInSql(sql)
    for (const { table, writes, offset } of found)
      uses.push({ table, writes, line: lineAt(start) + sql.slice(0, offset).split('\n').length - 1 })
    for (const match of sql.matchAll(/\b(user_id|account_id|u\.id)\s*[*/]\s*2\b/g))
      accountNumbers.push(lineAt(start) + sql.slice(0, match.index).split('\n').length - 1)
    for (const offset of dynamic) unreadable.push(lineAt(start) + sql.slice(0, offset).split('\n').length - 1)
  }

  const asSql = (template: ESTree.TemplateLiteral) => template.quasis.map((part) => part.value.raw).join(HOLE)

  function visit(node: ESTree.Node): void {
    if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
      const { property, object } = node.callee
      const name = property.type === 'Identifier' ? property.name : ''
      if (READS.includes(name)) named(node.arguments[0], false)
      else if (WRITES.includes(name)) named(node.arguments[0], true)
      else if (name === 'table' && object.type === 'Identifier' && object.name === 'sql')
        named(node.arguments[0], false)
    }
    if (node.type === 'BinaryExpression' && ['*', '/'].includes(node.operator)) {
      const [left, right] = [node.left, node.right].map((side) => text.slice(side.start, side.end))
      if (/user|account/i.test(must(left)) && right === '2n') accountNumbers.push(lineAt(node.start))
    }
    if (node.type === 'TaggedTemplateExpression') {
      if (text.slice(node.tag.start, node.tag.end) === 'sql') fragment(asSql(node.quasi), node.quasi.start)
      for (const inner of node.quasi.expressions) visit(inner)
      return
    }
    if (node.type === 'TemplateLiteral' && LOOKS_LIKE_SQL.test(asSql(node))) fragment(asSql(node), node.start)
    if (node.type === 'Literal' && typeof node.value === 'string' && LOOKS_LIKE_SQL.test(node.value))
      fragment(node.value, node.start)
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child === 'object' && child !== null && 'type' in child) visit(child as ESTree.Node)
  }

  visit(parseSync(file, text).program)
  return { uses, unreadable, accountNumbers }
}

/** Stands for an interpolated part of SQL. */
const HOLE = '\u0001'

function tablesInSql(sql: string) {
  // Texts and comments name no table; blanks keep the offsets.
  const bare = sql.replace(/'[^']*'|--[^\n]*/g, (found) => found.replace(/[^\n]/g, ' '))
  const common = new Set(
    [
      ...bare.matchAll(
        /(?:\bwith(?: recursive)?|,|\))\s+(\w+)(?:\s*\([^)]*\))?\s+as\s+(?:(?:not )?materialized\s+)?\(/g,
      ),
    ].map((match) => must(match[1])),
  )
  const found = [...bare.matchAll(/(?<![\w.]|\bas )([a-z_]+)\b(?!\.)/g)].flatMap((match) => {
    const table = must(match[1])
    if (!OWNER.has(table) || common.has(table)) return []
    const before = bare.slice(0, match.index)
    return [
      {
        table,
        writes: /\b(insert into|update|delete from|truncate|merge into)\s+(only\s+)?$/.test(before),
        offset: match.index,
      },
    ]
  })
  const dynamic = [
    ...bare.matchAll(new RegExp(`(?<!distinct |\\(\\w+ )\\b(from|join|into|update)\\s+${HOLE}`, 'g')),
  ].map((match) => match.index)
  return { found, dynamic }
}

/** Returns why this file may not use this table, or undefined when it may. */
export function tableRefusal(
  file: string,
  { table, writes }: Pick<TableUse, 'table' | 'writes'>,
  used?: Set<Exception>,
): string | undefined {
  const owner = OWNER.get(table)
  if (placeOf(file).room === `server/${owner}`) return undefined
  const exception = EXCEPTIONS.find(
    ({ where, reads, writes: changes = [] }) =>
      (where === file || (where.endsWith('/') && file.startsWith(where))) &&
      (changes.includes(table) || (!writes && (reads === 'all' || reads.includes(table)))),
  )
  if (!exception) return `${table} belongs to server/${owner}`
  used?.add(exception)
  return undefined
}

export function brokenTables(): string[] {
  const broken: string[] = []
  const used = new Set<Exception>()
  for (const path of ['server', 'ops'].flatMap((storey) => sources(join(ROOT, storey)))) {
    const file = relative(ROOT, path)
    if (/\.test\.ts$/.test(file) || file === 'server/platform/database/db-types.ts') continue
    const { uses, unreadable, accountNumbers } = tablesIn(file, readFileSync(path, 'utf8'))
    for (const use of uses) {
      const why = tableRefusal(file, use, used)
      if (why) broken.push(`${file}:${use.line} ${use.writes ? 'changes' : 'reads'} ${use.table}: ${why}`)
    }
    for (const line of unreadable)
      broken.push(`${file}:${line} hides a table: name it as a literal, so that its owner can be checked`)
    if (placeOf(file).room !== 'server/ledger')
      for (const line of accountNumbers) broken.push(`${file}:${line} computes an account number: the ledger does that`)
  }
  for (const exception of EXCEPTIONS)
    if (!used.has(exception)) broken.push(`the exception of ${exception.where} is not needed any more`)
  return [...broken, ...unowned()]
}

/** Returns tables of the schema without an owner, and owned tables that the schema doesn't have. */
function unowned(): string[] {
  const schema = readFileSync(join(ROOT, 'db/schema.sql'), 'utf8')
  const tables = new Set([...schema.matchAll(/^create table (\w+)/gm)].map((match) => must(match[1])))
  return [
    ...[...tables]
      .filter((table) => !OWNER.has(table))
      .map((table) => `${table} has no owner in scripts/checks/tables.ts`),
    ...[...OWNER.keys()]
      .filter((table) => table !== 'migrations' && !tables.has(table))
      .map((table) => `${table} is not in db/schema.sql`),
  ]
}

if (import.meta.main) {
  const broken = brokenTables()
  for (const line of broken) console.error(line)
  process.exit(broken.length === 0 ? 0 : 1)
}
