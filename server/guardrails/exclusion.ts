import type { RawBuilder, Selectable } from 'kysely'
import { Problem } from '#contract/problem.ts'
import { first, must } from '#kernel/must.ts'
import { DAY_MS } from '#kernel/time.ts'
import { accountOf } from '../ledger/index.ts'
import type { News } from '../notices/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import type { GuardrailsDeps, Person, PersonKeys } from './deps.ts'
import { lockGuards } from './guards.ts'
import { pushChanged } from './limits.ts'
import { keysOf } from './person.ts'
import { blockedProblem } from './refusals.ts'

export type ExclusionRow = Selectable<DB['exclusions']>

/** How long: days of a time-out, or months of an exclusion; null is permanent. */
type Length = { kind: 'time_out'; days: number } | { kind: 'exclusion'; months: number | null }

/** The operator who records it because the trader asked for it elsewhere. */
interface ByDesk {
  operatorId: bigint
  reason: string
}

/** Starts a time-out or an exclusion. Returns the users it applies to: the trader, and other accounts of the same person. */
export const exclude = (deps: GuardrailsDeps, userId: bigint, length: Length): Promise<bigint[]> =>
  inTransaction(deps.db, (tx) => excludeIn(deps, tx, userId, length))

/**
 * The same in the caller's transaction. One that already lasts as long makes this do nothing, so that asking twice
 * changes nothing.
 */
