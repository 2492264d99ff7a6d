import { expect, test } from 'vitest'
import { brokenTables, tableRefusal, tablesIn } from './tables.ts'

const found = (code: string) =>
  tablesIn('example.ts', code).uses.map(({ table, writes }) => `${writes ? 'changes' : 'reads'} ${table}`)

test.each([
  ["db.selectFrom('users').selectAll()", ['reads users']],
  [
    "db.selectFrom('trades as t').innerJoin('accounts as a', 'a.id', 't.account_id')",
    ['reads accounts', 'reads trades'],
  ],
  ["db.selectFrom(['trades', 'tape_head'])", ['reads trades', 'reads tape_head']],
  ["db.selectFrom('claims').where((eb) => eb.exists(eb.selectFrom('chats')))", ['reads claims', 'reads chats']],
  ["tx.insertInto('notes').values({})", ['changes notes']],
  ["tx.updateTable('users').set({})", ['changes users']],
  ["tx.deleteFrom('claims')", ['changes claims']],
  ['sql`select * from trades t, tape_head h`', ['reads trades', 'reads tape_head']],
  [
    `sql\`select (select count(*) from users) from \${from} where exists (select from chats)\``,
    ['reads users', 'reads chats'],
  ],
  [`sql\`select 1 from trades \${one ? sql\`join accounts on true\` : sql\`\`}\``, ['reads trades', 'reads accounts']],
  ['sql`insert into notices (user_id) select id from users`', ['changes notices', 'reads users']],
  ['sql`update accounts set balance = 0`', ['changes accounts']],
  ['sql`delete from only mails`', ['changes mails']],
  ['sql`with moved as (update accounts set seq = 1 returning id) select id from moved`', ['changes accounts']],
  ['sql`select from users for no key update`', ['reads users']],
  ["const CHECK = { sql: 'select * from transfers' }", ['reads transfers']],
  ['connection.run(`update trades t set status = 1`)', ['changes trades']],
])('%s', (code, uses) => {
  expect(found(code)).toEqual(uses)
})

test.each([
  "const queue = 'deposits'",
  "throw new Problem('wrong_state', 'Your deposits are closed.')",
  '// select * from users',
  "sql`select 'from users' from unnest(array['trades'])`",
  'sql`with frames as (select 1) select * from frames`',
  'sql`select t.ticks, a.notes from x t, y a`',
])('%s uses no table', (code) => {
  expect(found(code)).toEqual([])
})

test('reports the line of a table that is not a literal', () => {
  const code = `db.selectFrom(table)
sql\`select from \${sql.table(name)}\`
sql\`x is distinct from \${value}\``
  expect(tablesIn('example.ts', code)).toMatchObject({ uses: [], unreadable: [1, 2, 2] })
})

test('reports account numbers computed by hand', () => {
  const code =
    'const a = userId * 2n\nsql`select u.id * 2 from users u`\nsql`where account_id / 2 = 1`\nconst b = width * 2n'
  expect(tablesIn('example.ts', code).accountNumbers).toEqual([1, 2, 3])
})

test.each([
  ['server/ledger/post.ts', 'accounts', true, undefined],
  ['server/cashier/decisions.ts', 'accounts', false, 'accounts belongs to server/ledger'],
  ['server/desk/queues/money/deposits.ts', 'deposits', false, undefined],
  ['server/desk/queues/money/deposits.ts', 'deposits', true, 'deposits belongs to server/cashier'],
  ['server/desk/office/settings.ts', 'cashier_settings', false, 'cashier_settings belongs to server/cashier'],
  ['server/trading/acceptance/accept.sql.ts', 'transfers', true, undefined],
  ['server/trading/acceptance/accept.sql.ts', 'users', false, 'users belongs to server/identity'],
  ['server/trading/view.ts', 'accounts', false, 'accounts belongs to server/ledger'],
])('%s and %s, changing it: %s', (file, table, writes, why) => {
  expect(tableRefusal(file, { table, writes })).toBe(why)
})

test('each room uses only its own tables', () => {
  expect(brokenTables()).toEqual([])
})
