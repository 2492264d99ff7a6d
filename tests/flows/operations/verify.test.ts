import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StrategyId, TradeSide } from '#contract/terms.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { type Database, openDatabase } from '#server/platform/database/db.ts'
import { withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { createDecider } from '#server/signals/decide.ts'
import { judgeDue } from '#server/signals/judge.ts'
import { recordSignals } from '#server/signals/record.ts'
import type { Strategy } from '#server/strategies/index.ts'
import { connectTo, createTestDatabase } from '#tests/support/servers/database.ts'
import { inherited } from '#tests/support/servers/server.ts'
import { marketOfFile, openMarket } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile()
let all: Database

beforeAll(async () => {
  all = openDatabase(database.superUrl, { max: 4, name: 'verify', log: createLog('error') })
  await aBusyMarket()
})
afterAll(async () => {
  await all.close()
})

/** Creates trades with every status in both modes, some still open. */
async function aBusyMarket(): Promise<void> {
  let cents = 6_000_000
  const quotes = () => ({ BTCUSDT: (cents / 100).toFixed(2), ETHUSDT: '2600.00', BCHBTC: '0.005000' })
  await market.frame(quotes())
  const users = await Promise.all(Array.from({ length: 8 }, (_, i) => market.trader(BigInt(i) * 100_000n)))
  const { tape, instruments } = market.prices
  const decider = createDecider({ tape, instruments, strategies: [sure('trend', 'Buy'), sure('breakout', 'Sell')] })
  for (let second = 0; second < 260; second++) {
    cents += ((second * 7919) % 11) - 5
    await market.frame(second < 60 ? quotes() : { BTCUSDT: (cents / 100).toFixed(2), BCHBTC: '0.005000' }, {
      afterMs: 1_000,
    })
    await recordSignals(database.db, await decider.newDrafts())
    if (second % 5 !== 0) continue
    await Promise.all(
      users.map((user, i) =>
        market.submit(user, {
          symbol: i % 3 === 0 && second < 60 ? 'ETHUSDT' : 'BTCUSDT',
          amount: (100 + ((second * 31 + i * 17) % 400)) / 100,
          trade_mode: (second / 5 + i) % 2 ? 'Buy' : 'Sell',
          mode: i > 3 && second % 10 === 0 ? 'real' : 'demo',
        }),
      ),
    )
  }
  await market.settled()
  await judgeDue(database.db, tape, instruments)
}

/** Returns a strategy with a signal at every close. */
const sure = (id: StrategyId, side: TradeSide): Strategy => ({
  ...{ id, version: 1, name: id, rule: '', parameters: {}, needs: 1 },
  decide: () => side,
})

/** Changes rows as the superuser and returns the violated invariants, checked in the same transaction. */
async function brokenAfter(entry: string): Promise<string[]> {
  const client = await connectTo(database.superUrl)
  const copy = `${new URL(database.superUrl).pathname.slice(1)}_planted`
  const open = openDatabase(withDatabase(database.superUrl, copy), { max: 4, name: 'planted', log: createLog('error') })
  try {
    await client.query(`create database ${copy} template ${new URL(database.superUrl).pathname.slice(1)}`)
    const inside = await connectTo(withDatabase(database.superUrl, copy))
    await inside.query("set session_replication_role = 'replica'")
    const done = [await inside.query(entry)].flat().at(-1)
    expect(done?.rowCount, 'the statement changed something').not.toBe(0)
    await inside.end()
    const findings = await verifyAll(open.db, { patienceMs: 50 })
    return findings.flatMap(({ name, broken }) => (broken === undefined ? [] : [name]))
  } finally {
    await open.close()
    await client.query(`drop database if exists ${copy} with (force)`)
    await client.end()
  }
}

test('all checks pass on a busy market while it runs', async () => {
  const statuses = await database.db.selectFrom('trades').select('status').distinct().execute()
  expect(new Set(statuses.map((row) => row.status))).toEqual(new Set(['Pending', 'Won', 'Lost', 'Draw', 'Void']))
  const progress: string[] = []
  const user = await market.trader()
  const goingOn = (async () => {
    for (let i = 0; i < 20; i++) {
      await market.submit(user, { amount: 1 + i })
      await market.frame({ BTCUSDT: `${60_000 + i}.00` })
    }
  })()
  const findings = await verifyAll(all.db, { progress: (what) => progress.push(what) })
  await goingOn
  expect(findings.filter((finding) => finding.broken !== undefined)).toEqual([])
  expect(findings.map((finding) => finding.name)).toEqual(
    expect.arrayContaining([
      'L1',
      'L2',
      'L3',
      'L4',
      'L5',
      'L6',
      'L7',
      'L8',
      'T1',
      'T2',
      'T3',
      'T5',
      'T8',
      'T14',
      'S1',
      'S2',
      'S3',
      'W3',
      'H1',
      'H2',
      'N1',
      'N2',
      'N3',
      'tape',
    ]),
  )
  expect(findings.find((finding) => finding.name === 'T3')?.says).toMatch(/^[1-9]\d* outcomes/)
  expect(findings.find((finding) => finding.name === 'S3')?.says).toMatch(/^[1-9]\d* outcomes/)
  expect(progress.length).toBeGreaterThan(10)
})

test('names each planted violation: a missing movement, a duplicate, a changed balance', async () => {
  // Copying a database requires that no one else is connected to it.
  await market.close()
  await all.close()
  await database.db.destroy()
  const won = "(select min(id) from trades where status = 'Won')"
  const planted: [string, string[]][] = [
    [
      'update accounts set balance = balance + 1 where id = (select min(id) from accounts where balance > 0)',
      ['L2', 'L3'],
    ],
    [
      `update transfers set amount = amount + 1 where cause = 'trade_settle' and cause_id = ${won} and part = 2`,
      ['L2', 'L3', 'order', 'T2'],
    ],
    [`delete from transfers where cause = 'trade_open' and cause_id = ${won}`, ['L3', 'T1']],
    [`delete from trades where id = ${won}`, ['T1', 'T2']],
    [
      "alter table trades drop constraint trades_outcome; update trades set status = 'Lost', payout = 0 where id = (select min(id) from trades where status = 'Won')",
      ['T2'],
    ],
    // Consistent with itself and with the ledger: only the tape reveals it.
    [`update trades set exit_price = exit_price + case side when 'Buy' then 1 else -1 end where id = ${won}`, ['T3']],
    [`update trades set entry_time = entry_time + 1 where id = ${won}`, ['T3']],
    [`update trades set outcome_reason = 'Because.' where id = ${won}`, ['T3']],
    ["update signals set side = 'Buy' where n = (select max(n) from signals where side = 'Sell')", ['S1']],
    ['delete from signals where n = 1', ['S1']],
    ['delete from signals where n = (select max(n) from signals)', ['S1']],
    ['update signal_hours set won = won + 1 where hour = (select min(hour) from signal_hours)', ['S2']],
    [
      `update signals set exit_price = exit_price + case side when 'Buy' then 1 else -1 end
       where n = (select min(n) from signals where status = 'Won')`,
      ['S3'],
    ],
    ['update trades set signal = 1 where id = (select min(id) from trades)', ['S1']],
    ['update accounts set escrow = 0 where escrow > 0', ['L8', 'L3']],
    [
      "update symbol_open set open = 100 where symbol_id = (select id from instruments where symbol = 'BCHBTC')",
      ['T14'],
    ],
    [
      `update trades set trade_time = trade_time - 120000, end_time = end_time - 120000 where status = 'Pending' and mode = 'real';
       insert into symbol_open (symbol_id, thin_max) select distinct symbol_id, 100 from trades where status = 'Pending' and mode = 'real'`,
      ['T14'],
    ],
    ['update ticks set price = price + 1 where source_ms = (select min(source_ms) from ticks)', ['tape']],
    [
      'update frames set body = set_byte(body, octet_length(body) - 1, (get_byte(body, octet_length(body) - 1) + 1) % 256) where n = 20',
      ['tape'],
    ],
    ['delete from frames where n = 30', ['tape']],
    ['grant delete on transfers to cleartick_app', ['L5']],
    ['alter table transfers disable trigger transfers_are_final', ['L5']],
  ]
  for (const [entry, names] of planted) {
    const broken = await brokenAfter(entry)
    expect(broken, entry).toEqual(expect.arrayContaining(names))
  }
})

test('names a trade that stays pending while the tape runs, but not one that waits for a start', async () => {
  const idle = await createTestDatabase({ max: 5 })
  const unsettled = await openMarket(idle, { settles: false })
  const seen = openDatabase(idle.superUrl, { max: 2, name: 'verify', log: createLog('error') })
  try {
    await unsettled.frame({ BTCUSDT: '60000.00' })
    await unsettled.submit(await unsettled.trader())
    await unsettled.pass(75_000)
    const t2 = async () => (await verifyAll(seen.db, { patienceMs: 200 })).filter(({ broken }) => broken !== undefined)
    expect(await t2()).toEqual([])
    let goesOn = true
    const running = (async () => {
      for (; goesOn; await sleep(20)) await unsettled.frame({ BTCUSDT: '60000.00' })
    })()
    try {
      expect(await t2()).toMatchObject([{ name: 'T2' }])
    } finally {
      goesOn = false
      await running
    }
  } finally {
    await seen.close()
    await unsettled.close()
    await idle.drop()
  }
})

test('the command prints readable lines and sets its exit code', () => {
  const good = verifyCommand({ DATABASE_URL: database.superUrl })
  expect(good.stderr).toBe('')
  expect(good.stdout).toMatch(/^ok {5}L1 {4}each movement/m)
  expect(good.stdout).toMatch(/^ok {5}T3 {4}\d+ outcomes/m)
  expect(good.stdout).toContain('All checks passed')
  expect(good.status).toBe(0)
})

test('the command explains when there is nothing to verify', () => {
  const empty = mkdtempSync(join(tmpdir(), 'cleartick-empty-'))
  try {
    for (const [env, sentence] of [
      [{ DATA_DIR: empty }, /There is no database in/],
      [{ DATABASE_URL: 'postgres://nobody:wrong@127.0.0.1:1/none' }, /Can't reach the database/],
      [{ DATABASE_URL: withDatabase(database.superUrl, 'not_there') }, /doesn't exist/],
      [{ DATABASE_URL: withDatabase(database.superUrl, 'postgres') }, /has no Cleartick tables yet/],
    ] as const) {
      const said = verifyCommand(env)
      expect(said.status).toBe(1)
      expect(said.stderr).toMatch(sentence)
      expect(said.stderr).not.toMatch(/\n\s+at /)
    }
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
})

function verifyCommand(env: Record<string, string>) {
  const command = fileURLToPath(new URL('../../../ops/commands/verify.ts', import.meta.url))
  return spawnSync(process.execPath, [command], {
    encoding: 'utf8',
    env: { ...inherited, ...env },
    timeout: 120_000,
  })
}
