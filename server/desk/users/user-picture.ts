import type { DeskMovement, DeskUserPicture } from '#contract/desk/people/users.ts'
import type { Mode } from '#contract/trading/trading.ts'
import { must } from '#kernel/must.ts'
import { readGuardrails } from '../../guardrails/index.ts'
import { accountOf, accountOfSql } from '../../ledger/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { isOwn, notFound } from '../actions/items.ts'
import type { DeskDeps } from '../deps.ts'
import { type PersonColumns, personColumns, personFlags } from '../lists/flags.ts'
import { type PauseColumn, pauseColumn, pauseFlags } from '../lists/money-flags.ts'
import { dollars, inOrder, isAfter, isoOf, type List, type Page, readList, readLists, where } from '../lists/read.ts'
import { adjustments } from '../queues/money/adjustments.ts'
import { depositRows, deposits } from '../queues/money/deposits.ts'
import { planRequestRows, planRequests } from '../queues/money/plan-requests.ts'
import { withdrawalRows, withdrawals } from '../queues/money/withdrawals.ts'
import { factorResets } from '../queues/people/factor-resets.ts'
import { identityCheckRows, identityChecks } from '../queues/people/identity-checks.ts'
import { exclusionRows, toExclusion } from './exclusion.ts'
import { lockRows, toLockReason } from './locks.ts'
import { noteRows, toNote } from './notes.ts'
import { toDeskUser, userRows } from './users.ts'

/** Rows of each kind on a user's page. */
const SHOWN = 20

/**
 * Returns everything the desk knows about a user, the newest rows of each kind. Trades and movements have separate
 * lists. Throws `not_found`.
 */
export async function userPicture(
  deps: Pick<DeskDeps, 'db' | 'chat' | 'guardrails'>,
  who: WhoOperates,
  id: bigint,
): Promise<DeskUserPicture> {
  const filter = { user: String(id) }
  const newest = { after: undefined, limit: SHOWN }
  const found = await readLists(deps.db, {
    user: userRows({ id }, { ...newest, limit: 1 }),
    profile: profileRows(id),
    locks: lockRows(id),
    notes: noteRows(id, SHOWN),
    sessions: sessionRows(id),
    checks: identityCheckRows(filter, newest),
    deposits: depositRows(filter, newest, who),
    withdrawals: withdrawalRows(filter, newest, who),
    requests: planRequestRows(filter, newest),
    adjustments: adjustments.rows(filter, newest),
    resets: factorResets.rows(filter, newest),
    exclusions: exclusionRows(id),
  })
  const [user] = found.user
  const [profile] = found.profile
  if (!user || !profile) throw notFound()
  const owner = {
    email: user.email,
    name: user.name,
    twin: profile.twin,
    same_phone: profile.same_phone,
    excluded: profile.excluded,
  }
  return {
    ...toDeskUser(user),
    ...toProfile(profile),
    accounts: { real: toHoldings(profile.real), demo: toHoldings(profile.demo) },
    lock_reasons: found.locks.map(toLockReason),
    flags: [...pauseFlags(profile), ...personFlags(profile)],
    notes: found.notes.map(toNote),
    sessions: found.sessions.map(toSession),
    identity_checks: found.checks.map((row) => identityChecks.view({ ...row, ...owner }, who)),
    deposits: found.deposits.map((row) => deposits.view({ ...row, ...owner }, who)),
    withdrawals: found.withdrawals.map((row) => withdrawals.view({ ...row, ...owner }, who)),
    plan_requests: found.requests.map((row) => planRequests.view({ ...row, ...owner }, who)),
    adjustments: found.adjustments.map((row) => adjustments.view(row, who)),
    second_factor: { totp: profile.totp, passkeys: profile.passkeys, recovery_codes_left: profile.recovery_codes_left },
    factor_resets: found.resets.map((row) => factorResets.view(row, who)),
    guardrails: await readGuardrails(deps.guardrails, deps.db, id),
    exclusions: found.exclusions.map(toExclusion),
    own: isOwn(who, user.email),
  }
}

