-- Up Migration
-- Which pairs of percentages are offered, as versions of one document: lists of pairs, and rules that say which list
-- applies to a symbol, a duration and a time. Older nodes neither compare versions nor hash them.
insert into schema_needs (migration, needs) values ('0175_price_lists', '0161_keys_of_archived_trades');
alter type skip_reason add value 'odds';

-- The pairs that a document offers for a symbol of this group, a duration and a time (Unix ms): those of the first rule
-- that fits, else those of the first list. Hours are UTC, and a rule over midnight belongs to the day on which it begins.
create function offered_pairs(document jsonb, symbol text, trading_type text, duration int, at_ms bigint) returns jsonb
language sql immutable as $$
  select document -> 'lists' -> (coalesce((
    select (r.rule ->> 'list')::int
    from jsonb_array_elements(document -> 'rules') with ordinality r(rule, place),
      lateral (select (at_ms / 3600000 % 24)::int as hour, ((at_ms / 86400000 + 4) % 7)::int as day,
        (r.rule ->> 'from_hour')::int as from_hour, (r.rule ->> 'to_hour')::int as to_hour) h
    where (r.rule -> 'symbols' = '[]' or r.rule -> 'symbols' ? symbol)
      and (r.rule -> 'group' = 'null' or r.rule ->> 'group' = trading_type)
      and (r.rule -> 'durations' = '[]' or r.rule -> 'durations' @> to_jsonb(duration))
      and case when h.from_hour < h.to_hour then
          h.hour >= h.from_hour and h.hour < h.to_hour and r.rule -> 'days' @> to_jsonb(h.day)
        else
          h.hour >= h.from_hour and r.rule -> 'days' @> to_jsonb(h.day)
          or h.hour < h.to_hour and r.rule -> 'days' @> to_jsonb((h.day + 6) % 7)
        end
    order by r.place limit 1
  ), 1) - 1) -> 'pairs'
$$;

-- Whether a document has the form that the rules need.
create function is_price_list_document(document jsonb) returns boolean language sql immutable as $$
  select coalesce(
    jsonb_typeof(document -> 'lists') = 'array' and jsonb_typeof(document -> 'rules') = 'array'
    and jsonb_array_length(document -> 'lists') between 1 and 20 and jsonb_array_length(document -> 'rules') <= 50
    and not exists (
      select from jsonb_array_elements(document -> 'lists') l
      where jsonb_array_length(l -> 'pairs') not between 1 and 8
        or exists (select from jsonb_array_elements_text(l -> 'pairs') p where p !~ '^([1-9][0-9]?|100)/([1-9][0-9]?|100)$')
    )
    and not exists (
      select from jsonb_array_elements(document -> 'rules') r
      where not coalesce((r ->> 'list')::int between 1 and jsonb_array_length(document -> 'lists')
        and (r ->> 'from_hour')::int between 0 and 23 and (r ->> 'to_hour')::int between 1 and 24
        and jsonb_typeof(r -> 'symbols') = 'array' and jsonb_typeof(r -> 'durations') = 'array'
        and jsonb_typeof(r -> 'days') = 'array' and r ? 'group', false)
    ), false)
$$;

create table price_list_versions (
  version integer primary key,
  document jsonb not null,
  -- Tape time from which it applies, Unix ms: so much later than its commit that no statement can miss it.
  from_ms bigint not null,
  made_at timestamptz not null,
  -- The proposal of two operators; null for the first version.
  proposal_id bigint unique,
  -- In the dry run, a trader would have an edge somewhere, and what the second operator says about it.
  edge boolean not null default false,
  acknowledged text,
  constraint price_list_versions_document check (is_price_list_document(document)),
  constraint price_list_versions_proposed check ((version = 1) = (proposal_id is null)),
  constraint price_list_versions_edge check (edge = (acknowledged is not null) and length(acknowledged) between 1 and 500)
);
create unique index price_list_versions_from on price_list_versions (from_ms);

insert into price_list_versions (version, document, from_ms, made_at) values (1, '{"lists":[{"name":"Standard","pairs":["75/3","12/5","11/13","1/18","1/61"]}],"rules":[]}', 0, now());

-- A version is what a proposal says that this transaction approved. Its pairs become values of the columns' types, which
-- the function's owner may add.
create function price_lists_follow_approval() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  newest price_list_versions;
  pair text;
begin
  perform pg_advisory_xact_lock(hashtext('price_lists'));
  select * into strict newest from price_list_versions order by version desc limit 1;
  select (p.payload -> 'dry_run' ->> 'edge')::boolean into new.edge from approved_now('price-lists', 'price-lists') p
  where p.id = new.proposal_id and p.payload -> 'document' = new.document;
  if new.edge is null then
    raise exception 'these price lists were not approved by two operators'
      using errcode = 'integrity_constraint_violation', constraint = 'price_lists_by_two_people';
  end if;
  new.version = newest.version + 1;
  new.made_at = clock_timestamp();
  new.from_ms = greatest(
    floor(extract(epoch from new.made_at) * 1000)::bigint + 5000, (select t + 5000 from tape_head), newest.from_ms + 1
  );
  for pair in
    select distinct p from jsonb_array_elements(new.document -> 'lists') l, jsonb_array_elements_text(l -> 'pairs') p
  loop
    execute format('alter type strike_rate add value if not exists %L', pair);
    execute format('alter type automatic_strike_rate add value if not exists %L', pair);
  end loop;
  return new;
end
$$;
create trigger price_lists_follow_approval before insert on price_list_versions
  for each row execute function price_lists_follow_approval();

-- It commits three seconds before it applies: an order is accepted within two seconds of its press, by a statement that
-- began after the press.
create function price_lists_begin_later() returns trigger language plpgsql as $$
begin
  if clock_timestamp() > new.made_at + interval '2 seconds' then
    raise exception 'the approval of these price lists took too long' using errcode = 'lock_not_available';
  end if;
  return null;
end
$$;
create constraint trigger price_lists_begin_later after insert on price_list_versions deferrable initially deferred
  for each row execute function price_lists_begin_later();
create trigger price_lists_are_final before update or delete or truncate on price_list_versions
  for each statement execute function refuse_change();
grant select, insert (document, proposal_id, acknowledged) on price_list_versions to cleartick_app;

-- The version that offered the pair; null for trades from before.
alter table trades add column price_list integer;
alter table trades alter column price_list set default 1;
