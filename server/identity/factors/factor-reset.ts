import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { first } from '#kernel/must.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'
import { lockAccountById } from '../accounts/store.ts'
import type { IdentityDeps } from '../deps.ts'
import { factorResetMail } from '../mails.ts'
import { endTokens, issueToken, ownerOfToken, redeemToken } from '../passwords/one-time-token.ts'
import { dropFactors } from './drop-factors.ts'
import { secondFactorOf } from './second-factor.ts'

/**
 * Removes the second factor of a trader who lost it. After two operators approve, the trader has 24 hours to stop it,
 * through the link in the e-mail or from a signed-in session. The desk decides who may propose and approve.
 */
export type FactorResetDeps = Pick<
  IdentityDeps,
  'db' | 'log' | 'brand' | 'publicUrl' | 'mail' | 'notices' | 'recordReset'
>

/** The database enforces at least this delay too. */
const DELAY_HOURS = 24
const POLL_MS = 5_000

/** Checks that a reset can be proposed. Throws `wrong_state` when the trader has no second factor, or a reset is open. */
export async function checkFactorReset(tx: Tx, userId: bigint): Promise<void> {
  await lockAccountById(tx, userId)
  await requireFactor(tx, userId)
  if (await openFactorReset(tx, userId))
    throw new Problem('wrong_state', 'A second factor reset is already open for this trader.')
}

/**
 * Starts the 24 hours of a proposal that was approved in this transaction, and e-mails the trader how to stop the reset.
 * Throws `wrong_state` when the trader no longer has a second factor.
 */
export async function approveFactorReset(
  deps: FactorResetDeps,
  tx: Tx,
  { id, userId }: { id: bigint; userId: bigint },
): Promise<{ dueAt: Date }> {
  const account = await lockAccountById(tx, userId)
  if (!account) throw new Problem('wrong_state', 'This account is closed.')
  await requireFactor(tx, userId)
  // Rounded up: a Date has milliseconds, and by one that is rounded down the reset would be due too early.
  const { rows } = await sql<{ due_at: Date }>`
    select date_trunc('milliseconds', clock_timestamp()) + make_interval(hours => ${DELAY_HOURS}, secs => 0.001) as due_at`.execute(
    tx,
  )
  const dueAt = first(rows).due_at
  const hash = await issueToken(tx, 'stop_factor_reset', userId)
  const mail = factorResetMail(account.email, deps.publicUrl(), hash, dueAt)
  const mailId = await deps.mail.enqueue(tx, composeMail(mail, deps.brand))
  assert(mailId !== undefined, 'e-mails about security are never dropped')
  // The database refuses a reset without its e-mail.
  await tx.insertInto('factor_resets').values({ id, user_id: userId, due_at: dueAt, mail_id: mailId }).execute()
  await deps.notices.write(tx, {
    userId,
    kind: 'security',
    title: 'Your second factor will be removed',
    text: `This happens on ${minute(dueAt)} UTC. If you didn't request it, stop it now.`,
    path: '/user/security',
    quiet: true,
  })
  return { dueAt }
}

/** Stops an approved reset through the e-mail's link. Throws `invalid_hash`. */
export async function stopFactorResetByLink(deps: FactorResetDeps, hash: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, await ownerOfToken(tx, 'stop_factor_reset', hash))
    await stop(deps, tx, await redeemToken(tx, 'stop_factor_reset', hash))
  })
}

/** Stops an approved reset from a signed-in session. Throws `wrong_state` when there is none. */
export async function stopFactorReset(deps: FactorResetDeps, userId: bigint): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, userId)
    await stop(deps, tx, userId)
  })
}

/** Returns a user's approved reset while it can still be stopped. */
export async function openFactorReset(db: Db | Tx, userId: bigint): Promise<{ dueAt: Date } | undefined> {
  const row = await db
    .selectFrom('factor_resets')
    .select('due_at')
    .where('user_id', '=', userId)
    .where('outcome', 'is', null)
    .executeTakeFirst()
  return row && { dueAt: row.due_at }
}

/** Starts the loop that applies resets after their 24 hours. */
export function startFactorResets(deps: FactorResetDeps): Loop {
  return startLoop('factor resets', POLL_MS, deps.log, async () => {
    while (await applyOneReset(deps));
  })
}

/** Returns whether there may be more to apply. */
async function applyOneReset(deps: FactorResetDeps): Promise<boolean> {
  return inTransaction(deps.db, async (tx) => {
    const { rows: due } = await sql<{ id: bigint; user_id: bigint }>`
      select id, user_id from factor_resets where outcome is null and due_at <= (select clock_timestamp())
      order by due_at limit 1`.execute(tx)
    if (!due[0]) return false
    const { id, user_id: userId } = due[0]
    await lockAccountById(tx, userId)
    // Check again under the lock: another node may have applied it, or the trader stopped it.
    const { rows: done } = await sql`
      update factor_resets set outcome = 'Done', ended_at = clock_timestamp()
      where id = ${id} and outcome is null and due_at <= clock_timestamp() returning 1`.execute(tx)
    if (done.length === 0) return true
    await dropFactors(tx, userId)
    await endTokens(tx, userId, ['stop_factor_reset'])
    await deps.recordReset(tx, { userId, id, action: 'done' })
    await deps.notices.write(tx, {
      userId,
      kind: 'security',
      title: 'Your second factor was removed',
      text: 'Signing in needs only your password now. Set up a new second factor as soon as you can.',
      path: '/user/security',
    })
    return true
  })
}

async function stop(deps: FactorResetDeps, tx: Tx, userId: bigint): Promise<void> {
  const { rows } = await sql<{ id: bigint }>`
    update factor_resets set outcome = 'Stopped', ended_at = clock_timestamp()
    where user_id = ${userId} and outcome is null returning id`.execute(tx)
  if (!rows[0]) throw new Problem('wrong_state', 'There is no second factor reset to stop.')
  await endTokens(tx, userId, ['stop_factor_reset'])
  await deps.recordReset(tx, { userId, id: rows[0].id, action: 'stop' })
  await deps.notices.write(tx, {
    userId,
    kind: 'security',
    title: 'The removal of your second factor was stopped',
    text: 'Your second factor stays as it is.',
    path: '/user/security',
  })
}

async function requireFactor(tx: Tx, userId: bigint): Promise<void> {
  if ((await secondFactorOf(tx, userId)).on) return
  throw new Problem('wrong_state', 'This trader has no second factor.')
}

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
