/**
 * Checks that the schema can be moved to a distributed PostgreSQL, with each user's rows stored together and apart from
 * those of other users. Every table is declared; unique keys, foreign keys and the hot statements must stay within one
 * user's rows. Known exceptions are listed with what it would take to remove them; a new one fails the check.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from '#kernel/must.ts'
import { tablesIn } from './checks/tables.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Hot statements that also count the open stakes of a symbol. */
const COUNTING = ['server/trading/acceptance/accept.sql.ts', 'server/trading/settlement/settle.sql.ts']
/** The hot statement that matches followers with signals. */
const RESERVING = 'server/automatic/reservations/reserve.sql.ts'
/** The hot statements: they may read the user's rows and reference tables, and write only the user's rows. */
const HOT = [
  ...COUNTING,
  'server/ledger/post-parts.sql.ts',
  'server/trading/acceptance/entries/entry.sql.ts',
  RESERVING,
]

type Place =
  /** Stored with the user whom these columns name. An account's number contains its user's. */
  | { user: readonly string[] }
  /** Copied to every place: few rows, or written by one node. */
  | 'reference'
  /** Stored in one place. */
  | 'local'

const user = { user: ['user_id'] }
const account = { user: ['account_id'] }

const PLACES: Record<string, Place> = {
  accounts: { user: ['id', 'user_id'] },
  users: { user: ['id'] },
  ...all(account, [
    'archived_sums',
    'automatic_orders',
    'automatic_summaries',
    'automations',
    'expired_grant_sums',
    'followed_strategies',
    'guard_changes',
    'guards',
    'sale_orders',
    'trade_notes',
    'trade_remedies',
    'trade_tags',
    'trades',
    'transfers',
    'unstated_trades',
    'waiting_orders',
  ]),
  ...all(user, [
    'alert_trades',
    'alerts',
    'account_closures',
    'charts',
    'complaints',
    'deposit_arrivals',
    'deposit_requests',
    'deposits',
    'email_changes',
    'exclusions',
    'factor_resets',
    'identity_checks',
    'notice_preferences',
    'notices',
    'one_time_tokens',
    'own_strategies',
    'passkey_challenges',
    'lock_lifts',
    'passkeys',
    'payout_addresses',
    'payout_guards',
    'plan_charges',
    'plan_requests',
    'push_messages',
    'push_subscriptions',
    'receipt_links',
    'recorded_strategies',
    'recovery_codes',
    'request_keys',
    'screen_choices',
    'sessions',
    'step_ups',
    'totp_factors',
    'user_locks',
    'withdrawal_pauses',
    'withdrawals',
  ]),
  // Rows of a user that don't name the user, only the row they belong to.
  ...all({ user: [] }, [
    'deposit_approvals',
    'deposit_reinstatements',
    'deposit_reversals',
    'own_strategy_versions',
    'published_strategies',
    'received_signals',
    'session_tokens',
    'signal_addresses',
    'trade_voids',
    'withdrawal_approvals',
  ]),
  ...all('reference', [
    'retention_rules',
    'approval_limits',
    'capital',
    'capital_grace',
    'capital_moves',
    'cashier_settings',
    'instruments',
    'terms_changes',
    'levers',
    'open_stake_limits',
    'operators',
    'payout_batch_items',
    'payout_batches',
    'payout_halts',
    'price_list_versions',
    'tape_head',
    'tape_kinds',
    'ticks',
    'trading_limits',
  ]),
  ...all('local', [
    'adjustments',
    'alert_head',
    'archived_days',
    'audit',
    'audit_head',
    'candles',
    'card_events',
    'chat_messages',
    'chats',
    'checkpoint_timestamps',
    'checkpoints',
    'claims',
    'coin_transactions',
    'complaint_rulings',
    'contact_messages',
    'contact_replies',
    'exclusion_sweeps',
    'expired_days',
    'expired_grants',
    'feed_state',
    'frame_orders',
    'frames',
    'kept_matches',
    'known_devices',
    'mails',
    'maintenance_runs',
    'node_leases',
    'notes',
    'operator_actions',
    'operator_invitations',
    'operator_request_keys',
    'operator_sessions',
    'price_history',
    'proof_keys',
    'proposals',
    'reconciliation',
    'reset_requests',
    'reversal_proposals',
    'risk_count',
    'risk_lanes',
    'risk_limits',
    'risk_rooms',
    'schema_needs',
    'sign_in_links',
    'signal_closes',
    'signal_head',
    'signal_hours',
    'signal_spreads',
    'signals',
    'solvency_entries',
    'solvency_requests',
    'solvency_statements',
    'solvency_trees',
    'strategy_switches',
    'symbol_open',
    'tape_bodies',
    'tape_epochs',
    'tape_expiry',
    'tape_minutes',
    'trade_figures',
    'trade_figures_head',
    'trade_figures_open',
    'unbound_orders',
    'uncredited_payments',
    'unknown_deposits',
    'venue_switches',
    'waiting_head',
    'waiting_proof_keys',
  ]),
}

