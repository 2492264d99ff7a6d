import { expect, test } from 'vitest'
import { brokenDistribution, crossings, crossingsOfStatement } from './distribution.ts'

const places = {
  users: { user: ['id'] },
  trades: { user: ['account_id'] },
  voids: { user: [] },
  instruments: 'reference',
  audit: 'local',
} as const

const schemaOf = (trades: string, more = '') => `
create table users (
  id bigint not null,
  constraint users_pkey PRIMARY KEY (id)
);
create table instruments (
  id smallint not null,
  constraint instruments_pkey PRIMARY KEY (id)
);
create table audit (
  n bigint not null,
  constraint audit_pkey PRIMARY KEY (n)
);
create table voids (
  trade_id bigint not null
);
create table trades (
  id bigint not null,
  account_id bigint not null,
${trades}
) with (fillfactor=80);
${more}`

const namesOf = (trades: string, more?: string) =>
  crossings(schemaOf(trades, more), places).crossing.map(({ name }) => name)

test.each([
  ['a key that starts with the user', '  constraint k PRIMARY KEY (account_id, id)', []],
  ['a key without the user', '  constraint k PRIMARY KEY (id)', ['k']],
  ['a unique value without the user', '  constraint k UNIQUE (id)', ['k']],
  ['nulls that count as equal', '  constraint k UNIQUE NULLS NOT DISTINCT (id)', ['k']],
  ['the same user', '  constraint k FOREIGN KEY (account_id) REFERENCES users(id)', []],
  ['a row of any user', '  constraint k FOREIGN KEY (id) REFERENCES voids(trade_id)', ['k']],
  ['a copy next to every user', '  constraint k FOREIGN KEY (id) REFERENCES instruments(id)', []],
  ['a table in one place', '  constraint k FOREIGN KEY (id) REFERENCES audit(n)', ['k']],
])('%s', (_, trades, expected) => expect(namesOf(trades)).toEqual(expected))

test.each([
  ['CREATE UNIQUE INDEX k ON public.trades USING btree (id) WHERE (id > 1);', ['k']],
  ['CREATE UNIQUE INDEX k ON public.trades USING btree (lower(id)) NULLS NOT DISTINCT;', ['k']],
  ['CREATE UNIQUE INDEX k ON public.trades USING btree (((account_id / 2)), id);', []],
  ['CREATE INDEX k ON public.trades USING btree (id);', []],
])('%s', (index, expected) => expect(namesOf('  x text', index)).toEqual(expected))

test('exactly the tables of the schema are declared', () => {
  const { voids: _, ...rest } = places
  expect(crossings(schemaOf('  x text'), { ...rest, gone: 'local' }).wrong).toEqual([
    expect.stringContaining('voids is not declared'),
    expect.stringContaining('gone is declared'),
  ])
})

test('a hot statement may read copied tables, and changes only rows of its user', () => {
  const found = (sql: string) =>
    crossingsOfStatement('a.ts', `const sql = \`${sql}\``, {
      trades: places.trades,
      ticks: 'reference',
      audit: 'local',
    })
  expect(found('update trades t set x = k.price from ticks k where t.id = k.id')).toEqual([])
  expect(found('select 1 from audit')).toMatchObject([{ name: 'a.ts audit' }])
  expect(found('update ticks set price = 1')).toMatchObject([
    { name: 'a.ts ticks', says: expect.stringContaining('changes') },
  ])
})

test('the schema can be distributed, apart from the listed exceptions', () => expect(brokenDistribution()).toEqual([]))