export async function excludeIn(
  deps: GuardrailsDeps,
  tx: Tx,
  userId: bigint,
  length: Length,
  by?: ByDesk,
): Promise<bigint[]> {
  const person = await deps.lockPerson(tx, userId)
  if (!person) throw new Problem('unauthenticated', 'Please sign in.')
  await lockPersonKeys(tx, person)
  await lockGuards(tx, userId)
  if (await lastsAsLong(tx, userId, length)) return [userId]
  const { emailKey, nameKey, dateOfBirth } = keysOf(person)
  const endsAt =
    length.kind === 'time_out'
      ? sql<Date>`transaction_timestamp() + make_interval(days => ${length.days})`
      : length.months === null
        ? null
        : sql<Date>`transaction_timestamp() + make_interval(months => ${length.months})`
  const { id } = await tx
    .insertInto('exclusions')
    .values({
      user_id: userId,
      kind: length.kind,
      ends_at: endsAt,
      operator_id: by?.operatorId ?? null,
      reason: by?.reason ?? null,
      email_key: emailKey,
      name_key: nameKey,
      date_of_birth: dateOfBirth,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await apply(deps, tx, userId, id)
  return length.kind === 'time_out' ? [userId] : [userId, ...(await carryOneOver(deps, tx, userId, person, id))]
}

/**
 * Carries a user's exclusions over to other accounts of the same person, once an operator has approved their identity:
 * before, their name and date of birth could be anyone's.
 */
export async function excludeOtherAccounts(deps: GuardrailsDeps, tx: Tx, userId: bigint): Promise<void> {
  const person = await deps.lockPerson(tx, userId)
  if (!person) return
  await lockPersonKeys(tx, person)
  const { rows } = await sql<{ id: bigint }>`
    select e.id from exclusions e
    where e.user_id = ${userId} and e.kind = 'exclusion' and e.carried_from is null and exclusion_until(e) > clock_timestamp()
    order by e.id`.execute(tx)
  for (const { id } of rows) await carryOneOver(deps, tx, userId, person, id)
}

/** Carries one exclusion over to the open accounts of the same person. Returns their users. */
async function carryOneOver(
  deps: GuardrailsDeps,
  tx: Tx,
  userId: bigint,
  person: Person,
  id: bigint,
): Promise<bigint[]> {
  const others = await sameAs(deps, tx, person, userId)
  for (const other of others) await carryOverTo(deps, tx, other.userId, keysOf(other), id)
  return others.map((other) => other.userId)
}

/** Carries the exclusions of the same person over to a user who has just registered, or whose identity has changed. */
export async function carryOver(deps: GuardrailsDeps, tx: Tx, userId: bigint): Promise<void> {
  const person = await deps.lockPerson(tx, userId)
  if (!person) return
  await lockPersonKeys(tx, person)
  const keys = keysOf(person)
  // An exclusion also binds the addresses that the excluded trader had before it, or has had since.
  const owners = await deps.usersOfMailboxes(tx, person.mailboxes)
  const byMailbox = sql`(e.email_key = any(${person.mailboxes}::text[]) or e.user_id = any(${owners}::bigint[]))`
  const { rows } = await sql<{ id: bigint; user_id: bigint; by_mailbox: boolean; by_name: boolean }>`
    select * from (
      select e.id, e.user_id, ${byMailbox} as by_mailbox,
        coalesce(e.date_of_birth = ${keys.dateOfBirth}::date and compare_names(e.name_key, ${keys.nameKey}) = 'same', false) as by_name
      from exclusions e
      where e.kind = 'exclusion' and e.carried_from is null and e.user_id <> ${userId}
        and (${byMailbox} or e.date_of_birth = ${keys.dateOfBirth}::date)
        and exclusion_until(e) > clock_timestamp() and ${notCarriedTo(sql`${userId}`)}
    ) found where by_mailbox or by_name order by id`.execute(tx)
  for (const row of rows) {
    const shown = await shownBy(deps, tx, row.user_id)
    if ((row.by_mailbox && shown.mailbox) || (row.by_name && shown.identity))
      await carryOverTo(deps, tx, userId, keys, row.id)
  }
}

/** The exclusion `e` wasn't carried to a user, and no other of its owner was lifted from there as a wrong match. */
const notCarriedTo = (userId: RawBuilder<unknown>) => sql`
  not exists (
    select from exclusions c join exclusions f on f.id = c.carried_from
    where c.user_id = ${userId} and (f.id = e.id or f.user_id = e.user_id and c.lifted_at is not null)
  )`

/**
 * Until the transaction ends, no other account of this person registers, changes or is excluded: each sees what those
 * before it wrote. The caller has locked the user's row, and locks accounts later.
 */
async function lockPersonKeys(tx: Tx, person: Person): Promise<void> {
  const { mailboxes, dateOfBirth } = person
  // Everyone takes the birth date first, then the mailboxes in order.
  const keys = [
    ...(dateOfBirth === null ? [] : [`born ${dateOfBirth}`]),
    ...mailboxes.toSorted().map((key) => `mailbox ${key}`),
  ]
  for (const key of keys) await sql`select pg_advisory_xact_lock(hashtextextended(${`person ${key}`}, 0))`.execute(tx)
}

/**
 * What a user has shown to be theirs. What someone typed proves nothing: with a name and a date of birth, anyone could
 * exclude someone else permanently.
 */
async function shownBy(deps: GuardrailsDeps, tx: Tx, userId: bigint): Promise<{ mailbox: boolean; identity: boolean }> {
  return {
    mailbox: await deps.hasConfirmedEmail(tx, userId),
    identity: await deps.isIdentityApproved(tx, userId),
  }
}

async function carryOverTo(
  deps: GuardrailsDeps,
  tx: Tx,
  userId: bigint,
  { emailKey, nameKey, dateOfBirth }: ReturnType<typeof keysOf>,
  from: bigint,
): Promise<void> {
  await lockGuards(tx, userId)
  const { rows } = await sql<{ id: bigint }>`
    insert into exclusions (user_id, kind, ends_at, carried_from, email_key, name_key, date_of_birth)
    select ${userId}, e.kind, e.ends_at, e.id, ${emailKey}, ${nameKey}, ${dateOfBirth}::date from exclusions e where e.id = ${from} and ${notCarriedTo(sql`${userId}`)}
    on conflict do nothing returning id`.execute(tx)
  if (rows[0]) await apply(deps, tx, userId, rows[0].id)
}

/** Brings the row of `guards`, by which acceptance decides, in line with the user's exclusions: a trigger fills it in. */
const followExclusions = (tx: Tx, userId: bigint) =>
  tx.updateTable('guards').set({ blocked_until: null }).where('account_id', '=', accountOf(userId, 'real')).execute()

/** Makes an exclusion that was just written take effect. */
async function apply(deps: GuardrailsDeps, tx: Tx, userId: bigint, id: bigint): Promise<void> {
  await followExclusions(tx, userId)
  const row = await tx.selectFrom('exclusions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const isUnproven = row.carried_from !== null && !(await deps.isIdentityApproved(tx, userId))
  await deps.stopAutomatic(
    tx,
    userId,
    row.kind === 'time_out' ? 'Stopped by your time-out.' : 'Stopped by your self-exclusion.',
  )
  if (row.kind === 'exclusion') await deps.endSessionsAndRequests(tx, userId)
  await deps.notices.write(tx, isUnproven ? matchNews(row) : newsOf(row))
  pushChanged(deps, tx, userId)
}

/** Whether a time-out or exclusion in force lasts at least as long, give or take a minute. */
async function lastsAsLong(tx: Tx, userId: bigint, length: Length): Promise<boolean> {
  const inForce = await blockOf(tx, userId)
  if (!inForce) return false
  if (length.kind === 'time_out')
    return (endOf(inForce) ?? Number.POSITIVE_INFINITY) >= Date.now() + length.days * DAY_MS - 60_000
  if (inForce.kind !== 'exclusion') return false
  if (inForce.ends_at === null) return true
  if (length.months === null) return false
  const { rows } = await sql<{ long: boolean }>`
    select ends_at >= clock_timestamp() + make_interval(months => ${length.months}) - interval '1 minute' as long
    from exclusions where id = ${inForce.id}`.execute(tx)
  return first(rows).long
}

const endOf = (row: ExclusionRow): number | undefined =>
  (row.kind === 'time_out' ? row.ends_at : row.return_at)?.getTime()

/** Returns the time-out or exclusion that lasts longest of those in force; undefined if there is none. */
export async function blockOf(db: Db | Tx, userId: bigint): Promise<ExclusionRow | undefined> {
  const { rows } = await sql<ExclusionRow>`
    select * from exclusions e
    where e.user_id = ${userId} and exclusion_until(e) > clock_timestamp()
    order by e.kind desc, e.return_at desc nulls first, e.ends_at desc nulls first limit 1`.execute(db)
  return rows[0]
}

/** Throws while a time-out or exclusion is in force. The caller has locked the user's row. */
export async function requireNoBlock(db: Db | Tx, userId: bigint): Promise<void> {
  if (await blockOf(db, userId)) throw blockedProblem()
}

/**
 * Asks to come back once every exclusion of the trader is over; 24 hours later they can trade again. Throws
 * `wrong_state` earlier.
 */
export async function requestReturn(deps: GuardrailsDeps, userId: bigint): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await deps.lockPerson(tx, userId)
    await lockGuards(tx, userId)
    const block = await blockOf(tx, userId)
    if (block?.kind === 'exclusion' && block.return_at !== null) return
    const { rows } = await sql<{ over: boolean }>`
      select bool_and(coalesce(ends_at <= clock_timestamp(), false)) as over from exclusions
      where user_id = ${userId} and kind = 'exclusion' and return_at is null and lifted_at is null`.execute(tx)
    if (!rows[0]?.over)
      throw new Problem('wrong_state', "You can ask to return once your self-exclusion is over. It can't be shortened.")
    await sql`
      update exclusions set return_at = clock_timestamp() + interval '24 hours'
      where user_id = ${userId} and kind = 'exclusion' and return_at is null and lifted_at is null`.execute(tx)
    await followExclusions(tx, userId)
    await deps.notices.write(tx, {
      userId,
      kind: 'account',
      title: 'You asked to trade again',
      text: 'Your self-exclusion ends in 24 hours. If you change your mind, start a new one in Limits.',
      path: '/user/limits',
    })
    pushChanged(deps, tx, userId)
  })
}

