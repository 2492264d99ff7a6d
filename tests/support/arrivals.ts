import { type Db, sql, type Tx } from '#server/platform/database/db.ts'

/**
 * Writes what arrived for a pending coin deposit, if nothing is entered yet, without a record of the audit log: coins
 * worth twenty times what was submitted, or at least this many cents.
 */
export async function arrive(db: Db | Tx, depositId: bigint, cents = 0): Promise<void> {
  await sql`
    insert into deposit_arrivals (deposit_id, user_id, coin, transaction_id, coins, arrived_at, rate, amount, operator_id)
    select id, user_id, coin, case coin when 'ETH' then '0x' else '' end || encode(sha256(id::text::bytea), 'hex'), coins,
      coalesce(requested_at, created_at), rate, round(coins * rate * 100), (select max(id) from operators)
    from deposits, lateral (select ceil(greatest(submitted * 20, ${cents}) * 1000000 / rate) / 100000000 as coins) arrived
    where id = ${depositId} and status = 'Pending' and method = 'crypto'
      and not exists (select from deposit_arrivals where deposit_id = ${depositId})
    on conflict do nothing`.execute(db)
}
