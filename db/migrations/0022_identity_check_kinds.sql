-- Up Migration
-- Proof of address is a second kind of check with a state of its own. And an approved identity is checked again when the
-- trader's name, birth date or country changes: withdrawals are held until compliance confirms it.

alter table identity_checks add column kind text not null default 'identity' check (kind in ('identity', 'address'));
-- What the trader changed after an earlier approval: the values from before, by field.
alter table identity_checks add column changed_from jsonb check (jsonb_typeof(changed_from) = 'object');
-- Carried on to what takes the place of a rejected one, so that uploading again doesn't release the hold.
alter table identity_checks add column holds_withdrawals boolean not null default false;
alter table identity_checks add constraint identity_checks_holds_identity check (kind = 'identity' or not holds_withdrawals);

alter table identity_checks drop constraint identity_checks_method_check;
alter table identity_checks add constraint identity_checks_method check (case kind
  when 'identity' then method in ('drivers_license', 'international_passport', 'national_id', 'others')
  else method in ('utility_bill', 'bank_statement', 'tax_document', 'others') end);

drop index identity_checks_living;
create unique index identity_checks_living on identity_checks (user_id, kind) where superseded_at is null;