/** Returns other open accounts of the same person, as far as the person has shown who they are. */
async function sameAs(deps: GuardrailsDeps, tx: Tx, person: Person, userId: bigint) {
  const keys = keysOf(person)
  const shown = await shownBy(deps, tx, userId)
  if (!shown.mailbox && !shown.identity) return []
  const similar = (await deps.similarAccounts(tx, person)).filter((other) => other.userId !== userId)
  const namesakes = await sameNames(tx, keys, similar)
  return similar.filter(
    (other) =>
      (shown.identity && namesakes.has(other.userId)) ||
      (shown.mailbox && other.mailboxes.some((key) => person.mailboxes.includes(key))),
  )
}

/** Returns those who were born on the same day and have the same name, in whatever order, script and parts. */
async function sameNames(
  tx: Tx,
  { nameKey, dateOfBirth }: PersonKeys,
  others: readonly (Person & { userId: bigint })[],
): Promise<Set<bigint>> {
  const born = others.filter((other) => dateOfBirth !== null && other.dateOfBirth === dateOfBirth)
  const { rows } = await sql<{ n: number }>`
    select n::int from unnest(${born.map((other) => keysOf(other).nameKey)}::text[]) with ordinality as other(name, n)
    where compare_names(other.name, ${nameKey}) = 'same'`.execute(tx)
  return new Set(rows.map(({ n }) => must(born[n - 1]).userId))
}

