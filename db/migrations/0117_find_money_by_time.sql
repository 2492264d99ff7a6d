-- Up Migration
-- Finds the money that came in and went out in a period. Trades, which are most movements, aren't in it.
drop index concurrently if exists transfers_in_and_out;
create index concurrently transfers_in_and_out on transfers (at)
  where cause in ('deposit_credit', 'deposit_reversal', 'deposit_reinstatement', 'withdraw_paid');
