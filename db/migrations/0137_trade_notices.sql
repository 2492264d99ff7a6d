-- Up Migration
alter type notice_kind add value 'trade-ending';
alter type notice_kind add value 'trade-settled';
