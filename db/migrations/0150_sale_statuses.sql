-- Up Migration
-- A trade can be sold before its end. New values can't be used in the transaction that adds them, so this is the first part.
alter type trade_status add value 'Sold';
alter type cause add value 'trade_sale';
alter type request_effect add value 'sale';
