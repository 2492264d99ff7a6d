-- Up Migration
-- What accounts closed before this version had set up still acts: it ends with the account from now on (E6).
delete from alerts a using users u
  where u.id = a.user_id and u.ended_at is not null and (u.email_confirmed_at is not null or u.guest_until is not null);
delete from waiting_orders o using users u
  where u.id = o.account_id / 2 and o.status = 'Waiting' and u.ended_at is not null
    and (u.email_confirmed_at is not null or u.guest_until is not null);
update automations m set state = 'Stopped', stop_reason = 'Stopped: the account is closed.' from users u
  where u.id = m.account_id / 2 and m.state = 'Running' and u.ended_at is not null
    and (u.email_confirmed_at is not null or u.guest_until is not null);
delete from push_subscriptions p using users u
  where u.id = p.user_id and u.ended_at is not null and (u.email_confirmed_at is not null or u.guest_until is not null);
