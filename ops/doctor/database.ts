import type { OperatorRole } from '#contract/terms.ts'
import { dollars, type Usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import {
  APPLIED_MIGRATIONS,
  knownMigrations,
  SCHEMA_NEEDS,
  whyIncompatible,
} from '#server/platform/database/migrate.ts'
import { POSTGRES_MAJOR } from '#server/platform/postgres/version.ts'
import type { LooseInstrument } from '#server/prices/index.ts'
import type { WaitingKey } from '#server/proof/index.ts'
import { type Finding, lengthOf, ok, problem, warning } from './finding.ts'

/** Runs one statement and returns its rows. */
export type Query = <Row>(text: string) => Promise<Row[]>

const MEBIBYTE = 2 ** 20

export async function checkVersion(query: Query): Promise<Finding[]> {
  const [row] = await query<{ version: string; major: number }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
  )
  const { version, major } = must(row)
  if (major === POSTGRES_MAJOR) return [ok('database', `PostgreSQL ${version} answers.`)]
  return [
    problem(
      'database',
      `PostgreSQL ${version} answers, but Cleartick needs ${POSTGRES_MAJOR}.`,
      `Use PostgreSQL ${POSTGRES_MAJOR}.`,
    ),
  ]
}

const NEEDS_SINCE = '0028_schema_needs'

export async function checkSchema(query: Query): Promise<Finding[]> {
  const applied = (await query<{ name: string }>(APPLIED_MIGRATIONS)).map(({ name }) => name)
  const known = knownMigrations()
  const needs = applied.includes(NEEDS_SINCE) ? await query<{ migration: string; needs: string }>(SCHEMA_NEEDS) : []
  const reason = whyIncompatible(known, { applied, needs })
  if (reason !== undefined)
    return [problem('schema', reason, 'Install the version that the server runs, or a later one.')]
  const unknown = applied.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    return [
      warning(
        'schema',
        `The database has the migration ${unknown}, which this version doesn't know but can work with.`,
        'Finish the upgrade: install the newer version here too.',
      ),
    ]
  }
  const missing = known.length - applied.length
  if (missing === 0) return [ok('schema', `The schema is the one of this version (${known.at(-1)}).`)]
  return [
    warning(
      'schema',
      `The database lacks ${missing} of this version's migrations.`,
      'Start the server: it migrates first.',
    ),
  ]
}

/** Lists the instruments whose exchanges may differ so much that one of them moves the price. */
export function judgeInstruments(loose: readonly LooseInstrument[]): Finding {
  if (loose.length === 0) return ok('instruments', 'No instrument accepts exchanges that are far apart.')
  const names = loose.map(
    ({ symbol, largestSpreadBps, largestDeviationBps }) =>
      `${symbol} (spread up to ${largestSpreadBps / 100}%, deviation up to ${largestDeviationBps / 100}%)`,
  )
  return warning(
    'instruments',
    `Operators have set wide limits for ${loose.length}: ${names.join(', ')}.`,
    'At the desk, under Instruments, propose spreads and deviations of some tenths of a percent.',
  )
}

/** Roles whose decisions take two people. */
const FOUR_EYES = ['compliance', 'finance', 'risk', 'admin'] as const

/** Names the roles that nobody or only one person holds: nothing that takes two people can be decided. */
export function judgeRoles(holders: ReadonlyMap<OperatorRole, readonly string[]>): Finding {
  const wanting = FOUR_EYES.map((role) => ({ role, people: holders.get(role) ?? [] })).filter(
    ({ people }) => people.length < 2,
  )
  if (wanting.length === 0) return ok('operators', 'Compliance, finance, risk and admin each have two people or more.')
  const named = wanting.map(({ role, people }) => `${role} (${people[0] ?? 'nobody'})`)
  return warning(
    'operators',
    `Fewer than two people have these roles: ${named.join(', ')}. What takes two people waits.`,
    'Invite more: two admins at the desk, or on the host `npm run desk -- invite EMAIL ROLES`.',
  )
}

/** Says whether the house has the capital that real trades need. */
export function judgeCapital(capital: Usd, graceUntil: Date | undefined, now: number): Finding {
  const fix = "Two admins record the capital of its owners at the desk's page of exposure."
  if (capital > 0n) return ok('capital', `The house's capital is ${dollars(capital)}.`)
  if (graceUntil && graceUntil.getTime() > now)
    return warning(
      'capital',
      `The house has no capital: from ${graceUntil.toISOString()} on, real trades are rejected.`,
      fix,
    )
  return problem('capital', 'The house has no capital, so real trades are rejected.', fix)
}

/** Names the key that receipts wait for, if any. */
export function judgeProofKey(waiting: WaitingKey | undefined): Finding {
  if (!waiting) return ok('receipts', 'No key of receipts waits.')
  return problem(
    'receipts',
    `The key ${waiting.id} signs nothing since ${waiting.seenAt.toISOString()}: the key before hasn't signed it, so no trade gets a receipt.`,
    "Put the published key back, or let it sign this one (npm run proof -- new-key on the engine's host). If it is lost, two admins begin this key at the desk, under Settings.",
  )
}

/** A trade is rejected once the server's clock and the database's differ by this much. */
const CLOCK_MS = 2_000

