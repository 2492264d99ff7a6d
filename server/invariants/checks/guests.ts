import { accountOfSql, type Check } from '../../ledger/index.ts'

/** Invariants of guests: accounts of the demo without an e-mail address. */
export const guestChecks: readonly Check[] = [
  {
    name: 'G1',
    says: 'a guest has moved no real money, and has no request, identity, plan, complaint or second factor',
    sql: `select u.id, x.what from users u cross join lateral (
            select 'movement' as what where exists (select from accounts a where a.id = ${accountOfSql('u.id', 'real')} and a.seq > 0)
            union all select 'deposit' where exists (select from deposits d where d.user_id = u.id)
            union all select 'deposit request' where exists (select from deposit_requests r where r.user_id = u.id)
            union all select 'withdrawal' where exists (select from withdrawals w where w.user_id = u.id)
            union all select 'identity check' where exists (select from identity_checks k where k.user_id = u.id)
            union all select 'plan request' where exists (select from plan_requests p where p.user_id = u.id)
            union all select 'complaint' where exists (select from complaints c where c.user_id = u.id)
            union all select 'authenticator' where exists (select from totp_factors t where t.user_id = u.id)
            union all select 'passkey' where exists (select from passkeys p where p.user_id = u.id)
          ) x where u.guest_until is not null`,
  },
  {
    name: 'G2',
    says: "a guest's account closes in time, with its sessions",
    sql: `select u.id, u.guest_until from users u
          where u.guest_until < clock_timestamp() - interval '1 day' and u.ended_at is null
          union all
          select u.id, s.expires_at from users u join sessions s on s.user_id = u.id
          where u.guest_until is not null and s.ended_at is null and s.expires_at > u.guest_until + interval '1 minute'`,
  },
]
