import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Withdrawal } from '#contract/money/cashier.ts'
import { parseUsd } from '#kernel/money.ts'
import { accountOf } from '#server/ledger/index.ts'
import { memoryWhileReading } from '#tests/support/measures/memory.ts'
import { startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp()
})
afterAll(async () => {
  await app.stop()
})

const day = (offset = 0) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const statement = (who: Trader, query: Record<string, string> = {}) => {
  const all = { mode: 'real', from: day(-1), to: day(1), ...query }
  return app.send('GET', `/api/statement?${new URLSearchParams(all)}`, { token: who.token })
}
const cents = (text: string) => (text.startsWith('-') ? -parseUsd(text.slice(1))! : parseUsd(text)!)
const rowsOf = (text: string) => {
  const [head, ...rows] = text.trimEnd().split('\r\n')
  expect(head).toBe('date (UTC),type,reference,description,amount,balance')
  return rows.map((row) => {
    const [date, type, reference, description, amount, balance] = row.split(',')
    return {
      date: date!,
      type: type!,
      reference: reference!,
      description: description!,
      amount: cents(amount!),
      balance: cents(balance!),
    }
  })
}

async function asSuper(statements: string[]): Promise<void> {
  const client = await connectTo(app.superUrl)
  try {
    await client.query("set session_replication_role = 'replica'")
    for (const text of statements) await client.query(text)
  } finally {
    await client.end()
  }
}

/** Creates a trader whose demo account has this many movements, spread evenly over the last hours. */
async function busy(movements: number): Promise<Trader> {
  const trader = await app.trader()
  const id = accountOf(BigInt(trader.id), 'demo')
  await asSuper([
    `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
     select 'adjust', 1000000000000::bigint * ${trader.id} + n, 1, ${id}, 'demo', case n % 2 when 1 then 'house' else 'balance' end::slot,
       case n % 2 when 1 then 'balance' else 'house' end::slot, 100, n + 1, 1000000 + 100 * (n % 2), clock_timestamp()
     from generate_series(1, ${movements}) n`,
    `update accounts set seq = ${movements + 1}, balance = 1000000 + 100 * (${movements} % 2), last_at = clock_timestamp() where id = ${id}`,
  ])
  return trader
}

