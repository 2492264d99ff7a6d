import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { each, expectRefusal, type OpenApi, replaced } from '#tests/support/calls.ts'
import { startContract } from '#tests/support/contract.ts'
import { HOSTILE } from '#tests/support/hostile.ts'
import { ORDER } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const { app, ada, ask, stop } = await startContract()
afterAll(stop)

describe('the OpenAPI document', () => {
  test('lists every endpoint with its responses, and its page is accessible', async () => {
    const { json } = await app.send('GET', '/api/openapi.json')
    const { openapi, paths } = json as unknown as OpenApi
    expect(openapi).toBe('3.1.0')
    const named = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(named.sort()).toEqual(
      Object.keys(api)
        .map((name) => name.replace(' ', ' /api').replaceAll(/:(\w+)/g, '{$1}'))
        .sort(),
    )
    const page = await app.send('GET', '/api/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    for (const path of Object.keys(paths)) expect(page.text).toContain(path)
  })

  test('returns the same 404 for unknown endpoints', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api//users/me', '/API/health']) {
      const reply = await app.send('GET', path)
      expect(reply.status, path).toBe(404)
      if (path.startsWith('/api/')) expectRefusal(reply, path)
    }
  })
})

describe('idempotency keys', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })

  test('the same key and body give the same response and one effect, in any field order', async () => {
    const trader = await app.trader()
    const headers = key()
    const body = { ...ORDER, amount: 120.5 }
    const first = await ask('POST /trading/submit', { token: trader.token, body, headers })
    const turned = Object.fromEntries(Object.entries(body).reverse())
    const again = await Promise.all(
      [body, turned, body, body].map((sent) =>
        ask('POST /trading/submit', { token: trader.token, body: sent, headers }),
      ),
    )
    for (const reply of again) expect(reply.json).toEqual(first.json)
    expect(await app.balances(trader)).toEqual({ balance: 0, demo_balance: 9_879.5 })
  })

  test('twenty parallel orders with one key are one trade', async () => {
    const trader = await app.trader()
    const headers = key()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        ask('POST /trading/submit', { token: trader.token, body: { ...ORDER }, headers }),
      ),
    )
    expect(new Set(replies.map((reply) => (reply.json!.data as { trade_id: string }).trade_id)).size).toBe(1)
    expect((await app.balances(trader)).demo_balance).toBe(9_990)
  })

  test('the same key with another body or endpoint returns 409 and moves no money', async () => {
    const trader = await app.trader()
    const headers = key()
    await app.submit(trader, {}, headers)
    for (const [name, more] of [
      ['POST /trading/submit', { body: { ...ORDER, amount: 10.01 } }],
      ['POST /trading/submit', { body: { ...ORDER, trade_mode: 'Sell' } }],
      ['POST /trading/demo/reset', {}],
    ] as const) {
      const reply = await ask(name, { token: trader.token, headers, ...more })
      expect([reply.status, reply.json?.code], reply.text).toEqual([409, 'idempotency_mismatch'])
    }
    expect((await app.balances(trader)).demo_balance).toBe(9_990)
  })

  test('a demo reset and a plan purchase repeat their first response', async () => {
    const trader = await app.trader()
    await app.fund(trader, 3_100)
    const [reset, plan] = [key(), key()]
    const buy = () =>
      ask('POST /users/set-plan', { token: trader.token, body: { trading_plan: 'Beginner-3000' }, headers: plan })
    const first = {
      reset: await ask('POST /trading/demo/reset', { token: trader.token, headers: reset }),
      plan: await buy(),
    }
    await app.submit(trader, { amount: 100 })
    await app.fund(trader, 50)
    expect((await ask('POST /trading/demo/reset', { token: trader.token, headers: reset })).json).toEqual(
      first.reset.json,
    )
    expect((await buy()).json).toEqual(first.plan.json)
    expect(await app.balances(trader)).toEqual({ balance: 150, demo_balance: 9_900 })
  })

  test('keys are per user', async () => {
    const [one, two] = await Promise.all([app.confirmedTrader(), app.trader()])
    const headers = key()
    const trades = [await app.submit(one, {}, headers), await app.submit(two, {}, headers)]
    expect(trades[0]!.trade_id).not.toBe(trades[1]!.trade_id)
  })

  test('a rejection frees the key', async () => {
    const trader = await app.trader()
    const headers = key()
    const refused = await ask('POST /trading/submit', {
      token: trader.token,
      headers,
      body: { ...ORDER, mode: 'real' },
    })
    expect(refused.status).toBe(422)
    expect((await app.submit(trader, {}, headers)).status).toBe('Pending')
  })

  test('a reset with a key happens once; without one, every time', async () => {
    const trader = await app.trader()
    const headers = key()
    const reset = () => ask('POST /trading/demo/reset', { token: trader.token, headers })
    await app.submit(trader)
    expect((await reset()).json).toMatchObject({ data: { demo_balance: 10_000 } })
    await app.submit(trader)
    await reset()
    expect((await app.balances(trader)).demo_balance).toBe(9_990)
  })

  test('a key has from 1 to 255 characters', async () => {
    const trader = await app.trader()
    for (const [length, status] of [
      [0, 422],
      [1, 200],
      [255, 200],
      [256, 422],
    ] as const) {
      const headers = { 'idempotency-key': 'k'.repeat(length) }
      const reply = await ask('POST /trading/submit', { token: trader.token, body: { ...ORDER }, headers })
      expect(reply.status, `${length} characters: ${reply.text}`).toBe(status)
    }
  })

  test('no client uses a key of automatic trades or waiting orders, and the database has none without a signal or an order', async () => {
    const trader = await app.trader()
    for (const [name, key] of [
      ['POST /trading/submit', 'automatic:1:demo'],
      ['POST /trading/demo/reset', 'automatic:1:demo'],
      ['POST /trading/submit', 'waiting:1'],
      ['POST /trading/demo/reset', 'waiting:1'],
    ] as const) {
      const headers = { 'idempotency-key': key }
      const body = name === 'POST /trading/submit' ? { ...ORDER } : undefined
      const reply = await ask(name, { token: trader.token, body, headers })
      expect(reply.status, reply.text).toBe(422)
      expect(reply.json).toMatchObject({ errors: [{ field: 'Idempotency-Key' }] })
    }
    await app.submit(trader)
    const client = await connectTo(app.superUrl)
    const planted = (text: string) => client.query(text)
    await expect(
      planted(`insert into request_keys values (${trader.id}, 'automatic:1:demo', '', 'demo_reset', 1)`),
    ).rejects.toThrow(/request_keys_no_automatic_keys/)
    await expect(
      planted(`insert into request_keys values (${trader.id}, 'waiting:1', '', 'demo_reset', 1)`),
    ).rejects.toThrow(/request_keys_no_waiting_orders/)
    await expect(
      planted(`insert into trades select (jsonb_populate_record(t, '{"id": 77, "key": "waiting:1"}')).*
        from trades t where account_id / 2 = ${trader.id} limit 1`),
    ).rejects.toThrow(/is not triggered/)
    await expect(
      planted(`insert into trades select (jsonb_populate_record(t, '{"id": 77, "key": "automatic:1:demo"}')).*
        from trades t where account_id / 2 = ${trader.id} limit 1`),
    ).rejects.toThrow(/trades_automatic_keys/)
    await client.end()
  })
})

