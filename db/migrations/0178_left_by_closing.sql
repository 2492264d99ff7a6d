-- Up Migration
-- What a request under way at the moment of closing could leave behind, and orders that were triggered by then (E6).
update waiting_orders o set status = 'Refused', reason = 'This account is closed.', slot = null, ended_at = clock_timestamp()
  from users u
  where u.id = o.account_id / 2 and o.status = 'Triggered' and u.ended_at is not null
    and (u.email_confirmed_at is not null or u.guest_until is not null);
update automations m set state = 'Stopped', stop_reason = 'Stopped: the account is closed.' from users u
  where u.id = m.account_id / 2 and m.state = 'Running' and u.ended_at is not null
    and (u.email_confirmed_at is not null or u.guest_until is not null);
delete from push_subscriptions p using users u
  where u.id = p.user_id and u.ended_at is not null and (u.email_confirmed_at is not null or u.guest_until is not null);
