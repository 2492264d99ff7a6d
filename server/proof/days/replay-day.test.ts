import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { sql } from '../../platform/database/db.ts'
import { decideOutcome, RULE_VERSION, type Terms, type Tick } from '../../trading/index.ts'
import { signCheckpoint } from '../checkpoints/checkpoints.ts'
import { openProofKey } from '../keys/key.ts'
import { dayDownloads } from './day-download.ts'
import { type DayLine, dayLines } from './day-file.ts'
import { keptDays } from './kept-days.ts'
import { replayDay } from './replay-day.ts'
import { TapeRuns } from './tape-runs.ts'

const { database, market } = await marketOfFile()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-replay-'))
const key = openProofKey(folder)
/** The files of all days of the tape: the test may cross midnight. */
let files: DayLine[][]

beforeAll(async () => {
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db)
  await aDay()
  const { rows } = await sql<{ day: string }>`
    select distinct to_char(to_timestamp(t / 1000.0) at time zone 'UTC', 'YYYY-MM-DD') as day from checkpoints order by 1`.execute(
    database.db,
  )
  files = await Promise.all(rows.map(({ day }) => collect(dayLines(database.db, market.prices.instruments, day))))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

/** Trades that are won, lost, drawn, without an exit, and pending at the end. */
async function aDay(): Promise<void> {
  const users = await Promise.all(Array.from({ length: 4 }, () => market.trader()))
  let cents = 6_000_000
  for (let second = 0; second < 150; second++) {
    cents += ((second * 7919) % 11) - 5
    const quotes = { BTCUSDT: (cents / 100).toFixed(2), ETHUSDT: '2600.00', LTCUSDT: '90.10' }
    await market.frame(second < 40 ? quotes : { BTCUSDT: quotes.BTCUSDT, ETHUSDT: '2600.00' }, { afterMs: 1_000 })
    if (second % 10 === 0)
      for (const [i, user] of users.entries())
        await market.submit(user, {
          symbol: ['BTCUSDT', 'BTCUSDT', 'ETHUSDT', second < 40 ? 'LTCUSDT' : 'BTCUSDT'][i]!,
          trade_mode: (second / 10 + i) % 2 === 0 ? 'Buy' : 'Sell',
        })
    if (second % 20 === 19) {
      await market.settled()
      await signCheckpoint({ db: database.db, key, instruments: market.prices.instruments })
    }
  }
  await market.settled()
  await market.frame({ BTCUSDT: '60000.00' })
  await signCheckpoint({ db: database.db, key, instruments: market.prices.instruments })
}

async function collect(lines: AsyncIterable<DayLine>): Promise<DayLine[]> {
  const all: DayLine[] = []
  for await (const line of lines) all.push(line)
  return all
}

async function* yielding(lines: readonly DayLine[]): AsyncGenerator<DayLine> {
  yield* lines
}
const replayed = (lines: readonly DayLine[], keys = new Set([key.id])) => replayDay(yielding(lines), keys)
type Checkpoint = Extract<DayLine, { checkpoint: unknown }>
const isCheckpoint = (line: DayLine): line is Checkpoint & { trades: object[] } =>
  'checkpoint' in line && (line.trades?.length ?? 0) > 0
/** The last file, with its line at `at` changed. */
const changed = (at: (line: DayLine) => boolean, change: (line: never) => DayLine) => {
  const lines = structuredClone(files.at(-1)!)
  const i = lines.findLastIndex(at)
  lines[i] = change(lines[i] as never)
  return lines
}

test("a day's outcomes follow from its file alone, and equal the ledger's", async () => {
  const verdicts = await Promise.all(files.map((lines) => replayed(lines)))
  expect(verdicts.map(({ broken }) => broken)).toEqual(files.map(() => undefined))
  const { rows } = await sql<{ status: string; trades: number }>`
    select status, count(*)::int as trades from trades where status <> 'Pending' group by status order by status`.execute(
    database.db,
  )
  expect(rows.map(({ status }) => status).toSorted()).toEqual(['Draw', 'Lost', 'Void', 'Won'])
  expect(verdicts.reduce((sum, { trades }) => sum + trades, 0)).toBe(rows.reduce((sum, row) => sum + row.trades, 0))
})

test('the command writes a day, and replays the file without a database', () => {
  const command = fileURLToPath(new URL('../../../ops/commands/replay-command.ts', import.meta.url))
  const run = (args: string[], env: Record<string, string>) =>
    spawnSync(process.execPath, [command, ...args], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' })
  const { day } = files.at(-1)![0] as { day: string }
  const file = join(folder, 'day.jsonl.gz')
  const here = { DATA_DIR: folder, DATABASE_URL: database.superUrl }
  expect(run(['--day', day, '--to', file], here)).toMatchObject({ status: 0, stderr: '' })
  const nowhere = { DATA_DIR: '/nonexistent', DATABASE_URL: 'postgres://localhost:1/none' }
  const { status, stdout } = run(['--from', file], nowhere)
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^ok {5}\d{4}-\d\d-\d\d: \d+ outcomes follow from the tape/),
  ])
  const text = gunzipSync(readFileSync(file)).toString()
  writeFileSync(file, gzipSync(text.replace('"status":"Won"', '"status":"Lost"')))
  const changedFile = run(['--from', file], nowhere)
  expect([changedFile.status, changedFile.stdout]).toEqual([
    1,
    expect.stringMatching(/^BROKEN .*: trade \w+: its status is 'Lost'/),
  ])
  expect(run(['--from', file, '--day', day], nowhere).stderr).toContain('npm run replay')
})

