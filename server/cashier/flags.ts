import { usd, usdToText } from '#kernel/money.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'

// Hints for people: nothing is refused because of them.

/** What of deposits deserves a second look, in words, by their number: a receipt that was seen before. */
export async function flagsOfDeposits(db: Db | Tx, ids: readonly bigint[]): Promise<Map<bigint, string[]>> {
  const { rows } = await sql<{ id: bigint; own: boolean | null; other: string | null }>`
    select d.id,
      exists (select from deposits e where e.receipt_hash = d.receipt_hash and e.user_id = d.user_id and e.id < d.id) as own,
      (select u.email from deposits e join users u on u.id = e.user_id
        where e.receipt_hash = d.receipt_hash and e.user_id <> d.user_id order by e.id limit 1) as other
    from deposits d where d.id = any (${[...ids]}::bigint[])`.execute(db)
  return new Map(
    rows.map(({ id, own, other }) => [
      id,
      [
        ...(own ? ['The same receipt was handed in before'] : []),
        ...(other === null ? [] : [`The same receipt was handed in by ${other}: looks like a second account`]),
      ],
    ]),
  )
}

/**
 * The same of withdrawals: another way out than the money came in by, a wallet or bank account that somebody else's
 * money went to, a debt.
 */
export async function flagsOfWithdrawals(db: Db | Tx, ids: readonly bigint[]): Promise<Map<bigint, string[]>> {
  const { rows } = await sql<{
    id: bigint
    goes_to: string
    came_by: string[] | null
    wallet_of: string | null
    bank_of: string | null
    owed: bigint
  }>`
    select w.id, coalesce(w.coin::text, 'bank') as goes_to,
      (select array_agg(distinct coalesce(d.coin::text, 'card')) from deposits d where d.user_id = w.user_id and d.status = 'Approved') as came_by,
      (select u.email from withdrawals o join users u on u.id = o.user_id
        where lower(o.wallet) = lower(w.wallet) and o.user_id <> w.user_id order by o.id limit 1) as wallet_of,
      (select u.email from withdrawals o join users u on u.id = o.user_id
        where o.bank_print = w.bank_print and o.user_id <> w.user_id order by o.id limit 1) as bank_of,
      -a.owed as owed
    from withdrawals w join accounts a on a.id = w.user_id * 2 where w.id = any (${[...ids]}::bigint[])`.execute(db)
  return new Map(
    rows.map(({ id, goes_to, came_by, wallet_of, bank_of, owed }) => [
      id,
      [
        ...(came_by !== null && !came_by.includes(goes_to)
          ? [`Paid out by ${goes_to}, but deposits came by ${came_by.join(', ')}`]
          : []),
        ...(wallet_of === null ? [] : [`The same wallet was named by ${wallet_of}: looks like a second account`]),
        ...(bank_of === null ? [] : [`The same bank account was named by ${bank_of}: looks like a second account`]),
        ...(owed > 0n ? [`Owes ${usdToText(usd(owed))} USD after a deposit that was taken back`] : []),
      ],
    ]),
  )
}
