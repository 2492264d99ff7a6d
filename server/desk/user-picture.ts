import type { DeskMovement, DeskUserPicture } from '#contract/desk.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { accountOf, type Book } from '../ledger/index.ts'
import { type Db, sql } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { adjustments } from './adjustments.ts'
import { deposits } from './deposits.ts'
import type { DeskDeps } from './deps.ts'
import { flagsOfUsers } from './flags.ts'
import { identityChecks } from './identity-checks.ts'
import { isOwn, notFound, numberOf } from './items.ts'
import { lockReasons } from './locks.ts'
import { notesOf } from './notes.ts'
import { planRequests } from './plan-requests.ts'
import { trades } from './trades.ts'
import { users } from './users.ts'
import { withdrawals } from './withdrawals.ts'

/** Rows of each kind that the picture shows. */
const SHOWN = 20

/** Everything that the desk knows of a user, the newest of each kind. Throws `not_found`. */
export async function userPicture(deps: DeskDeps, who: WhoOperates, unchecked: string): Promise<DeskUserPicture> {
  const { db } = deps
  const id = numberOf(unchecked)
  const newest = { before: undefined, limit: SHOWN }
  const [user] = await users(db, { id }, { before: undefined, limit: 1 })
  if (!user) throw notFound()
  const profile = await profileOf(db, id)
  const filter = { user: user.id }
  return {
    ...user,
    ...profile,
    accounts: await accountsOf(db, id),
    lock_reasons: await lockReasons(db, id),
    flags: (await flagsOfUsers(db, [id])).get(id) ?? [],
    notes: await notesOf(db, id, SHOWN),
    sessions: await sessionsOf(db, id),
    identity_checks: await identityChecks(db, who, filter, newest),
    deposits: await deposits(deps, who, filter, newest),
    withdrawals: await withdrawals(deps, who, filter, newest),
    plan_requests: await planRequests(db, who, filter, newest),
    adjustments: await adjustments(db, who, filter, newest),
    trades: await trades(deps, who, filter, newest),
    ledger: { real: await movementsOf(db, id, 'real', newest), demo: await movementsOf(db, id, 'demo', newest) },
    own: isOwn(who, user.email),
  }
}

async function profileOf(db: Db, id: bigint) {
  const row = await db
    .selectFrom('users as u')
    .leftJoin('users as r', 'r.id', 'u.referred_by')
    .select([
      'u.firstname',
      'u.lastname',
      'u.phone',
      'u.gender',
      'u.date_of_birth',
      'u.state',
      'u.city',
      'u.address',
      'u.referral_code',
      'r.id as referrer',
      'r.email as referrer_email',
    ])
    .where('u.id', '=', id)
    .executeTakeFirstOrThrow()
  const { referrer, referrer_email: email, date_of_birth, ...profile } = row
  return {
    ...profile,
    date_of_birth: date_of_birth ?? '',
    referred_by: referrer === null ? null : { id: String(referrer), email: email! },
  }
}

async function accountsOf(db: Db, userId: bigint): Promise<DeskUserPicture['accounts']> {
  const rows = await db
    .selectFrom('accounts')
    .select(['book', 'balance', 'escrow', 'hold', 'owed'])
    .where('id', 'in', [accountOf(userId, 'real'), accountOf(userId, 'demo')])
    .execute()
  const of = (book: Book) => {
    const row = rows.find((one) => one.book === book)
    const dollars = (cents: bigint | undefined) => usdToNumber(usd(cents ?? 0n))
    return {
      balance: dollars(row?.balance),
      escrow: dollars(row?.escrow),
      hold: dollars(row?.hold),
      owed: dollars(row?.owed),
    }
  }
  return { real: of('real'), demo: of('demo') }
}

async function sessionsOf(db: Db, userId: bigint): Promise<DeskUserPicture['sessions']> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'device', 'address', 'created_at', 'last_seen_at', 'ended_at', 'end_reason'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute()
  return rows.map((row) => ({
    id: String(row.id),
    device: row.device,
    address: row.address,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    end_reason: row.end_reason,
  }))
}

/** The movements of one of a user's books, newest first. */
export async function movementsOf(
  db: Db,
  userId: bigint,
  book: Book,
  page: { before: bigint | undefined; limit: number },
): Promise<DeskMovement[]> {
  const { rows } = await sql<{
    account_seq: bigint
    at: Date
    cause: string
    cause_id: bigint
    debit: string
    credit: string
    amount: bigint
    change: bigint
    balance_after: bigint
  }>`
    select account_seq, at, cause, cause_id, debit, credit, amount, balance_after,
      case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end as change
    from transfers
    where account_id = ${accountOf(userId, book)} and (${page.before ?? null}::bigint is null or account_seq < ${page.before ?? null})
    order by account_seq desc limit ${page.limit}`.execute(db)
  return rows.map((row) => ({
    id: String(row.account_seq),
    at: row.at.toISOString(),
    cause: row.cause,
    cause_id: String(row.cause_id),
    debit: row.debit,
    credit: row.credit,
    amount: usdToNumber(usd(row.amount)),
    change: usdToNumber(usd(row.change)),
    balance: usdToNumber(usd(row.balance_after)),
  }))
}
