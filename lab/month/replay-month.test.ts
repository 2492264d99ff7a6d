import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { DAY_MS, MINUTE_MS } from '#kernel/time.ts'
import { sql } from '#server/platform/database/db.ts'
import { decodeBody, encodeBody } from '#server/prices/tape/frames/frame.ts'
import type { DayLine } from '#server/proof/index.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { compareDays, downloadDays } from './compare.ts'
import { monthTable } from './report.ts'
import { type SimulatedMonth, simulateMonth } from './simulate.ts'

/** Reads a size that `npm run replay-month` sets. */
const asked = (name: string) => Number(process.env[`MONTH_${name}`] ?? 0)
const DAYS = asked('DAYS') || 2
const TRADES = asked('TRADES') || 500
const SEED = asked('SEED') || 14
const isMonth = asked('DAYS') > 0
const say = (text: string) => isMonth && process.stdout.write(`${text}\n`)
const TIMEOUT_MS = isMonth ? DAY_MS : 60_000

let database: TestDatabase
let month: SimulatedMonth
const folder = mkdtempSync(join(tmpdir(), 'cleartick-month-'))

beforeAll(async () => {
  database = await createTestDatabase({ max: 20 })
  const size = { days: DAYS, trades: TRADES, traders: isMonth ? 200 : 12, seed: SEED }
  month = await simulateMonth(database, { ...size, ...(isMonth ? {} : { dayLengthMs: 40 * MINUTE_MS }) }, folder, say)
  await downloadDays(database.db, month.market.prices.instruments, month.days, folder)
}, TIMEOUT_MS)
afterAll(async () => {
  await month.market.close()
  await database.drop()
  rmSync(folder, { recursive: true })
})

const compare = () =>
  compareDays(database.db, month.market.prices.instruments, { days: month.days, folder, keyId: month.keyId }, say)

/** Changes rows as only the database's superuser can. */
async function plant(statement: string, undo: string): Promise<void> {
  const client = await connectTo(database.superUrl)
  await client.query('set session_replication_role = replica')
  await client.query(statement)
  onTestFinished(async () => {
    await client.query(undo)
    await client.end()
  })
}

interface Decided {
  id: bigint
  day: string
  symbol: string
  exit_seq: bigint
  entry_price: bigint
}

/** Returns a won trade of the last day. */
async function wonTrade(): Promise<Decided> {
  const { rows } = await sql<Decided>`
    select t.id, to_char(to_timestamp(end_time / 1000) at time zone 'UTC', 'YYYY-MM-DD') as day, symbol, exit_seq, entry_price
    from trades t join instruments i on i.id = t.symbol_id where status = 'Won' order by end_time desc limit 1`.execute(
    database.db,
  )
  return rows[0]!
}

test(
  'every outcome and every cent of the simulated days follow from the public tape alone',
  async () => {
    const compared = await compare()
    expect(compared.differences).toEqual([])
    expect(compared.days.reduce((sum, { trades }) => sum + trades, 0)).toBe(month.placed)
    expect(month.placed).toBeGreaterThan(TRADES * 0.8)
    expect(compared.days.map(({ day }) => day)).toEqual(month.days)
    const statuses = new Set(compared.days.flatMap(({ outcomes }) => Object.keys(outcomes)))
    expect([...statuses].toSorted()).toEqual(['Draw', 'Lost', 'Void', 'Won'])
    expect(await month.market.broken()).toEqual([])
    say(monthTable(compared, month))
  },
  TIMEOUT_MS,
)

test(
  'reports a cent that the tape does not explain, with its day and its trade',
  async () => {
    const { id, day } = await wonTrade()
    const movement = `where cause = 'trade_settle' and cause_id = ${id} and part = 1`
    await plant(
      `update transfers set amount = amount + 1 ${movement}`,
      `update transfers set amount = amount - 1 ${movement}`,
    )
    const { differences } = await compare()
    expect(differences).toEqual([
      expect.stringMatching(new RegExp(`^${day}: trade ${publicId(id)} was paid .*, but the tape gives `)),
      expect.stringMatching(new RegExp(`^${day}: the ledger paid .*, but the tape gives `)),
    ])
  },
  TIMEOUT_MS,
)

test(
  'reports an extra cent on a balance, with its account',
  async () => {
    const { rows } = await sql<{ id: bigint }>`select min(id) as id from accounts`.execute(database.db)
    const { id } = rows[0]!
    await plant(
      `update accounts set balance = balance + 1 where id = ${id}`,
      `update accounts set balance = balance - 1 where id = ${id}`,
    )
    const { differences } = await compare()
    expect(differences).toEqual([expect.stringMatching(new RegExp(`^account ${id} holds `))])
  },
  TIMEOUT_MS,
)

test(
  'reports a changed tick, with its day, its checkpoint and the trade that it decided',
  async () => {
    const { id, day, symbol, exit_seq, entry_price } = await wonTrade()
    const file = join(folder, `${day}.jsonl.gz`)
    const original = readFileSync(file)
    onTestFinished(() => writeFileSync(file, original))
    const lines = gunzipSync(original)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as DayLine)
    const at = lines.findIndex((line) => Array.isArray(line) && hasTick(line))
    const [t, body] = lines[at] as [number, string]
    const entries = decodeBody(t, Buffer.from(body, 'base64')).map((entry) =>
      entry.symbol === symbol ? { ...entry, units: Number(entry_price) } : entry,
    )
    lines[at] = [t, encodeBody(t, entries).toString('base64')]
    writeFileSync(file, gzipSync(lines.map((line) => JSON.stringify(line)).join('\n')))

    const { differences } = await compare()
    expect(differences[0]).toMatch(new RegExp(`^${day}: the frames up to \\d+ don't lead to its checkpoint`))
    expect(differences).toContain(`${day}: trade ${publicId(id)} is Won, but the tape gives Draw`)

    function hasTick([time, bytes]: [number, string]): boolean {
      const found = decodeBody(time, Buffer.from(bytes, 'base64')).find((entry) => entry.symbol === symbol)
      return found?.seq === Number(exit_seq)
    }
  },
  TIMEOUT_MS,
)
