import { randomBytes } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { operatorChanges } from '#server/desk/office/operator-changes.ts'
import { settingsChanges } from '#server/desk/office/settings.ts'
import { QUEUES } from '#server/desk/queues/index.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { knownMigrations, migrate } from '#server/platform/database/migrate.ts'
import type { WhoOperates } from '#server/platform/http/index.ts'
import { withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { readVenuesOut } from '#server/prices/instruments/venue-switches.ts'
import { connectTo } from '#tests/support/servers/database.ts'

/** A database of the version that had a table for each kind of proposal. */
async function formerDatabase() {
  const name = `test_${randomBytes(8).toString('hex')}`
  const [superUrl, ownerUrl, appUrl] = [inject('superUrl'), inject('ownerUrl'), inject('appUrl')].map((url) =>
    withDatabase(url, name),
  )
  const admin = await connectTo(inject('superUrl'))
  await admin.query(`create database ${name} owner cleartick_owner`)
  await migrate(ownerUrl!, { count: knownMigrations().indexOf('0102_proposals') })
  const client = await connectTo(superUrl!)
  onTestFinished(async () => {
    await client.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  return { client, ownerUrl: ownerUrl!, appUrl: appUrl! }
}

/** Who proposed and decided, by the status of a row of each former table. */
const BY = 'reason, status, proposed_by, decided_by, decided_at, decision_reason'
const DECISIONS: Record<string, string> = {
  Pending: `'why', 'Pending', 1, null, null, null`,
  Approved: `'why', 'Approved', 1, 2, '2026-01-02 03:04:05Z', null`,
  Rejected: `'why', 'Rejected', 1, 2, '2026-01-02 03:04:05Z', 'no'`,
}
/** Own columns of each former table, and their values. The statuses get the ids 1 to 3. */
const FORMER: Record<string, [columns: string, values: string]> = {
  settings_changes: ['changes, before', `'{"stake_max": 5}', '{"stake_max": 4}'`],
  payout_resumptions: ['halt_id', '1'],
  strategy_restarts: ['strategy', `'trend'`],
  reversal_proposals: ['deposit_id, amount, reference', `77, 1234, 'R'`],
  instrument_changes: ['kind, symbol, closed_reason', `'close', 'BTCUSDT', 'It moved.'`],
  adjustments: ['user_id, mode, amount', `1, 'demo', -250`],
  operator_changes: ['kind, email, roles', `'invite', 'New@desk.example', '{risk}'`],
}

const OWN = `
  set session_replication_role = replica;
  insert into operators (email, password_hash, totp_secret, roles) values
    ('ann@desk.example', 'x', 'x', '{admin}'), ('bob@desk.example', 'x', 'x', '{admin}');
  insert into users (email, password_hash, firstname, lastname, referral_code) values
    ('t@example.org', 'x', 'T', 'R', 'ABCDEFGH'), ('u@example.org', 'x', 'U', 'R', 'ABCDEFGJ');
  insert into deposits (id, user_id, method, provider_reference, submitted, status, credited, decided_at)
    values (77, 1, 'card', 'p', 5000, 'Approved', 5000, now());
  insert into payout_halts (findings) values ('[]');
  ${Object.entries(FORMER)
    .flatMap(([table, [columns, values]]) =>
      Object.values(DECISIONS).map(
        (decision) => `insert into ${table} (${columns}, ${BY}) values (${values}, ${decision});`,
      ),
    )
    .join('\n')}
  insert into factor_resets (user_id, ${BY}, due_at, ended_at) values
    (1, ${DECISIONS.Pending}, null, null), (1, ${DECISIONS.Rejected}, null, null),
    (1, ${DECISIONS.Approved!.replace('Approved', 'Stopped')}, '2026-01-03 04:00Z', '2026-01-02 05:00Z'),
    (1, ${DECISIONS.Approved!.replace('Approved', 'Done')}, '2026-01-03 04:00Z', '2026-01-03 05:00Z'),
    (2, ${DECISIONS.Approved}, '2026-01-03 04:00Z', null);
  insert into instrument_changes (kind, symbol, base, quote, trading_type, scale, min_sources, largest_spread_bps, largest_deviation_bps,
      stale_after_ms, ${BY}) values ('add', 'AAABBB', 'AAA', 'BBB', 'Cryptocurrency', 4, 2, 50, 40, 10000, ${DECISIONS.Pending});
  insert into venue_switches (venue, is_out, symbols_lost, open_trades, ${BY}, effective_from) values
    ('okx', true, 2, null, ${DECISIONS.Pending}, null),
    ('kraken', true, null, 3, ${DECISIONS.Approved}, 1790000000000),
    ('kraken', false, null, 3, ${DECISIONS.Rejected}, null),
    ('kraken', false, null, 3, ${DECISIONS.Pending!.replace('Pending', 'Withdrawn')}, null),
    ('binance', true, null, null, ${DECISIONS.Pending!.replace('Pending', 'Done')}, null),
    -- Of a version without the queue, so there is no record of it.
    ('bitstamp', true, 1, null, ${DECISIONS.Approved}, null);
  insert into complaints (user_id, item, item_id, reason, text, status) values (1, 'deposit', 77, 'missing', '', 'Proposed');
  insert into complaint_rulings (complaint_id, upheld, finding, remedy, credit, ${BY}, adjustment_id, paid_at) values
    (1, true, 'our_mistake', 'credit', 700, ${DECISIONS.Rejected!.replace("'Rejected', 1, 2", "'Rejected', 1, 1")}, null, null),
    (2, true, 'our_mistake', 'credit', 800, ${DECISIONS.Approved}, 2, '2026-01-02 03:05Z'),
    (1, true, 'our_mistake', 'credit', 900, ${DECISIONS.Pending}, null, null);
  insert into trade_voids (trade_id, reason, proposed_by, completed_by, completed_at, entered) values
    (5, 'why', 1, 2, '2026-01-02 03:04:05Z', true), (6, 'why', 1, null, null, null);
  insert into audit (n, at, operator_id, operator, action, item_kind, item_id, previous, hash) values
    (1, now(), 2, 'bob@desk.example', 'approve', 'venue-switches', '2', sha256(''), sha256('')),
    (2, '2026-01-05', 1, 'ann@desk.example', 'withdraw', 'venue-switches', '4', sha256(''), sha256(''));
`

const who = { operatorId: 3n, email: 'eve@desk.example', roles: ['admin'] } as unknown as WhoOperates

test('open and decided proposals of former versions keep their ids and what they say', async () => {
  const { client, ownerUrl, appUrl } = await formerDatabase()
  await client.query(OWN)
  await migrate(ownerUrl)
  const { db, close } = openDatabase(appUrl, { max: 2, name: 'test', log: createLog('error') })
  onTestFinished(close)
  const kinds = [...QUEUES.filter((queue) => 'decide' in queue), settingsChanges, operatorChanges]
  const listed = Object.fromEntries(
    await Promise.all(
      kinds.map(async ({ name, list }) => [name, await list(db, who, {}, { after: undefined, limit: 10 })] as const),
    ),
  )
  const decided = {
    decided_by: { operator_id: '2', email: 'bob@desk.example' },
    decided_at: '2026-01-02T03:04:05.000Z',
  }
  const common = { reason: 'why', proposed_by: { operator_id: '1', email: 'ann@desk.example' }, own: false }
  const each = (own: object) => [
    { id: '3', ...own, ...common, ...decided, status: 'Rejected', decision_reason: 'no' },
    { id: '2', ...own, ...common, ...decided, status: 'Approved' },
    { id: '1', ...own, ...common, decided_by: null, status: 'Pending' },
  ]
  const person = { user_id: '1', email: 't@example.org', name: 'T R' }
  expect(listed).toMatchObject({
    settings: each({ changes: { stake_max: 5 }, before: { stake_max: 4 } }),
    'payout-resumptions': each({ halted_at: expect.any(String) }),
    'strategy-restarts': each({ strategy: 'trend' }),
    reversals: each({ ...person, amount: 12.34, reference: 'R' }),
    adjustments: each({ ...person, book: 'demo', amount: -2.5 }),
    'operator-changes': each({ kind: 'invite', email: 'New@desk.example', roles: ['risk'] }),
    'instrument-changes': [
      {
        id: '4',
        ...common,
        kind: 'add',
        symbol: 'AAABBB',
        base: 'AAA',
        scale: 4,
        terms: { depth_usd: 1000, venues: null, demo_only: false },
      },
      ...each({ kind: 'close', symbol: 'BTCUSDT', closed_reason: 'It moved.', terms: null, base: null }),
    ],
    'venue-switches': [
      { id: '6', venue: 'bitstamp', out: true, status: 'Done', proposed_by: { operator_id: '2' }, decided_by: null },
      { id: '5', venue: 'binance', out: true, status: 'Done', ...common, decided_by: null },
      { id: '4', venue: 'kraken', out: false, status: 'Withdrawn', ...common, decided_by: null },
      { id: '3', venue: 'kraken', out: false, status: 'Rejected', ...common, ...decided, decision_reason: 'no' },
      {
        id: '2',
        venue: 'kraken',
        out: true,
        status: 'Approved',
        open_trades: 3,
        ...common,
        ...decided,
        counts_from: '2026-09-21T14:13:20.000Z',
      },
      { id: '1', venue: 'okx', out: true, status: 'Pending', symbols_lost: 2, ...common, decided_by: null },
    ],
    'factor-resets': [
      { id: '5', ...common, ...decided, user_id: '2', status: 'Approved', due_at: '2026-01-03T04:00:00.000Z' },
      { id: '4', ...person, ...common, ...decided, status: 'Done', ended_at: '2026-01-03T05:00:00.000Z' },
      { id: '3', ...person, ...common, ...decided, status: 'Stopped', due_at: '2026-01-03T04:00:00.000Z' },
      { id: '2', ...person, ...common, ...decided, status: 'Rejected', decision_reason: 'no' },
      { id: '1', ...person, ...common, decided_by: null, status: 'Pending' },
    ],
  })
  const { rows: rulings } = await client.query(
    `select p.id::int, subject, status, decided_by::int, decision_reason, credit::int, approved_at
     from proposals p join complaint_rulings r using (id) where kind = 'rulings' order by p.id`,
  )
  expect(rulings).toEqual([
    { id: 1, subject: '1', status: 'Withdrawn', decided_by: 1, decision_reason: 'no', credit: 700, approved_at: null },
    {
      id: 2,
      subject: '2',
      status: 'Approved',
      decided_by: 2,
      decision_reason: null,
      credit: 800,
      approved_at: new Date('2026-01-02T03:04:05Z'),
    },
    { id: 3, subject: '1', status: 'Pending', decided_by: null, decision_reason: null, credit: 900, approved_at: null },
  ])
  const { rows: voids } = await client.query(
    `select subject, status, decided_by::int, decided_at, v.trade_id::int, entered from proposals p
     left join trade_voids v on v.trade_id = p.subject::bigint where kind = 'voids' order by subject`,
  )
  expect(voids).toEqual([
    {
      subject: '5',
      status: 'Approved',
      decided_by: 2,
      decided_at: new Date('2026-01-02T03:04:05Z'),
      trade_id: 5,
      entered: true,
    },
    { subject: '6', status: 'Pending', decided_by: null, decided_at: null, trade_id: null, entered: null },
  ])
  const { rows } = await client.query(
    `insert into proposals (kind, reason, proposed_by) values ('settings', 'r', 1) returning id`,
  )
  expect(Number(rows[0].id), 'new ids are above all former ones').toBeGreaterThan(6)
  expect((await readVenuesOut(db, { scheduled: true })).sort()).toEqual(['binance', 'bitstamp', 'kraken'])
  await expect(
    client.query(
      `set session_replication_role = origin; update proposals set status = 'Approved', decided_by = 1 where id = 1`,
    ),
  ).rejects.toThrow(/own proposal/)
})
