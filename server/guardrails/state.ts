import {
  type Block,
  CONFIRM_WITHIN_DAYS,
  GUARDED,
  type Guarded,
  type GuardLimit,
  type Guardrails,
  PERIODS,
  type PendingChange,
  type Period,
  type RealityCheck,
} from '#contract/account/guardrails.ts'
import { periodEnd, periodStart } from '#kernel/calendar.ts'
import { type Usd, usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { DAY_MS, type Ms, toIso } from '#kernel/time.ts'
import { accountOf, type PeriodCounts, periodCountsOf, resultSince } from '../ledger/index.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { GuardrailsDeps } from './deps.ts'
import { blockOf, type ExclusionRow, requireNoBlock } from './exclusion.ts'
import { type GuardColumn, type GuardsRow, limitValue } from './guards.ts'
import { type ChangeRow, pendingChanges } from './limits.ts'
import { isCheckDue } from './reality-check.ts'
import { ownLimitProblem } from './refusals.ts'

type ReadDeps = Pick<GuardrailsDeps, 'clock' | 'depositedSince'>

/** Returns a trader's limits as they see them. */
export async function readGuardrails(deps: ReadDeps, db: Db | Tx, userId: bigint): Promise<Guardrails> {
  const accountId = accountOf(userId, 'real')
  const now = deps.clock.now()
  const row = await guardsOf(db, accountId)
  const counts = await periodCountsOf(db, accountId)
  const changes = row ? await pendingChanges(db, accountId) : []
  const limits: GuardLimit[] = []
  for (const guarded of GUARDED) {
    for (const period of PERIODS) {
      const column: GuardColumn = `${guarded}_${period}`
      const max = row ? limitValue(row, column) : null
      const used = await usedOf(deps, db, { userId, guarded, period, now, row, counts })
      const open = guarded === 'losses' ? counts.openStakes : 0n
      const left = max === null ? null : max - used - open
      limits.push({
        guarded,
        period,
        max: max === null ? null : shown(guarded, max),
        used: shown(guarded, used),
        left: left === null ? null : shown(guarded, left < 0n ? 0n : left),
        resets_at: toIso(periodEnd(period, now)),
        ...pendingOf(changes, column, guarded),
      })
    }
  }
  const check = pendingOf(changes, 'check_minutes', 'time').pending
  const block = await blockOf(db, userId)
  return {
    limits,
    open_stakes: usdToNumber(usd(counts.openStakes)),
    check_minutes: row?.check_minutes ?? null,
    ...(check ? { check_pending: check } : {}),
    check_due: row && isCheckDue(row) ? await dueCheck(db, row) : null,
    block: block ? toBlock(block, Date.now()) : null,
  }
}

const guardsOf = (db: Db | Tx, accountId: bigint): Promise<GuardsRow | undefined> =>
  db.selectFrom('guards').selectAll().where('account_id', '=', accountId).executeTakeFirst()

/** Returns what counts in the current period, in cents or minutes. */
async function usedOf(
  deps: ReadDeps,
  db: Db | Tx,
  about: {
    userId: bigint
    guarded: Guarded
    period: Period
    now: Ms
    row: GuardsRow | undefined
    counts: PeriodCounts
  },
): Promise<bigint> {
  const { userId, guarded, period, now, row, counts } = about
  const start = periodStart(period, now)
  switch (guarded) {
    case 'deposits':
      return deps.depositedSince(db, userId, start)
    case 'time':
      return row && Date.parse(row.time_on) >= start ? BigInt(row[`spent_${period}`]) / 60n : 0n
    default:
      return Date.parse(counts.countedOn) >= start ? counts[guarded === 'stakes' ? 'staked' : 'lost'][period] : 0n
  }
}

const shown = (guarded: Guarded, value: bigint): number =>
  guarded === 'time' ? Number(value) : usdToNumber(value as Usd)

function pendingOf(changes: readonly ChangeRow[], column: GuardColumn, guarded: Guarded): { pending?: PendingChange } {
  const change = changes.find((one) => one.guard === column)
  if (!change) return {}
  return {
    pending: {
      id: String(change.id),
      to: change.to_value === null ? null : shown(guarded, change.to_value),
      requested_at: change.requested_at.toISOString(),
      due_at: change.due_at.toISOString(),
      expires_at: toIso(change.due_at.getTime() + CONFIRM_WITHIN_DAYS * DAY_MS),
    },
  }
}

async function dueCheck(db: Db | Tx, row: GuardsRow): Promise<RealityCheck> {
  const { trades, result } = await resultSince(db, row.account_id, row.session_seq)
  return {
    number: row.check_number,
    since: (row.session_from ?? new Date()).toISOString(),
    minutes: Math.floor(row.session_seconds / 60),
    trades,
    result: usdToNumber(result),
  }
}

function toBlock(row: ExclusionRow, now: Ms): Block {
  return {
    kind: row.kind,
    since: row.starts_at.toISOString(),
    until: row.ends_at?.toISOString() ?? null,
    ...(row.return_at ? { return_at: row.return_at.toISOString() } : {}),
    can_return:
      row.kind === 'exclusion' && row.return_at === null && row.ends_at !== null && row.ends_at.getTime() <= now,
    carried_over: row.carried_from !== null,
  }
}

/**
 * Throws during a time-out or exclusion, and when a deposit of this amount would exceed one of the trader's own limits. The caller has locked the user's
 * row, so concurrent deposits wait.
 */
export async function requireDeposit(
  deps: Pick<GuardrailsDeps, 'depositedSince'>,
  tx: Tx,
  { userId, amount }: { userId: bigint; amount: Usd },
): Promise<void> {
  await requireNoBlock(tx, userId)
  const row = await tx
    .selectFrom('guards')
    .selectAll()
    .where('account_id', '=', accountOf(userId, 'real'))
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) return
  const { rows } = await sql<{
    now: number
  }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(tx)
  const now = Math.floor(first(rows).now)
  let tightest: { guard: string; room: bigint } | undefined
  for (const period of PERIODS) {
    const max = row[`deposits_${period}`]
    if (max === null) continue
    const room = max - (await deps.depositedSince(tx, userId, periodStart(period, now)))
    if (!tightest || room < tightest.room) tightest = { guard: `deposits_${period}`, room }
  }
  if (tightest && amount > tightest.room) throw ownLimitProblem(tightest.guard, tightest.room, now)
}
