import { expect, test } from 'vitest'
import { deskChecks } from '#server/invariants/checks/desk.ts'
import { sql } from '#server/platform/database/db.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
/** A change of each setting by SQL, and what two people would have to decide for it. */
const CHANGES: [statement: string, decided: Parameters<typeof changeSettings>[1]][] = [
  ['update trading_limits set stake_max = 500000', { stake_max: 5_000 }],
  ['update trading_limits set open_stake_max = 600000', { open_stake_max: 6_000 }],
  ['update trading_limits set worst_loss_percent = 90', { worst_loss_percent: 90 }],
  ["insert into risk_limits values ('BTC', 12345)", { loss_limits: [{ name: 'BTC', loss_max: 123.45 }] }],
  ['update risk_limits set loss_max = 20000', { loss_limits: [{ name: 'BTC', loss_max: 200 }] }],
  ['delete from risk_limits', { loss_limits: [{ name: 'BTC', loss_max: null }] }],
  [
    "update symbol_open set open_max = 90000 where symbol_id = (select id from instruments where symbol = 'BCHBTC')",
    { symbol_limits: [{ symbol: 'BCHBTC', open_max: 900 }] },
  ],
  [
    "insert into symbol_open (symbol_id, open_max) select id, 100 from instruments where symbol = 'ETHUSDT'",
    { symbol_limits: [{ symbol: 'ETHUSDT', open_max: 1 }] },
  ],
  [
    "delete from symbol_open where symbol_id = (select id from instruments where symbol = 'ETHUSDT')",
    { symbol_limits: [{ symbol: 'ETHUSDT', open_max: null }] },
  ],
  ['update cashier_settings set deposit_two_person_above = 300000', { deposit_two_person_amount: 3_000 }],
  ['update cashier_settings set withdrawal_two_person_above = 300001', { withdraw_two_person_amount: 3_000.01 }],
  ['update cashier_settings set deposit_operator_day_above = 7', { deposit_operator_day_amount: 0.07 }],
  ['update cashier_settings set withdrawal_operator_day_above = 0', { withdraw_operator_day_amount: 0 }],
  ['update cashier_settings set withdrawals_need_identity = false', { withdrawals_need_identity: false }],
  [`update cashier_settings set btc_address = '${ADDRESS}'`, { btc_address: ADDRESS }],
  ['update cashier_settings set btc_address = null', { btc_address: null }],
]

test('each setting changes only to what two people decided, and verify sees any other change', async () => {
  const database = await testDatabase()
  const asSuper = await connectTo(database.superUrl)
  await asSuper.query("set session_replication_role = 'replica'")
  const check = deskChecks.find(({ says }) => says === 'each setting is what two people decided last')!
  const found = async () => (await asSuper.query(check.sql)).rows.length
  // Not even the owner of the tables.
  const owner = await connectTo(database.ownerUrl)
  for (const [statement, decided] of CHANGES) {
    const [name] = Object.keys(decided)
    await expect(owner.query(statement), statement).rejects.toThrow(/by two people/)
    const other = { worst_loss_percent: name === 'worst_loss_percent' ? 89 : 50 }
    const unlike = changeSettings(database.db, other, (tx) => sql.raw(statement).execute(tx))
    await expect(unlike, `${statement} after another decision`).rejects.toThrow(/by two people/)
    await changeSettings(database.db, decided, (tx) => sql.raw(statement).execute(tx))
    expect(await found(), statement).toBe(0)
  }
  for (const statement of [
    'update trading_limits set stake_max = stake_max + 1',
    `update cashier_settings set btc_address = '${ADDRESS}'`,
    "insert into risk_limits values ('ETH', 1)",
    "update symbol_open set open_max = 1 where symbol_id = (select id from instruments where symbol = 'BCHBTC')",
    "update symbol_open set open_max = null where symbol_id = (select id from instruments where symbol = 'LTCBTC')",
    "insert into symbol_open (symbol_id, open_max) select id, 100 from instruments where symbol = 'ETHUSDT'",
  ]) {
    await asSuper.query('begin')
    await asSuper.query(statement)
    expect(await found(), statement).toBe(1)
    await asSuper.query('rollback')
  }
  await Promise.all([asSuper.end(), owner.end()])
})
