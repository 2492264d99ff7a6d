import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STRIKE_RATES } from '#contract/terms.ts'
import { percentOf, TRADE_SIDES } from '#contract/trading/trading.ts'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { SEED } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { tradeAndLedgerChecks } from '#tests/support/trades/invariants.ts'
import { CASE_TERMS, OUTCOME_CASES, type OutcomeCase } from '#tests/support/trades/outcome-cases.ts'
import { accountOf, accountOfSql, modeOf } from '../../ledger/index.ts'
import { numbers, words } from '../../platform/database/connection.ts'
import { WRITE_ENTRIES_SQL } from '../acceptance/entries/entry.sql.ts'
import { decideOutcome, REASON, RULE_VERSION, type Terms, type Tick } from '../trade.ts'
import { SETTLE_PROVEN_SQL, type SettledRow, VOID_UNENTERED_SQL } from './settle.sql.ts'

/**
 * Set-based settlement in SQL agrees with the pure function, trade by trade: 100,000 generated trades on 40 generated
 * tapes with silences, gaps and changing sources, settled by the server's own statements. Each case of the shared table is
 * one more trade, on a separate tape.
 */
const TRADES = 100_000
const USERS = 3_000
const SYMBOLS = 40
const TICKS = 2_500
const START = 1_790_000_000_000
const { random, below, pick, chance } = draws(SEED)

interface GeneratedTrade {
  id: bigint
  accountId: bigint
  symbolId: number
  durationSeconds: number
  strikeRate: string
  terms: Terms
}

let database: TestDatabase
let tapes: Tick[][]
let trades: GeneratedTrade[]

beforeAll(async () => {
  process.stdout.write(`trades to settle are drawn with SEED=${SEED}\n`)
  database = await createTestDatabase({ max: 4 })
  tapes = Array.from({ length: SYMBOLS }, generateTape)
  trades = Array.from({ length: TRADES }, (_, index) => generateTrade(BigInt(index + 1)))
  tapes.push(...OUTCOME_CASES.map(tapeOfCase))
  trades.push(...OUTCOME_CASES.map(tradeOfCase))
  await asSuper(enterEverything)
})
afterAll(() => database.drop())

function generateTape(): Tick[] {
  let [sourceMs, units, kind] = [START + below(5_000), 1_000 + below(1_000), below(3)]
  const calm = 0.2 + random() * 0.6
  return Array.from({ length: TICKS }, (_, index) => {
    sourceMs += chance(0.01)
      ? 9_990 + below(21)
      : chance(0.01)
        ? 11_000 + below(60_000)
        : chance(0.5)
          ? 250
          : 1 + below(1_200)
    units = Math.max(1, units + (chance(calm) ? 0 : below(7) - 3))
    if (chance(0.002)) kind = below(3)
    return { seq: BigInt(index + 1), sourceMs, price: price(BigInt(units)), kind }
  })
}

function generateTrade(id: bigint): GeneratedTrade {
  const symbolId = 1 + below(SYMBOLS)
  const ticks = tapes[symbolId - 1]!
  const durationSeconds = pick([60, 60, 180, 300, 900, 11 + below(120)])
  // At the rules' boundaries (at a tick, or exactly a limit away from it, to the millisecond) and anywhere else.
  const edge = pick(ticks).sourceMs + pick([-1, 0, 1, -10_001, -10_000, -9_999, 9_999, 10_000, 10_001])
  const anywhere = START - 20_000 + below(ticks.at(-1)!.sourceMs - START + 40_000)
  const tradeTime = chance(0.35) ? edge : chance(0.5) ? edge - durationSeconds * 1_000 : anywhere
  const side = pick(TRADE_SIDES)
  const strikeRate = pick(STRIKE_RATES)
  const kindThen = ticks.findLast((tick) => tick.sourceMs <= tradeTime)?.kind ?? ticks[0]!.kind
  return {
    id,
    accountId: accountOf(BigInt(1 + below(USERS)), chance(0.5) ? 'real' : 'demo'),
    symbolId,
    durationSeconds,
    strikeRate,
    terms: {
      side,
      percent: percentOf(strikeRate, side),
      stake: usd(BigInt(100 + below(chance(0.5) ? 300 : 100_000))),
      tradeTime,
      endTime: tradeTime + durationSeconds * 1_000,
      staleAfterMs: pick([10_000, 10_000, 10_000, 1_000, 60_000]),
      // A node that hasn't seen the newest change yet accepts with the previous kind.
      sourceKind: chance(0.01) ? below(3) : kindThen,
      rule: RULE_VERSION,
    },
  }
}

