-- Up Migration
-- A ruling on a price returns what trades lost that were sold at it, or began with it, too. Rulings from before didn't.
alter table complaint_rulings add column covers_sales boolean not null default false;
grant insert (covers_sales) on complaint_rulings to cleartick_app;

create or replace function trade_remedies_follow_rulings() returns trigger language plpgsql as $$
declare
  wrong bigint;
begin
  select a.trade_id into wrong
  from added a left join trades t on t.id = a.trade_id left join complaint_rulings r on r.id = a.ruling_id
  left join proposals p on p.kind = 'rulings' and p.id = r.id
  where (
      p.status = 'Approved' and r.remedy = 'tick' and r.paid_at is null and t.symbol_id = r.symbol_id
      and (t.status = 'Lost' or t.status = 'Sold' and r.covers_sales)
      and (t.entry_seq = r.tick_seq or t.exit_seq = r.tick_seq) and t.stake - t.payout = a.amount and t.account_id = a.account_id
    ) is not true
    or exists (
      select from operators o join users u on email_key_of(u.email) = email_key_of(o.email)
      where o.id in (p.proposed_by, p.decided_by) and u.id = a.account_id / 2
    )
  limit 1;
  if found then
    raise exception 'the stake of trade % is not returned by a ruling of two operators', wrong
      using errcode = 'integrity_constraint_violation', constraint = 'trade_remedies_follow_rulings';
  end if;
  return null;
end
$$;
