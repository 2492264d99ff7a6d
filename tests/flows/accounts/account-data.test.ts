import { afterAll, expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { textOfPdf } from '#tests/support/pdf-text.ts'
import { startCashier } from '#tests/support/people/cashier.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { ORDER } from '#tests/support/servers/app.ts'

const { app, trader, withdraw, stop } = await startCashier()
afterAll(stop)

const download = ({ token }: Trader, password: string) =>
  app.send('POST', '/api/users/export', { token, body: { password } })

/** Tables about a trader of which nothing is exported, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  adjustments: 'proposed corrections; those that were made are movements',
  alert_trades: 'which trades a notification was written of; the notifications are exported',
  audit: "the operators' record; what it means for the trader is in their notifications and locks",
  recorded_strategies: 'whose signals are on; its list of strategies says so',
  automatic_summaries: 'which days a summary was sent of; the summaries are notifications',
  lock_lifts: "the operators' record of who lifted a lock",
  notes: "the operators' notes; support answers a request for them",
  one_time_tokens: 'secrets',
  operator_actions: "the operators' record",
  passkey_challenges: 'secrets of a minute',
  push_messages: 'notifications on their way; they are exported',
  recovery_codes: 'secrets',
  request_keys: 'keys of requests, which the browser made',
  sign_in_links: 'secrets',
  solvency_entries: 'random parts of balances; the page of solvency has the proof',
  step_ups: 'secrets',
  totp_factors: 'a secret',
  trade_tags: 'the tags of trade_notes, collected',
  unstated_trades: 'trades that wait for a checkpoint; the trades are exported',
}

test('every table with rows of traders is exported, or left out for a reason', async () => {
  const { rows } = await sql<{ table: string }>`
    select distinct c.table_name as table from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name in ('user_id', 'account_id')`.execute(
    app.db,
  )
  const found = [...rows.map(({ table }) => table), 'users'].toSorted()
  const one = await trader(100)
  const [, , ...exported] = Object.keys(JSON.parse((await download(one, one.password)).text))
  const left = Object.keys(LEFT_OUT)
  expect([...exported, ...left].toSorted()).toEqual(found)
  expect(exported.filter((table) => left.includes(table))).toEqual([])
})

test("has the trader's own rows, in pages and over both accounts, and no secret", async () => {
  const [one, other] = [await trader(500), await trader(100)]
  expect((await withdraw(one, 20)).status).toBe(200)
  await sql`
    insert into notices (user_id, kind, title, text)
    select ${BigInt(one.id)}, 'account', 'Note ' || n, 'Only for one' from generate_series(1, 1100) n`.execute(app.db)
  const reply = await download(one, one.password)
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-disposition')).toMatch(
    /^attachment; filename="account-data-\d{4}-\d\d-\d\d\.json"$/,
  )
  const data = JSON.parse(reply.text) as Record<string, Record<string, unknown>[]>
  expect(Object.keys(data).slice(0, 4)).toEqual(['about', 'symbols', 'users', 'accounts'])
  expect(data.users).toMatchObject([{ email: one.email }])
  expect(data.accounts!.map(({ mode }) => mode).toSorted()).toEqual(['demo', 'real'])
  expect(data.notices!.filter(({ text }) => text === 'Only for one')).toHaveLength(1_100)
  expect(new Set(data.notices!.map(({ id }) => id)).size).toBe(data.notices!.length)
  expect(data.withdrawals).toMatchObject([{ amount: 2_000, status: 'Pending' }])
  const { rows } = await sql<{ movements: number; hash: string; token: string }>`
    select (select count(*)::int from transfers where account_id / 2 = ${BigInt(one.id)}) as movements,
      password_hash as hash from users where id = ${BigInt(one.id)}`.execute(app.db)
  expect(data.transfers).toHaveLength(rows[0]!.movements)
  for (const secret of [rows[0]!.hash, one.token, other.email, 'operator_id', 'decided_by', 'sealed', 'hash"'])
    expect(reply.text, secret).not.toContain(secret)
})

test('as PDF the same for readers: dollars, prices, names of symbols, public numbers', async () => {
  const one = await trader(2_000)
  expect((await withdraw(one, 1_234.5)).status).toBe(200)
  const placed = await app.send('POST', '/api/trading/submit', {
    token: one.token,
    body: { ...ORDER, mode: 'demo', amount: 12.5 },
  })
  expect(placed.json).toMatchObject({ status: true })
  const { trade_id: tradeId } = placed.json!.data as { trade_id: string }
  const reply = await fetch(`${app.origin}/api/users/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password: one.password, format: 'pdf' }),
  })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const { text } = textOfPdf(Buffer.from(await reply.arrayBuffer()))
  for (const words of [one.email, 'Withdrawals', '$1,234.50', tradeId, ORDER.symbol, '$12.50', 'Nothing is stored of'])
    expect(text, words).toContain(words)
})

test('takes the password: a stolen session has none', async () => {
  const one = await trader()
  expect((await download(one, 'a guess')).json).toMatchObject({ code: 'invalid_credentials' })
  expect((await download(one, one.password)).status).toBe(200)
})