const tapeOfCase = ({ ticks }: OutcomeCase): Tick[] =>
  ticks.map(([sourceMs, units, kind = 0], i) => ({
    seq: BigInt(i + 1),
    sourceMs: START + sourceMs,
    price: price(BigInt(units)),
    kind,
  }))

function tradeOfCase({ side = 'Buy', stake = 1_000, percent = 75 }: OutcomeCase, i: number): GeneratedTrade {
  const { tradeTime, endTime, ...terms } = CASE_TERMS
  return {
    id: BigInt(TRADES + i + 1),
    accountId: accountOf(1n, 'real'),
    symbolId: SYMBOLS + i + 1,
    durationSeconds: (endTime - tradeTime) / 1_000,
    strikeRate: '75/3',
    terms: {
      ...terms,
      side,
      stake: usd(BigInt(stake)),
      percent,
      tradeTime: START + tradeTime,
      endTime: START + endTime,
    },
  }
}

test('100,000 generated trades settle in SQL as the pure function decides them', async () => {
  await withClients(2, async ([entries, settling]) => {
    // Some have their entry written early, some are voided early, and the others aren't touched before they end.
    const written = await entries!.query(WRITE_ENTRIES_SQL, [START + 1_200_000, TRADES / 4])
    expect(written.rowCount).toBe(TRADES / 4)
    const proven = START * 2
    const voidable = tapes.map((_, index) => index + 1).filter(() => chance(0.5))
    const voided = await entries!.query(VOID_UNENTERED_SQL, [
      numbers(voidable),
      numbers(voidable.map(() => START + below(600_000))),
      numbers(voidable.map(() => proven)),
    ])
    expect(voided.rowCount).toBeGreaterThan(TRADES / 1_000)

    // First settle up to a time in the middle: trades that end later must stay unchanged.
    const middle = START + 600_000
    await settleAll([settling!], middle)
    const { rows: early } = await settling!.query(
      `select min(end_time) filter (where status = 'Pending') as open from trades`,
    )
    expect(Number(early[0].open)).toBeGreaterThan(middle)
    await settleAll([entries!, settling!], proven)
  })
  const { rows } = await asSuper((client) => client.query('select * from trades order by id'))
  const reasons = new Map<string, number>()
  let different = 0
  for (const [index, row] of rows.entries()) {
    const { terms, symbolId } = trades[index]!
    const outcome = decideOutcome(terms, around(tapes[symbolId - 1]!, terms))
    reasons.set(outcome.reason, (reasons.get(outcome.reason) ?? 0) + 1)
    const inSql = {
      status: row.status,
      payout: row.payout,
      reason: row.outcome_reason,
      entry: [row.entry_seq, row.entry_price, row.entry_time && Number(row.entry_time)],
      exit: [row.exit_seq, row.exit_price, row.exit_time && Number(row.exit_time)],
    }
    const pure = {
      status: outcome.status,
      payout: outcome.payout,
      reason: outcome.reason,
      entry: parts(outcome.entry),
      exit: parts(outcome.exit),
    }
    if (asText(inSql) === asText(pure)) continue
    different++
    if (different === 1) expect({ trade: row.id, terms, ...inSql }).toEqual({ trade: row.id, terms, ...pure })
  }
  expect(different).toBe(0)
  expect(rows).toHaveLength(trades.length)
  // Every outcome occurred often enough for the comparison to mean something.
  for (const reason of Object.values(REASON)) expect(reasons.get(reason), reason).toBeGreaterThan(TRADES / 1_000)
})

test.each(OUTCOME_CASES.map((one, i) => ({ ...one, id: TRADES + i + 1 })))('in SQL, $name', async ({ id, ...one }) => {
  const { rows } = await asSuper((client) => client.query('select status, payout from trades where id = $1', [id]))
  expect(rows).toEqual([{ status: one.status, payout: BigInt(one.payout) }])
})

test('trades settled in sets add up to the cent', async () => {
  for (const check of tradeAndLedgerChecks) {
    const { rows } = await asSuper((client) => client.query(check.sql))
    expect(rows.slice(0, 1), `${check.name}: ${check.says}`).toEqual([])
  }
})

const parts = (tick: Tick | undefined) => (tick ? [tick.seq, tick.price, tick.sourceMs] : [null, null, null])
const asText = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

/** The ticks from just before the trade to just after the last one that can decide it. */
function around(ticks: readonly Tick[], { tradeTime, endTime }: Terms): Tick[] {
  const from = firstAfter(ticks, tradeTime)
  return ticks.slice(Math.max(0, from - 2), firstAfter(ticks, Math.max(endTime, tradeTime + 10_000)) + 2)
}

function firstAfter(ticks: readonly Tick[], time: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ticks[middle]!.sourceMs > time) high = middle
    else low = middle + 1
  }
  return low
}

