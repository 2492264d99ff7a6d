import { accountOfSql, type Check } from '../../ledger/index.ts'

/** Invariants E1 to E6: addresses and ends of accounts, what ends with them, periods of retention, and withdrawals against what their owner has set. */
export const accountChecks: readonly Check[] = [
  {
    name: 'E1',
    says: 'the address of an account is that of its last change, which both addresses confirmed and a pause followed',
    sql: `select c.user_id, c.id as change from email_changes c join users u on u.id = c.user_id
          where c.outcome = 'Done' and (
            not exists (
              select from withdrawal_pauses p where p.user_id = c.user_id and p.cause = 'email_changed'
                and p.started_at between c.ended_at and c.ended_at + interval '1 minute'
            )
            or num_nulls(c.old_confirmed_at, c.new_confirmed_at) > 0
            or u.email <> c.new_email and not exists (
              select from email_changes n where n.user_id = c.user_id and n.outcome = 'Done' and n.id > c.id
            )
          )`,
  },
  {
    name: 'E2',
    says: 'no withdrawal was requested, approved or paid while its owner had paused withdrawals',
    sql: `select w.id, p.id as pause from withdrawal_pauses p join withdrawals w on w.user_id = p.user_id
          cross join lateral (values (w.created_at), (w.processing_at), (case when w.status = 'Paid' then w.ended_at end)) step(at)
          where step.at > p.started_at and step.at < least(p.until, p.ended_at, 'infinity')`,
  },
  {
    name: 'E3',
    says: 'who withdraws to their address book only was paid to entries that were at least 24 hours old',
    sql: `select w.id from payout_guards g join withdrawals w on w.user_id = g.user_id
          where w.created_at > g.on_since and w.created_at < coalesce(g.off_at, 'infinity') and not exists (
            select from payout_addresses a where a.id = w.address_id and a.user_id = w.user_id and a.usable_at <= w.created_at
          )`,
  },
  {
    name: 'E4',
    says: 'a confirmed account ended by its request and 14 days later, and each due request was carried out within a day',
    sql: `select u.id from users u where u.ended_at is not null and u.email_confirmed_at is not null and not exists (
            select from account_closures c where c.user_id = u.id and c.closed_at >= c.due_at
              and c.due_at >= c.requested_at + interval '14 days'
          )
          union all
          select c.user_id from account_closures c
          where c.kept_at is null and c.closed_at is null and c.due_at < clock_timestamp() - interval '1 day'`,
  },
  {
    name: 'E5',
    says: 'nothing is kept longer than its period and a day: documents, conversations, sign-ins',
    sql: `select r.kind, found.id from retention_rules r cross join lateral (
            select i.id, i.superseded_at as at from identity_checks i
            where r.kind = 'documents' and i.superseded_at is not null and i.file is not null
            union all
            select s.id, coalesce(s.ended_at, s.expires_at) from sessions s where r.kind = 'sign_ins'
            union all
            select c.id, greatest(c.created_at, (select max(m.at) from chat_messages m where m.chat_id = c.id)) from chats c
            where r.kind = 'conversations'
            union all
            select c.id, greatest(c.created_at, (select max(m.at) from contact_replies m where m.message_id = c.id)) from contact_messages c
            where r.kind = 'conversations'
          ) found where found.at < clock_timestamp() - make_interval(days => r.days + 1)`,
  },
  {
    name: 'E6',
    says: 'nothing that a trader had set up continues after their account was closed: open trades (those of guests end by themselves), alerts, orders that wait or were triggered, automatic trades, strategies, push messages',
    sql: `select u.id, found.what from users u cross join lateral (
            select 'alert' as what from alerts a where a.user_id = u.id
            union all
            select 'open trade' from accounts c
            where c.id in (${accountOfSql('u.id', 'real')}, ${accountOfSql('u.id', 'demo')}) and c.escrow > 0 and u.guest_until is null
            union all
            select 'order' from waiting_orders o
            where o.account_id in (${accountOfSql('u.id', 'real')}, ${accountOfSql('u.id', 'demo')}) and o.ended_at is null
            union all
            select 'automatic trades' from automations m
            where m.account_id in (${accountOfSql('u.id', 'real')}, ${accountOfSql('u.id', 'demo')}) and m.state = 'Running'
            union all
            select 'strategy' from own_strategies s where s.user_id = u.id and s.archived_at is null
            union all
            select 'push messages' from push_subscriptions p where p.user_id = u.id
          ) found where u.ended_at is not null and (u.email_confirmed_at is not null or u.guest_until is not null)`,
  },
]