/** Compares this machine's clock (`now`) with the database's. */
export async function checkClock(query: Query, now: () => number = Date.now): Promise<Finding[]> {
  const differences: number[] = []
  for (let sample = 0; sample < 3; sample++) {
    const before = now()
    const [row] = await query<{ ms: string }>('select (extract(epoch from clock_timestamp()) * 1000)::text as ms')
    differences.push(Number(must(row).ms) - (before + now()) / 2)
  }
  const difference = Math.round(differences.reduce((best, one) => (Math.abs(one) < Math.abs(best) ? one : best)))
  const [size, side] = [Math.abs(difference), difference > 0 ? 'behind' : 'ahead of']
  if (size < CLOCK_MS / 4) return [ok('clock', `This machine's clock and the database's differ by ${size} ms.`)]
  const says = `This machine's clock is ${size} ms ${side} the database's.`
  const fix = 'Synchronise both machines (chrony, systemd-timesyncd); then restart the server if it ran meanwhile.'
  return [size < CLOCK_MS ? warning('clock', says, fix) : problem('clock', says, fix)]
}

/** A commit is as slow as the disk's flush; acceptance waits for one per batch. */
const SLOW_COMMIT_MS = 20

/** Checks that commits survive a power loss, and how long one takes. Writes nothing but a note in the log. */
export async function checkDurability(query: Query): Promise<Finding[]> {
  const off = await query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off' order by name`,
  )
  if (off.length > 0) {
    const names = off.map(({ name }) => name).join(' and ')
    return [
      problem(
        'fsync',
        `PostgreSQL runs with ${names} off: a power loss takes trades that traders have seen.`,
        `Turn ${names} on.`,
      ),
    ]
  }
  const took: number[] = []
  for (let sample = 0; sample < 15; sample++) {
    const began = performance.now()
    await query(`select pg_logical_emit_message(true, 'cleartick doctor', '')`)
    took.push(performance.now() - began)
  }
  const median = must(took.sort((a, b) => a - b)[7])
  const says = `fsync is on, and a commit takes ${median.toFixed(1)} ms.`
  if (median <= SLOW_COMMIT_MS) return [ok('fsync', says)]
  return [warning('fsync', says, 'Put PostgreSQL on a faster disk, or one with a protected write cache.')]
}

const LATE_STANDBY_MS = 10_000
const LATE_STANDBY_BYTES = 256 * MEBIBYTE
const HELD_BYTES = 1024 * MEBIBYTE

/** How to fix that the login in DATABASE_URL may not read PostgreSQL's statistics. */
const MONITOR_FIX = 'As a superuser: grant pg_monitor to the login in DATABASE_URL.'

interface Standby {
  name: string
  /** Null where the login may not see it. */
  state: string | null
  bytes: number
  ms: number
}

export async function checkReplicas(query: Query): Promise<Finding[]> {
  const standbys = await query<Standby>(`
    select coalesce(nullif(application_name, ''), client_addr::text, 'a standby') as name, state,
      coalesce(pg_current_wal_lsn() - replay_lsn, 0)::float8 as bytes,
      coalesce(extract(epoch from replay_lag) * 1000, 0)::float8 as ms
    from pg_stat_replication where state in ('startup', 'catchup', 'streaming') or state is null`)
  const found = standbys.map(judgeStandby)
  const slots = await query<{ name: string; bytes: number }>(`
    select slot_name as name, (pg_current_wal_lsn() - restart_lsn)::float8 as bytes
    from pg_replication_slots where not active and restart_lsn is not null`)
  for (const { name, bytes } of slots.filter((slot) => slot.bytes > HELD_BYTES)) {
    found.push(
      problem(
        'replicas',
        `The slot ${name}, which nobody reads, keeps ${(bytes / MEBIBYTE).toFixed(0)} MiB of log and will fill the disk.`,
        `Start its standby again, or drop it: select pg_drop_replication_slot('${name}')`,
      ),
    )
  }
  return found.length > 0 ? found : [ok('replicas', 'There are no standbys.')]
}

/** Judges the standby of DATABASE_READ_URL. */
export function judgeReads({ wrong, bytes }: { wrong: string; bytes: number }): Finding {
  if (wrong !== '') {
    return problem(
      'reads',
      `The primary answers all reads: the standby in DATABASE_READ_URL is not used, because ${wrong}.`,
      'Start the standby of this database, or correct DATABASE_READ_URL; docs/operations/standby.md.',
    )
  }
  const behind = `${(bytes / MEBIBYTE).toFixed(0)} MiB behind`
  if (bytes <= LATE_STANDBY_BYTES) return ok('reads', `Reads go to the standby, which is ${behind}.`)
  return problem(
    'reads',
    `The primary answers all reads: the standby in DATABASE_READ_URL is ${behind}.`,
    'Look at its disk, its network and its log.',
  )
}

export function judgeStandby({ name, state, bytes, ms }: Standby): Finding {
  if (state === null)
    return warning('replicas', "There is a standby, but this login can't see how far behind it is.", MONITOR_FIX)
  const behind = `${lengthOf(ms)} and ${(bytes / MEBIBYTE).toFixed(0)} MiB behind`
  if (state === 'streaming' && ms <= LATE_STANDBY_MS && bytes <= LATE_STANDBY_BYTES)
    return ok('replicas', `${name} is ${behind}.`)
  return problem(
    'replicas',
    `${name} is ${behind} (${state}).`,
    "Check that machine's disk, processor and network; until it has caught up, don't fail over to it.",
  )
}

/** How old the newest frame of the tape may be while the server runs. */
const SILENT_TAPE_MS = 5_000

/** `ageMs`: of the newest frame, by the database's clock; undefined if there is none. */
export function judgeTape(ageMs: number | undefined, isRunning: boolean): Finding {
  if (ageMs === undefined) return warning('tape', 'There is no frame yet.', 'Start the server.')
  const says = `The newest frame is ${lengthOf(Math.max(0, ageMs))} old`
  if (!isRunning) return ok('tape', `${says}; the server is stopped.`)
  if (ageMs <= SILENT_TAPE_MS) return ok('tape', `${says}.`)
  return problem('tape', `${says}: prices are stale and orders are rejected.`, "Look at the server's log; see /prices.")
}
