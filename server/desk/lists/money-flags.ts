import { dollars, usd } from '#kernel/money.ts'
import { accountOfSql } from '../../ledger/index.ts'
import { sql } from '../../platform/database/db.ts'
import { isoOf } from './read.ts'

// Hints for operators: nothing is rejected because of them.

/** Selects the first upload by another user of what the deposit `item` has in this column. */
const firstOther = (column: 'receipt_hash' | 'picture_hash') => {
  const hash = sql.ref(`item.${column}`)
  return sql`(
    select e.id, e.user_id from deposits e where ${sql.ref(`e.${column}`)} = ${hash} and e.user_id <> item.user_id
    order by e.id limit 1
  )`
}

/**
 * Selects whether the payment proof of the deposit `item`, or the same image with different bytes, was uploaded before by its
 * owner, and the first other user who uploaded it. Reads few rows, however many users share one.
 */
export const paymentProofColumns = sql`
  exists (
    select from deposits e where e.user_id = item.user_id and e.id < item.id
      and (e.receipt_hash = item.receipt_hash or e.picture_hash = item.picture_hash)
  ) as own_proof,
  (
    select o.email from (${firstOther('receipt_hash')} union all ${firstOther('picture_hash')}) e
    join users o on o.id = e.user_id order by e.id limit 1
  ) as proof_of`

export interface PaymentProofColumns {
  own_proof: boolean
  proof_of: string | null
}

/** Returns warnings about a deposit as text. */
export const paymentProofFlags = ({ own_proof, proof_of }: PaymentProofColumns): string[] => [
  ...(own_proof ? ['The same receipt was submitted before'] : []),
  ...(proof_of === null ? [] : [`${proof_of} submitted the same receipt: possible second account`]),
]

/**
 * Selects the payout method of the withdrawal `item`, the owner's deposit methods, the first other user who withdrew to
 * the same wallet or bank account, and the owner's debt in cents.
 */
export const payoutRouteColumns = sql`
  coalesce(item.coin::text, 'bank') as goes_to,
  (select json_agg(distinct coalesce(d.coin::text, 'card')) from deposits d where d.user_id = item.user_id and d.status = 'Approved') as came_by,
  (select o.email from withdrawals w join users o on o.id = w.user_id
    where lower(w.wallet) = lower(item.wallet) and w.user_id <> item.user_id order by w.id limit 1) as wallet_of,
  (select o.email from withdrawals w join users o on o.id = w.user_id
    where w.bank_fingerprint = item.bank_fingerprint and w.user_id <> item.user_id order by w.id limit 1) as bank_of,
  ${pauseColumn('item.user_id')},
  (select (-a.owed)::text from accounts a where a.id = ${sql.raw(accountOfSql('item.user_id', 'real'))}) as debt`

/** Selects the pause of a user's withdrawals that is in force and lasts longest. */
export function pauseColumn(userId: 'item.user_id' | 'u.id') {
  return sql`(
    select json_build_object('cause', p.cause, 'until', p.until) from withdrawal_pauses p
    where p.user_id = ${sql.ref(userId)} and p.ended_at is null and coalesce(p.until, 'infinity') > clock_timestamp()
    order by p.until desc nulls first limit 1
  ) as pause`
}

export interface PauseColumn {
  pause: { cause: 'email_changed' | 'disowned'; until: string | null } | null
}

/** Returns why a trader's withdrawals are paused, as text. */
export const pauseFlags = ({ pause }: PauseColumn): string[] => {
  if (!pause) return []
  return pause.until === null
    ? [
        'Withdrawals frozen: the trader reported that someone else used the account. A sign-in with a new password ends it',
      ]
    : [`Withdrawals paused until ${isoOf(pause.until).slice(0, 16).replace('T', ' ')} UTC: new e-mail address`]
}

export interface PayoutRouteColumns extends PauseColumn {
  goes_to: string
  came_by: string[] | null
  wallet_of: string | null
  bank_of: string | null
  debt: string
}

/**
 * Returns warnings about a withdrawal: a method other than the deposits', another user's wallet or bank account, a
 * debt, a pause.
 */
export const payoutRouteFlags = ({
  goes_to,
  came_by,
  wallet_of,
  bank_of,
  debt,
  pause,
}: PayoutRouteColumns): string[] => [
  ...pauseFlags({ pause }),
  ...(came_by !== null && !came_by.includes(goes_to)
    ? [`Withdrawal to ${goes_to}, but deposits came by ${came_by.join(', ')}`]
    : []),
  ...(wallet_of === null ? [] : [`${wallet_of} used the same wallet: possible second account`]),
  ...(bank_of === null ? [] : [`${bank_of} used the same bank account: possible second account`]),
  ...(BigInt(debt) > 0n ? [`Owes ${dollars(usd(BigInt(debt)))} after a reversed deposit`] : []),
]
