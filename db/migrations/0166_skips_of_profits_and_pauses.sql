-- Up Migration
-- Signals are skipped after a take-profit and during a pause after losses. New values can't be used in the transaction that
-- adds them, so this is the first part.
alter type skip_reason add value 'profit';
alter type skip_reason add value 'pause';
