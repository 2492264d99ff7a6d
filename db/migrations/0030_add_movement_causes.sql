-- Up Migration
-- A new value of an enum can be used only after the transaction that adds it, so these come before the rules about them.
alter type cause add value 'deposit_reinstatement';
alter type cause add value 'debt_repayment';