/**
 * Lifts a carried exclusion from an account that isn't the excluded person's. The database requires a proposal that was
 * approved in this transaction. Throws `wrong_state`.
 */
export async function liftMatch(deps: GuardrailsDeps, tx: Tx, userId: bigint, exclusionId: bigint): Promise<void> {
  await lockGuards(tx, userId)
  await requireMatch(tx, userId, exclusionId)
  await sql`update exclusions set lifted_at = clock_timestamp(), lifted_by = 0 where id = ${exclusionId}`.execute(tx)
  await followExclusions(tx, userId)
  await deps.notices.write(tx, {
    userId,
    kind: 'account',
    title: 'Your account is no longer on hold',
    text: 'You can deposit and trade with real money again.',
    path: '/user/limits',
  })
  pushChanged(deps, tx, userId)
}

/**
 * Records that an account on hold is the excluded person's: it stays on hold, and nobody decides it again but to lift it.
 * Throws `wrong_state`.
 */
export async function keepMatch(
  deps: GuardrailsDeps,
  tx: Tx,
  userId: bigint,
  decision: { exclusionId: bigint; operatorId: bigint; reason: string },
): Promise<void> {
  await lockGuards(tx, userId)
  await requireMatch(tx, userId, decision.exclusionId)
  const { numInsertedOrUpdatedRows: kept } = await tx
    .insertInto('kept_matches')
    .values({ exclusion_id: decision.exclusionId, operator_id: decision.operatorId, reason: decision.reason })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (kept !== 1n) throw new Problem('wrong_state', 'This match has already been decided.')
  await deps.notices.write(tx, {
    userId,
    kind: 'account',
    title: 'Your account stays on hold',
    text: 'Our compliance team has checked it: it belongs to a self-excluded person. You can still withdraw. Contact support if this is wrong.',
    path: '/user/limits',
  })
}

/** Throws `wrong_state` unless this exclusion in force was carried to the user from another account. */
export async function requireMatch(tx: Tx, userId: bigint, exclusionId: bigint): Promise<void> {
  const { rows } = await sql`
    select from exclusions e where e.id = ${exclusionId} and e.user_id = ${userId} and e.carried_from is not null
      and e.lifted_at is null and exclusion_until(e) > clock_timestamp()`.execute(tx)
  if (rows.length === 0)
    throw new Problem('wrong_state', 'This account has no exclusion in force from another account with this number.')
}

/** Returns the users with a self-exclusion of their own that is in force, in order, after one of them. */
export async function excludedUsers(db: Db, after: bigint, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ user_id: bigint }>`
    select distinct e.user_id from exclusions e
    where e.kind = 'exclusion' and e.carried_from is null and e.user_id > ${after} and exclusion_until(e) > clock_timestamp()
    order by e.user_id limit ${limit}`.execute(db)
  return rows.map(({ user_id }) => user_id)
}

const dayText = (date: Date): string =>
  date.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })

/** For an account whose identity isn't approved yet: compliance decides whether it's the excluded person's. */
const matchNews = (row: ExclusionRow): News => ({
  userId: row.user_id,
  kind: 'account',
  title: 'Your account is on hold',
  text: "Its details match those of a self-excluded account. Until our compliance team has checked it, you can't deposit, buy a plan or place trades with real money. Contact support if this isn't you.",
  path: '/user/limits',
})

function newsOf(row: ExclusionRow): News {
  const about = { userId: row.user_id, kind: 'account', path: '/user/limits' } as const
  const meanwhile =
    "Until then you can't deposit, buy a plan or place trades with real money. Open trades settle, and you can withdraw."
  if (row.kind === 'time_out')
    return {
      ...about,
      title: 'Your time-out has started',
      text: `It lasts until ${dayText(must(row.ends_at))}, ${must(row.ends_at).toISOString().slice(11, 16)} UTC. ${meanwhile}`,
    }
  const until =
    row.ends_at === null
      ? 'It is permanent.'
      : `It lasts until at least ${dayText(row.ends_at)}. Ask to return after that to end it.`
  return {
    ...about,
    title:
      row.carried_from === null ? 'Your self-exclusion has started' : 'Your self-exclusion applies to this account too',
    text: `${until} We signed you out on all devices, and we can't shorten it. ${meanwhile}`,
  }
}
