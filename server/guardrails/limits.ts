import { CONFIRM_WITHIN_DAYS, type Guarded, LOOSEN_AFTER_HOURS, type Period } from '#contract/account/guardrails.ts'
import { Problem } from '#contract/problem.ts'
import { dollars, usd } from '#kernel/money.ts'
import { accountOf } from '../ledger/index.ts'
import type { News } from '../notices/index.ts'
import { inTransaction, sql, type Tx } from '../platform/database/db.ts'
import type { GuardrailsDeps } from './deps.ts'
import { type GuardColumn, limitValue, lockGuards } from './guards.ts'
import { limitName } from './refusals.ts'

/**
 * Sets a limit, in cents or minutes; null removes it. A tighter one applies at once. A looser one waits for 24 hours and
 * the trader's confirmation, and replaces any that waits already. Asking for the same again changes nothing.
 */
export async function setGuard(
  deps: GuardrailsDeps,
  userId: bigint,
  column: GuardColumn,
  value: bigint | null,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const row = await lockGuards(tx, userId)
    const current = limitValue(row, column)
    const waiting = await pendingChange(tx, row.account_id, column)
    if (waiting && waiting.to_value === value && !waiting.expired && value !== current) return
    if (waiting) await endChange(tx, waiting.id, 'cancelled_at')
    if (value === current) {
      if (waiting) pushChanged(deps, tx, userId)
      return
    }
    const isTighter = current === null || (value !== null && value < current)
    if (isTighter) {
      await sql`
        insert into guard_changes (account_id, guard, from_value, to_value, due_at, applied_at)
        values (${row.account_id}, ${column}, ${current}, ${value}, transaction_timestamp(), clock_timestamp())`.execute(
        tx,
      )
      await tx
        .updateTable('guards')
        .set({ [column]: value })
        .where('account_id', '=', row.account_id)
        .execute()
    } else {
      await sql`
        insert into guard_changes (account_id, guard, from_value, to_value, due_at)
        values (${row.account_id}, ${column}, ${current}, ${value}, transaction_timestamp() + make_interval(hours => ${LOOSEN_AFTER_HOURS}))`.execute(
        tx,
      )
    }
    await deps.notices.write(
      tx,
      newsOf(userId, column, { from: current, to: value, state: isTighter ? 'set' : 'requested' }),
    )
    pushChanged(deps, tx, userId)
  })
}

/**
 * Confirms a looser limit, which applies at once. Confirming it again changes nothing. Throws `not_found`, and
 * `wrong_state` too early, too late or after it was cancelled.
 */
export async function confirmChange(deps: GuardrailsDeps, userId: bigint, id: bigint): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const row = await lockGuards(tx, userId)
    const change = await ownChange(tx, userId, id)
    if (change.applied_at) return
    if (change.cancelled_at || change.expired)
      throw new Problem('wrong_state', 'This change was cancelled or has expired. Request it again.')
    if (!change.is_due)
      throw new Problem('wrong_state', 'A looser limit can be confirmed 24 hours after you asked for it.')
    const column = change.guard as GuardColumn
    await endChange(tx, id, 'applied_at')
    await tx
      .updateTable('guards')
      .set({ [column]: change.to_value })
      .where('account_id', '=', row.account_id)
      .execute()
    await deps.notices.write(tx, newsOf(userId, column, { from: change.from_value, to: change.to_value, state: 'set' }))
    pushChanged(deps, tx, userId)
  })
}

/** Cancels a looser limit that waits. Throws `not_found`, and `wrong_state` once it applies. */
export async function cancelChange(deps: GuardrailsDeps, userId: bigint, id: bigint): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockGuards(tx, userId)
    const change = await ownChange(tx, userId, id)
    if (change.applied_at) throw new Problem('wrong_state', 'This change already applies.')
    if (change.cancelled_at) return
    await endChange(tx, id, 'cancelled_at')
    pushChanged(deps, tx, userId)
  })
}

/** Asks the trader's open screens to read their limits again, after the commit. */
export const pushChanged = ({ push }: Pick<GuardrailsDeps, 'push'>, tx: Tx, userId: bigint): void =>
  push.afterCommit(tx, userId, { op: 'guardrails', data: null })

const CHANGE = sql`
  id, guard, from_value, to_value, requested_at, due_at, applied_at, cancelled_at, due_at <= clock_timestamp() as is_due,
  clock_timestamp() >= due_at + make_interval(days => ${CONFIRM_WITHIN_DAYS}) as expired`

export interface ChangeRow {
  id: bigint
  guard: string
  from_value: bigint | null
  to_value: bigint | null
  requested_at: Date
  due_at: Date
  applied_at: Date | null
  cancelled_at: Date | null
  is_due: boolean
  expired: boolean
}

async function pendingChange(tx: Tx, accountId: bigint, column: GuardColumn): Promise<ChangeRow | undefined> {
  const { rows } = await sql<ChangeRow>`
    select ${CHANGE} from guard_changes
    where account_id = ${accountId} and guard = ${column} and applied_at is null and cancelled_at is null`.execute(tx)
  return rows[0]
}

async function ownChange(tx: Tx, userId: bigint, id: bigint): Promise<ChangeRow> {
  const { rows } = await sql<ChangeRow>`
    select ${CHANGE} from guard_changes where id = ${id} and account_id = ${accountOf(userId, 'real')}`.execute(tx)
  if (!rows[0]) throw new Problem('not_found', 'Change not found.')
  return rows[0]
}

/** Returns the looser limits that wait and can still be confirmed. */
export async function pendingChanges(db: GuardrailsDeps['db'] | Tx, accountId: bigint): Promise<ChangeRow[]> {
  const { rows } = await sql<ChangeRow>`
    select * from (
      select ${CHANGE} from guard_changes where account_id = ${accountId} and applied_at is null and cancelled_at is null
    ) c where not expired order by id`.execute(db)
  return rows
}

const endChange = (tx: Tx, id: bigint, how: 'applied_at' | 'cancelled_at') =>
  tx
    .updateTable('guard_changes')
    .set({ [how]: sql`clock_timestamp()` })
    .where('id', '=', id)
    .execute()

function newsOf(
  userId: bigint,
  column: GuardColumn,
  { from, to, state }: { from: bigint | null; to: bigint | null; state: 'set' | 'requested' },
): News {
  const name = nameOf(column)
  const amount = amountText(column, to)
  const wish = to === null ? `no ${name}` : `a ${name} of ${amount}`
  const about = { userId, kind: 'account', path: '/user/limits' } as const
  if (state === 'requested')
    return {
      ...about,
      title: `Confirm your ${name} after 24 hours`,
      text: `You asked for ${wish} instead of ${amountText(column, from)}. Nothing changes yet: you can confirm it in 24 hours, and for 7 days after that.`,
    }
  return to === null
    ? { ...about, title: `Your ${name} was removed`, text: `You no longer have a ${name}.` }
    : { ...about, title: `Your ${name} is ${amount}`, text: `It applies from now on. A looser one takes 24 hours.` }
}

function nameOf(column: GuardColumn): string {
  if (column === 'check_minutes') return 'reality check'
  const [guarded, period] = column.split('_') as [Guarded, Period]
  return limitName(guarded, period)
}

function amountText(column: GuardColumn, value: bigint | null): string {
  if (value === null) return 'none'
  if (column === 'check_minutes') return `every ${value} minutes`
  if (!column.startsWith('time')) return dollars(usd(value))
  const [hours, minutes] = [value / 60n, value % 60n]
  return [hours > 0n ? `${hours} h` : '', minutes > 0n ? `${minutes} min` : ''].filter(Boolean).join(' ')
}