/** Settles with one worker per connection, in parallel, until nothing is left: first its share of the users, then all. */
async function settleAll(clients: readonly pg.Client[], proven: number): Promise<void> {
  const symbols = tapes.map((_, index) => index + 1)
  await Promise.all(
    clients.map(async (client, worker) => {
      for (const share of [
        [clients.length, worker],
        [1, 0],
      ]) {
        const values = [numbers(symbols), numbers(symbols.map(() => proven)), 1_000, ...share, '{}', false]
        let settled: number
        do settled = (await client.query<SettledRow>({ name: 'settle', text: SETTLE_PROVEN_SQL, values })).rows.length
        while (settled > 0)
      }
    }),
  )
}

/** Stores the state after all of these trades were accepted: accounts, movements, trades and ticks. */
async function enterEverything(client: pg.Client): Promise<void> {
  await client.query("set session_replication_role = 'replica'")
  await client.query(
    `insert into accounts (id, user_id, mode)
     select ${accountOfSql('u', 'real')}, u, 'real'::account_mode from generate_series(1, ${USERS}) u
     union all select ${accountOfSql('u', 'demo')}, u, 'demo' from generate_series(1, ${USERS}) u`,
  )
  await client.query(
    `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
     select case mode when 'demo' then 'demo_grant' else 'deposit_credit' end::cause, user_id, 1, id, mode,
       case mode when 'demo' then 'mint' else 'external_in' end::slot, 'balance', 1000000000, 1, 1000000000, now() from accounts`,
  )
  for (const [index, ticks] of tapes.entries()) {
    await client.query(
      `insert into ticks (symbol_id, source_ms, seq, price, kind, frame)
       select ${index + 1}, t.*, 1 from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[]) t`,
      [
        numbers(ticks.map((tick) => tick.sourceMs)),
        numbers(ticks.map((tick) => tick.seq)),
        numbers(ticks.map((tick) => tick.price)),
        numbers(ticks.map((tick) => tick.kind)),
      ],
    )
  }
  await client.query(
    `insert into tape_kinds select symbol_id, source_ms, kind from (
       select *, lag(kind) over (partition by symbol_id order by source_ms) as before from ticks
     ) k where kind is distinct from before`,
  )
  for (let from = 0; from < trades.length; from += 20_000) {
    const some = trades.slice(from, from + 20_000)
    const terms = some.map((trade) => trade.terms)
    await client.query(
      `insert into trades (id, account_id, mode, symbol_id, duration_seconds, strike_rate, side, percent, stake, trade_time, end_time,
         stale_after_ms, source_kind, salt, price_list)
       select *, null, null from unnest($1::bigint[], $2::bigint[], $3::account_mode[], $4::smallint[], $5::int[], $6::strike_rate[], $7::trade_side[], $8::smallint[],
         $9::bigint[], $10::bigint[], $11::bigint[], $12::int[], $13::smallint[])`,
      [
        numbers(some.map((trade) => trade.id)),
        numbers(some.map((trade) => trade.accountId)),
        words(some.map((trade) => modeOf(trade.accountId))),
        numbers(some.map((trade) => trade.symbolId)),
        numbers(some.map((trade) => trade.durationSeconds)),
        words(some.map((trade) => trade.strikeRate)),
        words(terms.map((term) => term.side)),
        numbers(terms.map((term) => term.percent)),
        numbers(terms.map((term) => term.stake)),
        numbers(terms.map((term) => term.tradeTime)),
        numbers(terms.map((term) => term.endTime)),
        numbers(terms.map((term) => term.staleAfterMs)),
        numbers(terms.map((term) => term.sourceKind)),
      ],
    )
  }
  await client.query(
    `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
     select 'trade_open', id, 1, account_id, mode, 'balance', 'escrow', stake, 1 + row_number() over w, 1000000000 - sum(stake) over w, now()
     from trades window w as (partition by account_id order by id)`,
  )
  await client.query(
    `update accounts set balance = 1000000000 - coalesce(stakes, 0), escrow = coalesce(stakes, 0), seq = 1 + coalesce(count, 0)
     from accounts a left join (select account_id, sum(stake) as stakes, count(*) from trades group by account_id) t on account_id = a.id
     where accounts.id = a.id`,
  )
  await client.query('reset session_replication_role')
  await client.query('analyze')
}

async function asSuper<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return connected(database.superUrl, work)
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectTo(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function withClients<T>(count: number, work: (clients: pg.Client[]) => Promise<T>): Promise<T> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: database.appUrl }))
  await Promise.all(clients.map((client) => client.connect()))
  try {
    return await work(clients)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