test('lists every movement with a running balance that matches the displayed one', async () => {
  const one = await app.trader()
  await app.verify(one)
  await app.fund(one, 4_000)
  const send = (path: string, body?: object) => app.send('POST', path, { token: one.token, ...(body ? { body } : {}) })
  await send('/api/users/set-plan', { trading_plan: 'Beginner-3000' })
  const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const { withdraw_id } = (await send('/api/withdraw', { amount: 100.01, wallet })).json!.data as Withdrawal
  await send(`/api/withdraw/${withdraw_id}/cancel`)
  await app.submit(one, { mode: 'real', amount: 12.34 })
  const reply = await statement(one)
  expect(reply.status).toBe(200)
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="statement-real-${day(-1)}-${day(1)}.csv"`,
    'cache-control': 'no-store',
  })
  const rows = rowsOf(reply.text)
  expect(rows.map(({ type, description, amount }) => [type, description, amount])).toEqual([
    ['deposit', 'Deposit by card', 400_000n],
    ['plan', 'Beginner plan', -300_000n],
    ['withdrawal', 'Withdrawal to ETH wallet: held', -10_001n],
    ['withdrawal', 'Withdrawal to ETH wallet: returned', 10_001n],
    ['trade', 'Stake on BTCUSDT Buy', -1_234n],
  ])
  expect(rows[2]!.reference).toBe(withdraw_id)
  let running = 0n
  for (const { amount, balance, date } of rows) {
    running += amount
    expect(balance).toBe(running)
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}$/)
  }
  expect(Number(running) / 100).toBe((await app.balances(one)).balance)
  const demo = rowsOf((await statement(one, { mode: 'demo' })).text)
  expect(demo.map(({ type, amount }) => [type, amount])).toEqual([['demo', 1_000_000n]])
})

test("days are UTC, both included, and don't overlap", async () => {
  const one = await app.trader()
  const id = accountOf(BigInt(one.id), 'demo')
  const times = ['2026-03-01 00:00:00', '2026-03-01 23:59:59.999', '2026-03-02 00:00:00', '2026-03-04 12:00:00']
  await asSuper([
    `update transfers set at = '2026-02-27 12:00:00Z' where account_id = ${id}`,
    ...times.map(
      (
        at,
        n,
      ) => `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
        values ('adjust', ${n + 1} + 1000000 * ${one.id}, 1, ${id}, 'demo', 'house', 'balance', 100, ${n + 2}, ${1_000_000 + 100 * (n + 1)}, '${at}Z')`,
    ),
    `update accounts set seq = 5, balance = 1000400 where id = ${id}`,
  ])
  const counts = async (from: string, to: string) =>
    rowsOf((await statement(one, { mode: 'demo', from, to })).text).map(({ date }) => date.slice(0, 10))
  expect(await counts('2026-03-01', '2026-03-01')).toEqual(['2026-03-01', '2026-03-01'])
  expect(await counts('2026-03-02', '2026-03-03')).toEqual(['2026-03-02'])
  expect(await counts('2026-03-03', '2026-03-03')).toEqual([])
  expect(await counts('2026-02-27', '2026-03-04')).toHaveLength(5)
  expect(await counts('2000-01-01', '2026-02-26')).toEqual([])
  expect(await counts('0001-01-01', '9999-12-31')).toHaveLength(5)
})

test('movements at a page boundary are neither lost nor repeated', async () => {
  for (const movements of [998, 999, 1_000, 1_999, 2_000]) {
    const rows = rowsOf((await statement(await busy(movements), { mode: 'demo' })).text)
    expect(rows).toHaveLength(movements + 1)
    expect(new Set(rows.map(({ reference }) => reference)).size).toBe(movements + 1)
  }
})

test('the PDF has the same movements, with opening and closing balance', async () => {
  const one = await busy(99)
  const reply = await fetch(`${app.origin}/api/statement?mode=demo&from=${day(-1)}&to=${day(1)}&format=pdf`, {
    headers: { authorization: `Bearer ${one.token}` },
  })
  expect(reply.headers.get('content-type')).toBe('application/pdf')
  const bytes = Buffer.from(await reply.arrayBuffer())
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  expect(bytes.subarray(-6).toString().trim()).toBe('%%EOF')
  const text = textOf(bytes)
  for (const words of [
    'Account statement',
    one.email,
    'Opening balance',
    'Closing balance',
    '0.00',
    '10,001.00',
    'Page 3',
  ])
    expect(text).toContain(words)
  expect(text.split('Adjustment').length - 1).toBe(99)
})

test('100,000 movements take no more memory than a few', async () => {
  const one = await busy(100_000)
  const { body } = await fetch(`${app.origin}/api/statement?mode=demo&from=${day(-1)}&to=${day(1)}`, {
    headers: { authorization: `Bearer ${one.token}` },
  })
  const { bytes, growth } = await memoryWhileReading(body!, 500_000)
  expect(bytes).toBeGreaterThan(7_000_000)
  expect(growth, `${bytes} bytes were read`).toBeLessThan(2_000_000)
})

test('stops writing when the client disconnects', async () => {
  const one = await busy(100_000)
  const stop = new AbortController()
  const { body } = await fetch(`${app.origin}/api/statement?mode=demo&from=${day(-1)}&to=${day(1)}`, {
    headers: { authorization: `Bearer ${one.token}` },
    signal: stop.signal,
  })
  const reader = body!.getReader()
  await reader.read()
  // A trader gets one statement at a time.
  const another = async () => (await statement(one, { mode: 'demo', to: day(-1) })).status
  expect(await another()).toBe(429)
  stop.abort()
  await expect(reader.read()).rejects.toThrow()
  // Far sooner than the 20 s after which a client that reads nothing loses its statement.
  await expect.poll(another).toBe(200)
})

/** Returns the text of the pages of such a PDF, where each piece of text is hexadecimal in an array. */
function textOf(pdf: Buffer): string {
  let text = ''
  for (let at = pdf.indexOf('stream\n'); at >= 0; at = pdf.indexOf('stream\n', at + 1)) {
    if (pdf.subarray(at - 3, at).toString() === 'end') continue
    let page: string
    try {
      page = inflateSync(pdf.subarray(at + 7, pdf.indexOf('\nendstream', at))).toString('latin1')
    } catch {
      continue
    }
    for (const line of page.matchAll(/\[(.*?)\] TJ/g)) {
      for (const piece of line[1]!.matchAll(/<([0-9a-f]*)>/g)) text += Buffer.from(piece[1]!, 'hex').toString('latin1')
      text += '\n'
    }
  }
  return text
}