test('the public file of a day holds the same tape and checkpoints, and no trade', async () => {
  const { day } = files.at(-1)![0] as { day: string }
  const lines = await collect(dayLines(database.db, market.prices.instruments, day, { trades: false }))
  expect(JSON.stringify(lines)).not.toContain('"stake"')
  const verdict = await replayed(lines)
  expect(verdict).toMatchObject({ broken: undefined, trades: 0 })
  expect(verdict.checkpoints).toBe(lines.filter((line) => 'checkpoint' in line).length)
  expect(verdict.frames).toBeGreaterThan(100)
})

test('a changed price, outcome or signature is found and named', async () => {
  const tick = changed(Array.isArray, ([t, body]: [number, string]) => {
    const bytes = Buffer.from(body, 'base64')
    bytes[bytes.length - 1]! ^= 1
    return [t, bytes.toString('base64')]
  })
  expect((await replayed(tick)).broken).toMatch(/^the frames up to \d+ don't lead to its checkpoint/)

  const outcome = changed(isCheckpoint, (line: Required<Checkpoint>) => {
    const [first] = line.trades
    first!.outcome.payout = '1.00'
    return line
  })
  const { id } = outcome.findLast(isCheckpoint)!.trades[0]!.trade
  expect((await replayed(outcome)).broken).toMatch(
    new RegExp(`^trade ${id}: its payout is '1.00', but the tape gives '\\d+\\.\\d\\d'$`),
  )

  const terms = changed(isCheckpoint, (line: Required<Checkpoint>) => {
    line.trades[0]!.trade.stale_after_ms++
    return line
  })
  expect((await replayed(terms)).broken).toMatch(/its trades aren't the ones that were signed$/)

  const left = changed(isCheckpoint, (line: Required<Checkpoint>) => ({ ...line, trades: line.trades.slice(1) }))
  expect((await replayed(left)).broken).toMatch(/its trades aren't the ones that were signed$/)

  const signature = changed(isCheckpoint, (line: Checkpoint) => {
    line.checkpoint.trades++
    return line
  })
  expect((await replayed(signature)).broken).toMatch(/its signature is wrong$/)
  expect((await replayed(files.at(-1)!.slice(0, -1))).broken).toMatch(/^the frames end before the checkpoint/)
  expect((await replayed(files.at(-1)!, new Set())).broken).toMatch(/isn't published, or was revoked$/)
})

test('one pass over the tape gives what the rule gives on all of it', () => {
  const ticks = fc
    .array(
      fc.record({
        gap: fc.integer({ min: 1, max: 9_000 }),
        units: fc.integer({ min: 1, max: 3 }),
        kind: fc.constantFrom(0, 0, 0, 0, 2),
      }),
      {
        maxLength: 40,
      },
    )
    .map((steps) => {
      let sourceMs = 0
      return steps.map(({ gap, units, kind }, i): Tick => {
        sourceMs += gap
        return { seq: BigInt(i + 1), sourceMs, price: price(BigInt(units)), kind }
      })
    })
  const terms = fc
    .record({
      side: fc.constantFrom('Buy' as const, 'Sell' as const),
      tradeTime: fc.integer({ min: 0, max: 150_000 }),
      length: fc.integer({ min: 1_000, max: 90_000 }),
      staleAfterMs: fc.integer({ min: 500, max: 20_000 }),
      sourceKind: fc.constantFrom(0, 2),
    })
    .map(
      ({ length, ...rest }): Terms => ({
        ...rest,
        stake: usd(100n),
        percent: 80,
        endTime: rest.tradeTime + length,
        rule: RULE_VERSION,
      }),
    )
  fc.assert(
    fc.property(ticks, fc.array(terms, { maxLength: 12 }), (tape, trades) => {
      const runs = new TapeRuns()
      const collected = trades.map((one) => runs.add('X', one))
      runs.start()
      for (const tick of tape) runs.tick('X', tick)
      runs.end()
      for (const [i, one] of trades.entries())
        expect(decideOutcome(one, collected[i]!)).toEqual(decideOutcome(one, tape))
    }),
    { numRuns: 2_000 },
  )
})

test('a network has one download of a day, and one that is read too slowly makes room for the next', async () => {
  const { instruments } = market.prices
  const download = dayDownloads({ instruments, slowest: { bytes: 1, ms: 1_000 } })
  const day = new Date(market.clock.now()).toISOString().slice(0, 10)
  const stalled = await download(database.db, day, 'one')
  await expect(download(database.db, day, 'one')).rejects.toMatchObject({ message: /from your network/ })
  const other = await download(database.db, day, 'two')
  await expect(download(database.db, day, 'three')).rejects.toMatchObject({ code: 'unavailable' })
  expect(gunzipSync(Buffer.concat(await other.toArray())).length).toBeGreaterThan(0)
  await new Promise((resolve) => stalled.once('close', resolve))
  const next = await download(database.db, day, 'one')
  expect(gunzipSync(Buffer.concat(await next.toArray())).length).toBeGreaterThan(0)
})

test('a finished day is kept as it was read to its end, and its oldest copies make room', async () => {
  const { instruments } = market.prices
  const folder = await mkdtemp(join(tmpdir(), 'days-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { day } = files.at(-1)![0] as { day: string }
  let now = Date.parse(`${day}T23:00:00Z`)
  const days = keptDays(folder, () => now)
  const download = dayDownloads({ instruments, days })
  const read = async () => Buffer.concat(await (await download(database.db, day, 'one')).toArray())
  const today = await read()
  expect(await readdir(folder), 'the day continues').toEqual([])
  now += 3 * 3_600_000
  const cut = await download(database.db, day, 'two')
  await new Promise((resolve) => cut.once('close', resolve).once('readable', () => cut.destroy()))
  await vi.waitUntil(async () => (await readdir(folder)).length === 0)
  const whole = await read()
  expect(gunzipSync(whole)).toEqual(gunzipSync(today))
  for (const one of ['2020-01-01', '2020-01-02', ...Array.from({ length: 5 }, (_, n) => `2020-02-0${n + 1}`)])
    await writeFile(join(folder, `${one}.gz`), one)
  expect(await readdir(folder)).toContain(`${day}.gz`)
  const busy = await download(database.db, '2020-02-05', 'one')
  expect(Buffer.concat(await busy.toArray()).toString(), 'from the folder, without a query').toBe('2020-02-05')
  expect(await read()).toEqual(whole)
  await rm(join(folder, `${day}.gz`))
  await read()
  expect((await readdir(folder)).sort()).toEqual([
    '2020-01-02.gz',
    ...Array.from({ length: 5 }, (_, n) => `2020-02-0${n + 1}.gz`),
    `${day}.gz`,
  ])
})
