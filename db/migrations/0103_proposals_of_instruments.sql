-- Up Migration
-- Changes of instruments and switches of exchanges become proposals. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0103_proposals_of_instruments', '0102_proposals');

insert into proposals (kind, id, subject, payload, reason, status, proposed_by, proposed_at, decided_by, decided_at, decision_reason)
overriding system value
select 'instrument-changes', id, symbol, jsonb_build_object('kind', kind, 'set', case kind
    when 'withdraw' then '{}'
    when 'close' then jsonb_build_object('closed_reason', closed_reason)
    when 'reopen' then jsonb_build_object('closed_reason', null)
    else jsonb_build_object('min_sources', min_sources, 'largest_spread_bps', largest_spread_bps,
        'largest_deviation_bps', largest_deviation_bps, 'stale_after_ms', stale_after_ms, 'venues', venues)
      -- Earlier versions knew neither of these terms: what was approved doesn't set them.
      || jsonb_strip_nulls(jsonb_build_object(
        'base', base, 'quote', quote, 'trading_type', trading_type, 'scale', scale,
        'depth_usd', coalesce(depth_usd, case when kind = 'add' and status = 'Pending' then 1000 end),
        'demo_only', coalesce(demo_only, case when kind = 'add' and status = 'Pending' then false end)))
  end), reason, status::text::proposal_status, proposed_by, proposed_at, decided_by, decided_at, decision_reason
from instrument_changes;

-- An instrument changes as a proposal says that another operator approved in the same transaction, and in nothing else.
-- Only migrations, which run as the owner, change instruments without one.
create or replace function instruments_change_by_two_people() returns trigger language plpgsql as $$
declare
  pair constant text[] = '{base,quote,trading_type,scale}';
  terms constant text[] = '{min_sources,depth_usd,largest_spread_bps,largest_deviation_bps,stale_after_ms,venues,demo_only}';
begin
  if current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    return coalesce(new, old);
  end if;
  if not exists (
    select from approved_now('instrument-changes', coalesce(new.symbol, old.symbol)) p,
      lateral (select p.payload ->> 'kind' as kind, p.payload -> 'set' as set) c
    where case
      when tg_op = 'INSERT' then
        c.kind = 'add' and c.set ?& (pair || terms) and to_jsonb(new) || c.set = to_jsonb(new) and new.closed_reason is null
      when tg_op = 'DELETE' then c.kind = 'withdraw'
      else to_jsonb(old) || c.set = to_jsonb(new) and (
        c.kind = 'change' and c.set - terms = '{}'
        or c.set - 'closed_reason' = '{}' and c.kind = case when new.closed_reason is null then 'reopen' else 'close' end
      )
    end
  ) then
    raise exception 'this change of the instrument % was not approved by two operators', coalesce(new.symbol, old.symbol)
      using errcode = 'integrity_constraint_violation';
  end if;
  -- The tape refers to it by foreign keys. Trades, signals and followers have none, because they are written so often.
  if tg_op = 'DELETE' and (
    exists (select from trades where symbol_id = old.id)
    or exists (select from signals where symbol_id = old.id)
    or exists (select from automations where old.id = any (symbol_ids))
  ) then
    raise exception 'the instrument % is in use', old.symbol using errcode = 'foreign_key_violation';
  end if;
  return coalesce(new, old);
end
$$;
drop table instrument_changes;
drop type instrument_change_kind;

drop trigger venue_switches_decided_once on venue_switches;
drop trigger venue_switches_two_people on venue_switches;
drop trigger venue_switches_are_kept on venue_switches;
-- Before there was a queue, the record of an approval was that of a switch by the second operator.
update venue_switches s
set status = 'Done', proposed_by = decided_by, proposed_at = decided_at, decided_by = null, decided_at = null, symbols_lost = null
where status = 'Approved' and not exists (
  select from audit a where a.item_kind = 'venue-switches' and a.item_id = s.id::text and a.action = 'approve'
);
insert into proposals (kind, id, subject, payload, reason, status, proposed_by, proposed_at, decided_by, decided_at, decision_reason)
overriding system value
select 'venue-switches', id, venue, jsonb_build_object('is_out', is_out, 'symbols_lost', symbols_lost, 'open_trades', open_trades),
  reason, status::text::proposal_status, proposed_by, proposed_at,
  case when status = 'Withdrawn' then proposed_by else decided_by end,
  case when status = 'Withdrawn' then coalesce(
    (select a.at from audit a where a.item_kind = 'venue-switches' and a.item_id = s.id::text and a.action = 'withdraw'), proposed_at
  ) else decided_at end, decision_reason
from venue_switches s where status <> 'Done';
select setval(pg_get_serial_sequence('proposals', 'id'), (
  select max(id) + 1 from (select id from proposals union all select id from venue_switches union all select 0) used
));

-- The switches that count, or will: by one operator, who says why, or by an approved proposal with the same id.
delete from venue_switches where status not in ('Done', 'Approved');
alter table venue_switches rename column proposed_by to switched_by;
alter table venue_switches rename column proposed_at to switched_at;
alter table venue_switches alter column switched_by drop not null, alter column reason drop not null;
update venue_switches set switched_by = null, reason = null, switched_at = decided_at where status = 'Approved';
alter table venue_switches
  drop column status, drop column decided_by, drop column decided_at, drop column decision_reason, drop column symbols_lost,
  drop column open_trades, alter column id drop identity;
alter table venue_switches
  alter column id set default nextval('proposals_id_seq'),
  add constraint venue_switches_by check ((switched_by is null) = (reason is null));
drop type venue_switch_status;
create function venue_switches_follow_approval() returns trigger language plpgsql as $$
begin
  if new.switched_by is null and not exists (
    select from approved_now('venue-switches', new.venue) p where p.id = new.id and (p.payload ->> 'is_out')::boolean = new.is_out
  ) then
    raise exception 'the switch of % was not approved by two operators', new.venue using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger venue_switches_follow_approval before insert on venue_switches
  for each row execute function venue_switches_follow_approval();
create trigger venue_switches_are_final before update or delete or truncate on venue_switches
  for each statement execute function refuse_change();
revoke update on venue_switches from cleartick_app;
grant usage on sequence proposals_id_seq to cleartick_app;
