-- Up Migration
-- Who was the first with the same receipt, wallet, bank account, phone or name: found without reading all that have it.
-- (A wallet may be an exchange's, and stand in a hundred thousand withdrawals.)
drop index withdrawals_wallet;
create index withdrawals_wallet on withdrawals (lower(wallet), id) where wallet is not null;
drop index withdrawals_bank_print;
create index withdrawals_bank_print on withdrawals (bank_print, id) where bank_print is not null;
drop index deposits_receipt_hash;
create index deposits_receipt_hash on deposits (receipt_hash, id) where receipt_hash is not null;
drop index users_phone;
create index users_phone on users (phone, id) where phone <> '';
drop index users_person;
create index users_person on users (lower(firstname), lower(lastname), date_of_birth, id) where date_of_birth is not null;
