import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { deskChecks } from '#server/invariants/checks/desk.ts'
import { startDesk } from '#tests/support/people/desk.ts'
import { data } from '#tests/support/replies.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const { app, items, finance, risk, auditor, asSuper, stop } = await startDesk()
afterAll(stop)

describe('the audit log', () => {
  const verify = async () =>
    data<{ ok: boolean; broken: string | null; rows: number }>(await auditor.ask('GET', '/audit/verify'))

  test('the application can neither change, remove nor forge a row', async () => {
    const forged = `insert into audit (n, at, operator, action, item_kind, item_id, previous, hash)
      values (1, '2000-01-01', 'forger', 'forge', 'x', 'x', sha256('x'), sha256('x'))`
    for (const statement of [
      forged,
      `update audit set why = 'x'`,
      'delete from audit',
      'truncate audit',
      `update audit_head set n = 0`,
      'delete from operator_actions',
      `update operator_actions set why = 'x'`,
    ])
      await expect(app.pool.query(statement)).rejects.toThrow(/denied/)
    // The database ignores a writer's number and hash and assigns its own.
    await asSuper(forged)
    expect(await verify()).toMatchObject({ ok: true })
  })

  test("appends a transaction's records in order at its commit, not before", async () => {
    const { rows: before } = await verify()
    const client = await app.pool.connect()
    const record = (action: string) =>
      client.query(
        `insert into operator_actions (operator, action, item_kind, item_id) values ('somebody', '${action}', 'x', 'x')`,
      )
    await client.query('begin')
    await record('first')
    await record('second')
    expect(await verify()).toMatchObject({ ok: true, rows: before })
    await client.query('commit')
    await client.query('begin')
    await record('third')
    await client.query('rollback')
    client.release()
    expect(await verify()).toMatchObject({ ok: true, rows: before + 2 })
    const { rows: last } = await app.pool.query('select action from audit order by n desc limit 2')
    expect(last).toEqual([{ action: 'second' }, { action: 'first' }])
    await asSuper(
      'alter table operator_actions add constraint nothing_stays check (false)',
      'alter table operator_actions drop constraint nothing_stays',
    )
  })

  test('has no gap after fifty actions at once', async () => {
    const { rows } = await verify()
    const trader = await app.trader()
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        risk[n % 2]!.ask('POST', `/users/${trader.id}/notes`, { body: { text: `${n}` } }),
      ),
    )
    expect(await verify()).toMatchObject({ ok: true, rows: rows + 50 })
  })

  test('names a row that the superuser changed, removed, inserted or cut off', async () => {
    await verify()
    const { rows } = await app.pool.query<{ n: bigint }>('select max(n) as n from audit')
    const last = rows[0]!.n
    const tampered: [string, string, string][] = [
      ["update audit set why = 'x' where n = 5", 'row 5 was changed', 'why'],
      ["update audit set operator = 'x' where n = 7", 'row 7 was changed', 'operator'],
      ["update audit set at = at + interval '1 microsecond' where n = 3", 'row 3 was changed', 'at'],
      [`update audit set after = '{"x": 1}' where n = 2`, 'row 2 was changed', 'after'],
      ['update audit set user_id = 1 where n = 2', 'row 2 was changed', 'user'],
      ['delete from audit where n = 4', 'row 4 is missing', 'gap'],
      ['delete from audit where n = 1', 'row 1 is missing', 'first'],
      [`delete from audit where n = ${last}`, `row ${last} is missing`, 'last'],
      [
        `update audit a set why = 'x' where n = 6;
         update audit a set hash = audit_hash(a) where n = 6`,
        'row 7 does not follow row 6',
        'hash recomputed',
      ],
      [
        `update audit a set why = 'x' where n = ${last};
         update audit a set hash = audit_hash(a) where n = ${last}`,
        `row ${last} is not the one that was written last`,
        'last recomputed',
      ],
    ]
    for (const [statement, says, what] of tampered) {
      await asSuper('create table kept as select * from audit', 'set session_replication_role = replica', statement)
      expect(await verify(), what).toMatchObject({ ok: false, broken: says })
      await asSuper(
        'set session_replication_role = replica',
        'delete from audit',
        'insert into audit select * from kept',
        'drop table kept',
      )
      expect(await verify(), `after ${what}`).toMatchObject({ ok: true })
    }
  })
})

test('verify finds actions without a record or without their money', async () => {
  const { id: check, trader } = await items['identity-checks']()
  await auditor.ask('POST', `/identity-checks/${check}/approve`)
  const { id: deposit } = await items.deposits()
  const number = parsePublicId(deposit)
  const [one, two] = [finance[0]!.id, finance[1]!.id]
  const user = trader.id
  const decided = `'r', 'Approved', ${one}, ${two}, now()`
  const forged: [string, string[]][] = [
    [
      `with forged as (
         insert into proposals (kind, reason, status, proposed_by, decided_by, decided_at) values ('adjustments', ${decided}) returning id
       )
       insert into adjustments (id, user_id, mode, amount) select id, ${user}, 'real', 5 from forged`,
      ['H2', 'L9'],
    ],
    [
      `insert into proposals (kind, reason, status, proposed_by, decided_by, decided_at) values ('settings', ${decided})`,
      ['H2'],
    ],
    [
      `insert into proposals (kind, subject, payload, reason, status, proposed_by, decided_by, decided_at)
       values ('venue-switches', 'okx', '{"is_out": true}', ${decided})`,
      ['H2'],
    ],
    [`insert into venue_switches (venue, is_out) values ('okx', true)`, ['H2']],
    [`insert into deposit_approvals values (${number}, ${one}, 5)`, ['H2']],
    [`insert into user_locks values (${user}, 'deposits', ${one}, 'r')`, ['H2']],
    [`update accounts set trading_locked = true where user_id = ${user}`, ['H2']],
    [`update users set sign_in_locked_at = now() where id = ${user}`, ['H2']],
    [`update identity_checks set status = 'Rejected', reason = 'r' where id = ${check}`, ['H2']],
    ['delete from audit where n = 9', ['H1']],
  ]
  const client = await connectTo(app.superUrl)
  onTestFinished(() => client.end())
  for (const [statement, names] of forged) {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await client.query(statement)
    const broken = new Set<string>()
    for (const { name, sql } of deskChecks) if ((await client.query(sql)).rowCount) broken.add(name)
    await client.query('rollback')
    expect([...broken].sort(), statement).toEqual(names)
  }
})
