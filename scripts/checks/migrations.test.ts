import { loadModule } from 'libpg-query'
import { beforeAll, expect, test } from 'vitest'
import { type Rule, unsafeIn } from './migrations.ts'

beforeAll(() => loadModule())

const before = {
  name: '0001_before',
  sql: `create table trades (id bigint primary key, stake bigint);
    create domain cents as bigint check (value >= 0);
    create function payout(stake bigint) returns bigint language sql as 'select 1::bigint';`,
}
const rulesOf = (sql: string, name = '0002_next'): Rule[] =>
  unsafeIn([before, { name, sql }], 1).map(({ rule }) => rule)

test.each([
  ['drop table trades', ['contract']],
  ['alter table trades drop column stake', ['contract']],
  ['alter table trades rename column stake to amount', ['contract']],
  ['alter table trades rename to bets', ['contract']],
  ['alter table trades alter column stake type numeric', ['lock', 'contract']],
  ['alter table trades alter column stake set not null', ['lock']],
  ['alter table trades alter column id drop not null', ['contract']],
  ['alter table trades alter column stake drop default', ['contract']],
  ['alter table trades add column a int not null', ['contract']],
  ['alter table trades add column a float8 default random()', ['lock']],
  ['alter table trades add column a timestamptz default clock_timestamp()', ['lock']],
  ['alter table trades add column a bigint generated always as identity', ['lock']],
  ['alter table trades add column a bigserial', ['lock']],
  ['alter table trades add column a cents', ['lock']],
  ['alter table trades add column a int check (a > 0)', ['lock']],
  ['alter table trades add column a int unique', ['lock']],
  ['alter table trades add constraint c check (stake > 0)', ['lock', 'contract']],
  ['alter table trades add constraint c check (stake > 0) not valid', ['contract']],
  [
    'alter table trades add a int; alter table trades add constraint c check (a > 0) not valid; alter table trades validate constraint c',
    ['lock'],
  ],
  ['alter table trades add constraint c unique (stake)', ['lock', 'contract']],
  ['alter table trades set unlogged', ['unknown']],
  ['create index i on trades (stake)', ['lock']],
  ['create index concurrently i on trades (stake)', ['repeat']],
  ['drop index concurrently if exists i; create index concurrently i on trades (stake); create table a ()', ['apart']],
  ['drop index i', ['lock']],
  ["alter type trade_side rename value 'Buy' to 'Up'", ['contract']],
  ['alter domain cents add constraint c check (value < 9)', ['contract']],
  ['drop function payout(bigint)', ['contract']],
  [
    "create or replace function payout(stake bigint, rate bigint) returns bigint language sql as 'select 1::bigint'",
    ['contract'],
  ],
  ['create trigger t before insert on trades for each row execute function f()', ['unknown']],
  ['revoke insert on trades from cleartick_app', ['contract']],
  ['update trades set stake = 1', ['lock']],
  ['insert into trades select * from trades', ['lock']],
  ['truncate trades', ['contract']],
  ['lock table trades', ['lock']],
  ['do $$ begin end $$', ['unknown']],
  ["insert into schema_needs (migration, needs) values ('0002_next', '0003_later')", ['needs']],
] as [string, Rule[]][])('refuses: %s', (sql, rules) => {
  expect(rulesOf(sql)).toEqual(rules)
})

test.each([
  'alter table trades add column a int',
  "alter table trades add column a text not null default 'x'::text",
  'alter table trades add column a timestamptz not null default now()',
  'alter table trades add column a bigint references trades',
  'alter table trades add column a int; alter table trades add constraint c check (a > 0) not valid',
  'alter table trades validate constraint c',
  'drop index concurrently if exists i; create index concurrently i on trades (stake)',
  'create table a (id bigint); create index on a (id); alter table a add check (id > 0); grant select on a to cleartick_app',
  "create or replace function payout(s bigint) returns bigint language sql as 'select 2::bigint'",
  "alter type trade_side add value 'Flat'",
  'insert into trades values (1, 2)',
  "alter table trades drop column stake; insert into schema_needs (migration, needs) values ('0002_next', '0001_before')",
])('accepts: %s', (sql) => {
  expect(rulesOf(sql)).toEqual([])
})

test('names the line, and leaves the baseline alone', () => {
  const sql = '-- Up Migration\n-- é: a comment\n\ncreate table a (id int);\n-- why\ndrop table trades;\n'
  expect(unsafeIn([before, { name: '0002_next', sql }], 1)).toEqual([
    { migration: '0002_next', line: 6, rule: 'contract', says: 'drop table trades' },
  ])
  expect(unsafeIn([before, { name: '0002_next', sql }], 2)).toEqual([])
})