const GENERATED =
  'the number is generated, so it is unique without a look at other users; the key would name the user first'
const RANDOM = 'the value is random, so it is unique without a look at other users; finding its user takes a directory'
const DIRECTORY = 'the value must be unique over all users: one small table of all values, written when it is claimed'
const OWNED = 'the row would name its user as well, so that it is stored with the row it belongs to'
const PLACED = 'the code that writes the row checks what the foreign key does'
const COPIED = 'few rows that every follower reads: a reference table, copied to every place'
const COUNTED = 'limits of the open stakes of a symbol need one counter: each place would get a share of the limit'

/** Constraints, indexes and statements that aren't within one user's rows yet, with what it would take. */
const REMAINING: Record<string, string> = {
  ...each(GENERATED, [
    'complaints_pkey',
    'deposit_arrivals_pkey',
    'deposit_requests_pkey',
    'deposits_pkey',
    'payout_addresses_pkey',
    'deposit_reinstatements_pkey',
    'deposit_reversals_pkey',
    'account_closures_pkey',
    'email_changes_pkey',
    'exclusions_pkey',
    'factor_resets_pkey',
    'guard_changes_pkey',
    'identity_checks_pkey',
    'notices_pkey',
    'own_strategies_pkey',
    'received_signals_signal_key',
    'passkeys_pkey',
    'plan_charges_pkey',
    'plan_charges_request_id_key',
    'plan_requests_pkey',
    'push_messages_pkey',
    'push_subscriptions_pkey',
    'sessions_pkey',
    'step_ups_pkey',
    'trade_remedies_pkey',
    'trades_pkey',
    'automatic_orders_trade_id_key',
    'transfers_pkey',
    'withdrawal_pauses_pkey',
    'withdrawals_pkey',
  ]),
  ...each(RANDOM, [
    'deposits_receipt_key',
    'identity_checks_file_key',
    'one_time_tokens_pkey',
    'passkey_challenges_pkey',
    'passkeys_credential',
    'receipt_links_token_key',
    'signal_addresses_secret_hash_key',
    'session_tokens_access_hash_key',
    'session_tokens_pkey',
    'step_ups_token_hash_key',
    'users_avatar',
  ]),
  ...each(DIRECTORY, [
    'deposit_reinstatements_reference_key',
    'deposit_reversals_reference_key',
    'deposits_provider_reference_key',
    'published_strategies_name',
    'withdrawals_transaction',
    'users_open_email',
    'users_referral_code',
  ]),
  ...each(OWNED, [
    'deposit_approvals_deposit_id_fkey',
    'withdrawals_address',
    'deposit_approvals_pkey',
    'deposit_arrivals_deposit_id_fkey',
    'deposit_reinstatements_deposit_id_fkey',
    'deposit_reversals_deposit_id_fkey',
    'own_strategies_newest',
    'own_strategy_versions_pkey',
    'own_strategy_versions_strategy_id_fkey',
    'published_strategies_pkey',
    'published_strategies_strategy_id_fkey',
    'received_signals_body',
    'received_signals_nonce',
    'received_signals_pkey',
    'received_signals_strategy_id_fkey',
    'recorded_strategies_pkey',
    'recorded_strategies_strategy_id_fkey',
    'signal_addresses_pkey',
    'signal_addresses_strategy_id_fkey',
    'plan_charges_request_id_fkey',
    'push_messages_subscription_id_fkey',
    'push_subscriptions_session_id_fkey',
    'session_tokens_session_id_fkey',
    'step_ups_session_id_fkey',
    'step_ups_waiting',
    'trade_voids_pkey',
    'trade_voids_trade_id_fkey',
    'withdrawal_approvals_pkey',
    'withdrawal_approvals_withdrawal_id_fkey',
  ]),
  ...each(PLACED, [
    'adjustments_user_id_fkey',
    'audit_user_id_fkey',
    'card_events_deposit_id_fkey',
    'uncredited_payments_deposit_id_fkey',
    'unknown_deposits_deposit_id_fkey',
    'chats_user_id_fkey',
    'complaint_rulings_complaint_id_fkey',
    'exclusions_carried_from_fkey',
    'kept_matches_exclusion_id_fkey',
    'known_devices_user_id_fkey',
    'notes_user_id_fkey',
    'payout_batch_items_withdrawal_id_fkey',
    'reversal_proposals_deposit_id_fkey',
    'sign_in_links_user_id_fkey',
    'trade_remedies_ruling_id_fkey',
    'trade_remedies_trade_id_fkey',
    'users_referred_by_fkey',
  ]),
  ...each(
    COUNTED,
    COUNTING.map((file) => `${file} symbol_open`),
  ),
  ...each(
    COUNTED,
    COUNTING.slice(0, 1).map((file) => `${file} risk_rooms`),
  ),
  ...each(COPIED, [`${RESERVING} signals`, `${RESERVING} strategy_switches`]),
}

