/**
 * How late trades settle: 1,000 trades over all symbols that end within about one second, on simulated prices; the time
 * from each trade's end to its settlement. Takes a little over a minute, the shortest duration there is.
 *
 *   node bench/lateness.ts [trades]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startApp } from '#server/app.ts'
import { readConfig } from '#server/config.ts'
import { createLog } from '#server/platform/log.ts'
import { benchPostgres } from './support/postgres.ts'

const TRADES = Number(process.argv[2] ?? 1_000)
const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-late-'))
try {
  const app = await startApp({
    config: readConfig({ PORT: '0', DATA_DIR: dataDir, FEED: 'simulation:bench', RATE_LIMITS: 'off' }),
    log: createLog('error'),
    urls: postgres.urls,
  })
  const call = async (path: string, body?: unknown, token?: string) => {
    const response = await fetch(`http://127.0.0.1:${app.port}/api${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    })
    return (await response.json()) as {
      status: boolean
      message?: string
      data: { symbol: string; trading_type: string }[]
      tokens: { access: { token: string } }
    }
  }
  const person = {
    firstname: 'Bench',
    lastname: 'User',
    email: 'bench@example.com',
    phone: '1234567890',
    password: 'bench-password',
    confirmPassword: 'bench-password',
  }
  await call('/auth/register', person)
  const { tokens } = await call('/auth/login', { email: person.email, password: person.password })
  const { data } = await call('/prices/instruments')
  const symbols = data.filter((instrument) => instrument.trading_type !== null)
  const answers = await Promise.all(
    Array.from({ length: TRADES }, (_, index) => {
      const { symbol, trading_type } = symbols[index % symbols.length]!
      const order = {
        symbol,
        trading_type,
        trade_mode: index % 2 ? 'Buy' : 'Sell',
        amount: 1,
        duration: 60,
        strike_rate: '75/3',
        mode: 'demo',
      }
      return call('/trading/submit', order, tokens.access.token)
    }),
  )
  const refused = answers.filter((answer) => !answer.status)
  if (refused.length > 0) throw new Error(`${refused.length} trades were refused: ${refused[0]!.message}`)
  console.log(`${TRADES} trades placed; waiting for them to end …`)
  await sleep(66_000)
  const client = new pg.Client({ connectionString: postgres.superUrl })
  await client.connect()
  const { rows } = await client.query<{
    settled: number
    p50: number
    p99: number
    most: number
    ends_within: number
  }>(`
    select count(settled_at)::int as settled, (max(end_time) - min(end_time))::int as ends_within,
      percentile_disc(0.5) within group (order by late)::float8 as p50, percentile_disc(0.99) within group (order by late)::float8 as p99, max(late)::float8 as most
    from (select *, extract(epoch from settled_at) * 1000 - end_time as late from trades) t`)
  const { settled, ends_within, p50, p99, most } = rows[0]!
  console.log(
    `${settled} of ${TRADES} settled, ends within ${ends_within} ms: late by p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (under 500 wanted), at most ${most.toFixed(0)} ms`,
  )
  await client.end()
  await app.stop()
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
