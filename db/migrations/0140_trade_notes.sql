-- Up Migration
-- What a trader writes about their trades. A trade may be archived while its note stays, so there is no foreign key to it.
create table trade_notes (
  account_id bigint not null references accounts (id),
  trade_id bigint not null,
  note text not null check (length(note) <= 500),
  tags text[] not null check (cardinality(tags) <= 5),
  primary key (account_id, trade_id),
  constraint trade_notes_say_something check (note <> '' or cardinality(tags) > 0)
);
grant select, insert, update, delete on trade_notes to cleartick_app;

-- The different tags of an account. Its row is locked while a note changes, so the limit holds under concurrent calls.
create table trade_tags (
  account_id bigint primary key references accounts (id),
  tags text[] not null check (cardinality(tags) <= 100)
);
grant select, insert, update on trade_tags to cleartick_app;