function all(place: Place, tables: readonly string[]): Record<string, Place> {
  return Object.fromEntries(tables.map((table) => [table, place]))
}

function each(what: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, what]))
}

interface Crossing {
  /** The constraint, index, or file and table. */
  name: string
  says: string
}

interface Key {
  table: string
  name: string
  columns: string[]
}

interface Reference extends Key {
  to: string
  toColumns: string[]
}

/** Reads tables, unique keys and foreign keys from the dumped schema. */
function readSchema(schema: string): { tables: string[]; keys: Key[]; references: Reference[] } {
  const tables: string[] = []
  const keys: Key[] = []
  const references: Reference[] = []
  for (const [, table, body] of schema.matchAll(/^create table (\w+) \(\n(.*?)^\)/gms)) {
    tables.push(must(table))
    for (const [, name, columns] of must(body).matchAll(
      /^ {2}constraint (\w+) (?:PRIMARY KEY|UNIQUE)[^(]*\(([^)]*)\)/gm,
    ))
      keys.push({ table: must(table), name: must(name), columns: must(columns).split(', ') })
    const foreign = /^ {2}constraint (\w+) FOREIGN KEY \(([^)]*)\) REFERENCES (\w+)\(([^)]*)\)/gm
    for (const [, name, columns, to, toColumns] of must(body).matchAll(foreign))
      references.push({
        table: must(table),
        name: must(name),
        columns: must(columns).split(', '),
        to: must(to),
        toColumns: must(toColumns).split(', '),
      })
  }
  for (const [, name, table, columns] of schema.matchAll(
    /^CREATE UNIQUE INDEX (\w+) ON (?:public\.)?(\w+) USING \w+ \((.*?)\)(?: NULLS| WHERE|;)/gm,
  ))
    keys.push({ table: must(table), name: must(name), columns: must(must(columns).match(/\w+/g)) })
  return { tables, keys, references }
}

/** Returns the keys that reach beyond one user's rows, and the declarations that are missing or wrong. */
export function crossings(schema: string, places = PLACES): { crossing: Crossing[]; wrong: string[] } {
  const { tables, keys, references } = readSchema(schema)
  const crossing: Crossing[] = []
  const placeOf = (table: string): Place => places[table] ?? 'local'
  const userOf = (table: string): readonly string[] | undefined => {
    const place = placeOf(table)
    return typeof place === 'object' ? place.user : undefined
  }
  for (const { table, name, columns } of keys) {
    const names = userOf(table)
    if (names && !names.some((column) => columns.includes(column)))
      crossing.push({ name, says: `it compares ${table} of all users` })
  }
  for (const { table, name, columns, to, toColumns } of references) {
    const from = userOf(table)
    const target = userOf(to)
    if (from && target) {
      const at = columns.findIndex((column, i) => from.includes(column) && target.includes(must(toColumns[i])))
      if (at < 0) crossing.push({ name, says: `${table} and ${to} may be rows of different users` })
    } else if (placeOf(to) !== 'reference' && (from || target || placeOf(table) === 'reference'))
      crossing.push({ name, says: `${table} and ${to} are stored in different places` })
  }
  return {
    crossing,
    wrong: [
      ...tables.filter((table) => !places[table]).map((table) => `${table} is not declared in scripts/distribution.ts`),
      ...Object.keys(places)
        .filter((table) => !tables.includes(table))
        .map((table) => `${table} is declared in scripts/distribution.ts, but not in db/schema.sql`),
    ],
  }
}

/** Returns the tables that a hot statement uses outside the user's rows. */
export function crossingsOfStatement(file: string, text: string, places = PLACES): Crossing[] {
  return tablesIn(file, text).uses.flatMap(({ table, writes }) => {
    const place = places[table]
    if (typeof place === 'object' || (place === 'reference' && !writes)) return []
    return [{ name: `${file} ${table}`, says: `a hot statement ${writes ? 'changes' : 'reads'} ${table}` }]
  })
}

/** Returns the problems found, one line each. */
export function brokenDistribution(): string[] {
  const { crossing, wrong } = crossings(readFileSync(join(ROOT, 'db/schema.sql'), 'utf8'))
  const found = [
    ...crossing,
    ...HOT.flatMap((file) => crossingsOfStatement(file, readFileSync(join(ROOT, file), 'utf8'))),
  ]
  const names = new Set(found.map(({ name }) => name))
  return [
    ...wrong,
    ...found
      .filter(({ name }) => !REMAINING[name])
      .map(({ name, says }) => `${name}: ${says}. Make it name its user, or say in REMAINING what it would take.`),
    ...Object.keys(REMAINING)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is within one user's rows now: remove it from REMAINING`),
  ]
}

if (import.meta.main) {
  const broken = brokenDistribution()
  for (const line of broken) console.error(line)
  process.exit(broken.length === 0 ? 0 : 1)
}
