-- Up Migration
-- A self-exclusion binds the person: names are compared folded, and two compliance operators can lift a wrong match.
-- Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0111_exclusions_bind_the_person', '0110_second_person_of_the_desk');

-- Returns the parts of a name in their order of the alphabet: without case, accents and script. Characters of another script
-- count by their sound, or by their look in a part that mixes scripts, or everywhere if asked.
create function name_parts(name text, by_look boolean) returns text[] language sql immutable strict parallel safe as $$
  with folded as (
    select regexp_replace(
      replace(replace(replace(replace(replace(replace(replace(replace(replace(
        lower(normalize(name, NFKD) collate pg_c_utf8),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'ø', 'o'), 'ł', 'l'), 'đ', 'd'), 'ð', 'd'), 'þ', 'th'), 'ı', 'i'),
      '[\u0300-\u036f]', '', 'g') as name
  ), parts as (
    select part from folded, regexp_split_to_table(folded.name, '[^[:alnum:]]+') part where part <> ''
  )
  select coalesce(array_agg(distinct folded order by folded), '{}') from (
    select case when by_look or part ~ '[a-z0-9]'
      then translate(part, 'авекмнорстухьіјѕԁһԛԝӏүαβεηικνορτυχγω0135', 'abekmhopctyxbijsdhqwlyaenikvoptuxywooies')
      else translate(
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
          part, 'щ', 'shch'), 'ж', 'zh'), 'ч', 'ch'), 'ш', 'sh'), 'ц', 'ts'), 'ю', 'yu'), 'я', 'ya'), 'х', 'kh'), 'θ', 'th'), 'ψ', 'ps'), 'χ', 'ch'),
        'абвгдезиклмнопрстуфыэіїєґαβγδεζηικλμνξοπρστυφςωъь', 'abvgdeziklmnoprstufyeiiegavgdeziiklmnxoprstufso')
    end as folded from parts
  ) each where folded <> ''
$$;

-- Whether two names are the same, whatever the order of their parts and with a middle name more or less; or near.
create function compare_names(a text, b text) returns text language sql immutable strict parallel safe as $$
  select case
    when bool_or(l = r and cardinality(l) > 0 or (l <@ r or r <@ l) and least(cardinality(l), cardinality(r)) > 1) then 'same'
    when bool_or(l && r) then 'near'
  end
  from (values (name_parts(a, false)), (name_parts(a, true))) one(l), (values (name_parts(b, false)), (name_parts(b, true))) other(r)
$$;

-- An exclusion that two compliance operators lifted from an account that belongs to someone else.
alter table exclusions
  add column lifted_at timestamptz,
  add column lifted_by bigint,
  add constraint exclusions_lifted check ((lifted_at is null) = (lifted_by is null)) not valid;
grant update (lifted_at, lifted_by) on exclusions to cleartick_app;

-- Until when a time-out or exclusion is in force.
create function exclusion_until(e exclusions) returns timestamptz language sql immutable as $$
  select case when e.lifted_at is not null then e.lifted_at when e.kind = 'time_out' then e.ends_at
    else coalesce(e.return_at, 'infinity') end
$$;

create or replace function exclusions_return_once() returns trigger language plpgsql as $$
begin
  if new.lifted_at is distinct from old.lifted_at or new.lifted_by is distinct from old.lifted_by then
    select p.id into new.lifted_by from approved_now('account-changes', 'lift-match ' || old.user_id) p
    where p.payload ->> 'exclusion' = old.id::text;
    if not found or old.carried_from is null or old.lifted_at is not null or new.return_at is distinct from old.return_at then
      raise exception 'lifting exclusion % was not approved by two people', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'exclusions_lifted_by_two';
    end if;
    new.lifted_at = clock_timestamp();
    return new;
  end if;
  if old.return_at is not null or new.return_at is null or old.ends_at is null or old.ends_at > clock_timestamp()
    or new.return_at < clock_timestamp() + interval '23 hours 59 minutes'
  then
    raise exception 'exclusion % is not over', old.id using errcode = 'restrict_violation', constraint = 'exclusions_return_once';
  end if;
  return new;
end
$$;

create or replace function guards_follow_exclusions() returns trigger language plpgsql as $$
begin
  select max(exclusion_until(e)) into new.blocked_until from exclusions e where e.user_id = new.account_id / 2;
  return new;
end
$$;

-- The nights on which accounts were compared with all exclusions again.
create table exclusion_sweeps (
  night date primary key,
  finished_at timestamptz not null default clock_timestamp()
);
create trigger exclusion_sweeps_are_final before update or delete or truncate on exclusion_sweeps
  for each statement execute function refuse_change();
grant select, insert (night) on exclusion_sweeps to cleartick_app;