describe('lists', () => {
  test('all pages together contain every trade once, newest first, while new ones arrive', async () => {
    const trader = await app.trader()
    const ids: string[] = []
    for (let n = 0; n < 23; n++) ids.push((await app.submit(trader, { amount: (100 + n) / 100 })).trade_id)
    ids.reverse()
    for (const limit of [1, 2, 7, 22, 23, 24, 200]) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const query = { mode: 'demo', limit: String(limit), ...(cursor ? { cursor } : {}) }
        const { json } = await ask('GET /trading', { token: trader.token, query })
        const rows = json!.data as { trade_id: string }[]
        expect(rows.length).toBeGreaterThan(0)
        expect(rows.length).toBeLessThanOrEqual(limit)
        seen.push(...rows.map((row) => row.trade_id))
        cursor = json!.next_cursor as string | undefined
        // Newer than all rows on the pages still to be read.
        if (limit === 7) await app.submit(trader, { amount: 1 })
      } while (cursor)
      expect(
        seen.filter((id) => ids.includes(id)),
        `pages of ${limit}`,
      ).toEqual(ids)
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  test("filters exclude what they should, and live trades aren't demo trades", async () => {
    const trader = await app.trader()
    await app.submit(trader, { trade_mode: 'Buy' })
    await app.submit(trader, { trade_mode: 'Sell', symbol: 'ETHUSDT' })
    const count = async (query: Record<string, string>) =>
      ((await ask('GET /trading', { token: trader.token, query })).json!.data as unknown[]).length
    expect(await count({ mode: 'demo' })).toBe(2)
    expect(await count({ mode: 'real' })).toBe(0)
    expect(await count({ mode: 'demo', trade_mode: 'Sell' })).toBe(1)
    expect(await count({ mode: 'demo', symbol: 'BTCUSDT' })).toBe(1)
    expect(await count({ mode: 'demo', symbol: 'NOPE' })).toBe(0)
    expect(await count({ mode: 'demo', status: 'Pending' })).toBe(2)
    expect(await count({ mode: 'demo', status: 'Won' })).toBe(0)
  })

  test.each(['0', '201', '-1', '1.5', '1e1', 'ten', '１０', ' 5', '+5', '', '0x5', '05 ', '9999', 'NaN', 'Infinity'])(
    'rejects a limit of %j',
    async (limit) => {
      for (const name of ['GET /trading', 'GET /profit'] as const) {
        const reply = await ask(name, {
          token: ada.token,
          query: { ...(name === 'GET /trading' ? { mode: 'demo' } : {}), limit },
        })
        expect([reply.status, reply.json?.code], `${name} ${reply.text}`).toEqual([422, 'validation_failed'])
      }
    },
  )

  test.each([
    '',
    ' ',
    'x',
    '0',
    '-1',
    'null',
    'zzzzzzzzzzzzz',
    'ZZZZZZZZZZZZZ',
    "' or 1=1 --",
    '０００００００００００００',
    'a'.repeat(300),
  ])('rejects a cursor of %j', async (cursor) => {
    const reply = await ask('GET /trading', { token: ada.token, query: { mode: 'demo', cursor } })
    expect([reply.status, reply.json?.code], reply.text).toEqual([422, 'validation_failed'])
  })
})

test('a rejected request moves no money, however it is wrong', async () => {
  const trader = await app.trader()
  const tries = Object.keys(ORDER).flatMap((field) => HOSTILE.map((hostile) => ({ field, hostile })))
  await each(tries, async ({ field, hostile }) => {
    const body = replaced({ ...ORDER }, field, hostile)
    const reply = await app.send('POST', '/api/trading/submit', { token: trader.token, body })
    expect(reply.status, `${field}: ${hostile.name}`).not.toBe(200)
  })
  expect(await app.balances(trader)).toEqual({ balance: 0, demo_balance: 10_000 })
  expect((await ask('GET /trading', { token: trader.token, query: { mode: 'demo' } })).json!.data).toEqual([])
})
