-- Up Migration
-- A new key of receipts is signed by the outgoing one, or begun by two admins: then it's published as unsigned.
alter table proof_keys
  add column signed_by text references proof_keys,
  add column signature bytea check (octet_length(signature) = 64),
  add column unsigned_reason text check (length(unsigned_reason) between 1 and 500),
  -- The id is the key's fingerprint.
  add constraint proof_keys_fingerprint check (id = left(encode(sha256(public_key), 'hex'), 32)),
  add constraint proof_keys_signed check ((signed_by is null) = (signature is null)),
  add constraint proof_keys_begun_one_way check (signed_by is null or unsigned_reason is null);
alter table proof_keys disable trigger proof_keys_revoked_once;
update proof_keys k set unsigned_reason = 'It began before keys were signed.'
where exists (select from proof_keys o where (o.created_at, o.id) < (k.created_at, k.id));
alter table proof_keys enable trigger proof_keys_revoked_once;
create unique index proof_keys_first on proof_keys ((true)) where signed_by is null and unsigned_reason is null;

-- Keys of engines that sign nothing yet.
create table waiting_proof_keys (
  id text primary key check (id = left(encode(sha256(public_key), 'hex'), 32)),
  public_key bytea not null unique check (octet_length(public_key) = 32),
  seen_at timestamptz not null default clock_timestamp()
);
create trigger waiting_proof_keys_are_kept before update or delete or truncate on waiting_proof_keys
  for each statement execute function refuse_change();
grant select, insert (id, public_key) on waiting_proof_keys to cleartick_app;

create function proof_keys_begin_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (select from approved_now('proof-keys', new.id)) then
    raise exception 'beginning the key % was not approved by two admins', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger proof_keys_begin_by_two_people before insert on proof_keys for each row
  when (new.unsigned_reason is not null) execute function proof_keys_begin_by_two_people();

-- A key signs nothing once it is revoked.
create function revoked_keys_sign_nothing() returns trigger language plpgsql as $$
begin
  if exists (select from proof_keys where id = new.key and revoked_at is not null) then
    raise exception 'the key % is revoked', new.key using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger checkpoints_have_a_key before insert on checkpoints for each row execute function revoked_keys_sign_nothing();
create trigger solvency_statements_have_a_key before insert on solvency_statements for each row execute function revoked_keys_sign_nothing();