interface ProfileRow extends PersonColumns, PauseColumn {
  firstname: string
  lastname: string
  phone: string
  gender: string
  date_of_birth: string | null
  state: string
  city: string
  address: string
  referral_code: string
  referrer: string | null
  referrer_email: string | null
  totp: boolean
  passkeys: number
  recovery_codes_left: number
  real: HoldingsColumn
  demo: HoldingsColumn
}

interface HoldingsColumn {
  balance: number
  escrow: number
  hold: number
  owed: number
}

const holdings = (account: 'real' | 'demo') => {
  const column = (name: string) => sql.ref(`${account}.${name}`)
  return sql`json_build_object('balance', ${column('balance')}, 'escrow', ${column('escrow')}, 'hold', ${column('hold')}, 'owed', ${column('owed')}) as ${sql.ref(account)}`
}

const profileRows = (id: bigint): List<ProfileRow> => sql`
  select u.firstname, u.lastname, u.phone, u.gender, u.date_of_birth, u.state, u.city, u.address, u.referral_code,
    r.id::text as referrer, r.email as referrer_email, 
    exists (select from totp_factors f where f.user_id = u.id and f.confirmed_at is not null) as totp,
    (select count(*)::int from passkeys k where k.user_id = u.id) as passkeys,
    (select count(*)::int from recovery_codes c where c.user_id = u.id and c.used_at is null) as recovery_codes_left,
    ${personColumns}, ${pauseColumn('u.id')}, ${holdings('real')}, ${holdings('demo')}
  from users u left join users r on r.id = u.referred_by
    join accounts real on real.id = ${sql.raw(accountOfSql('u.id', 'real'))}
    join accounts demo on demo.id = ${sql.raw(accountOfSql('u.id', 'demo'))}
  where u.id = ${id}`

const toProfile = (row: ProfileRow) => ({
  firstname: row.firstname,
  lastname: row.lastname,
  phone: row.phone,
  gender: row.gender,
  date_of_birth: row.date_of_birth ?? '',
  state: row.state,
  city: row.city,
  address: row.address,
  referral_code: row.referral_code,
  referred_by: row.referrer === null ? null : { id: row.referrer, email: must(row.referrer_email) },
})

const toHoldings = ({ balance, escrow, hold, owed }: HoldingsColumn) => ({
  balance: dollars(balance),
  escrow: dollars(escrow),
  hold: dollars(hold),
  owed: dollars(owed),
})

interface SessionRow {
  id: string
  device: string
  address: string
  created_at: string
  last_seen_at: string
  ended_at: string | null
  end_reason: DeskUserPicture['sessions'][number]['end_reason']
}

const sessionRows = (userId: bigint): List<SessionRow> => sql`
  select id::text, device, address, created_at, last_seen_at, ended_at, end_reason from sessions
  where user_id = ${userId} order by sessions.id desc limit ${SHOWN}`

const toSession = (row: SessionRow) => ({
  ...row,
  created_at: isoOf(row.created_at),
  last_seen_at: isoOf(row.last_seen_at),
  ended_at: row.ended_at === null ? null : isoOf(row.ended_at),
})

interface MovementRow {
  id: string
  at: string
  cause: string
  cause_id: string
  debit: string
  credit: string
  amount: number
  change: number
  balance: number
}

const movementRows = (userId: bigint, mode: Mode, page: Page): List<MovementRow> => sql`
  select account_seq::text as id, at, cause, cause_id::text, debit, credit, amount,
    case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end as change, balance_after as balance
  from transfers
  where ${where(sql`account_id = ${accountOf(userId, mode)}`, isAfter('account_seq', page))}
  ${inOrder('account_seq', page)}`

const toMovement = (row: MovementRow): DeskMovement => ({
  ...row,
  at: isoOf(row.at),
  amount: dollars(row.amount),
  change: dollars(row.change),
  balance: dollars(row.balance),
})

/** Lists the movements of a user's real or demo account, newest first. */
export const movementsOf = async (db: Db, userId: bigint, mode: Mode, page: Page): Promise<DeskMovement[]> =>
  (await readList(db, movementRows(userId, mode, page))).map(toMovement)
