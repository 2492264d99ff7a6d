import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { sql } from '#server/platform/database/db.ts'
import { type DeskOperator, operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { ORDER } from '#tests/support/servers/app.ts'

const { app, items, finance, risk, admin, auditor, notices, asSuper, stop } = await startDesk()
afterAll(stop)

describe('locks', () => {
  const lock = (trader: Trader, body: object) =>
    risk[0]!.ask('POST', `/users/${trader.id}/locks`, { body: { reason: 'A look at the account.', ...body } })

  test('trading: rejects every further order of both accounts, even among twenty concurrent ones', async () => {
    const trader = await items.verified(100)
    await app.submit(trader)
    expect(data(await lock(trader, { trading: true }))).toMatchObject({ trading: true, deposits: false })
    for (const mode of ['demo', 'real'] as const) {
      const replies = await twenty(() =>
        app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, mode, amount: 1 } }),
      )
      for (const reply of replies) expect(refusal(reply)).toEqual([422, 'account_locked'])
    }
    expect(await app.balances(trader)).toEqual({ balance: 100, demo_balance: 9_990 })
    expect((await notices(trader))[0]).toMatchObject({ kind: 'account', title: expect.stringContaining('trading') })
    await lock(trader, { trading: false })
    await app.submit(trader)
  })

  test('trading: still replays the response of a stored key', async () => {
    const trader = await app.trader()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await app.submit(trader, {}, headers)
    await lock(trader, { trading: true })
    expect((await app.submit(trader, {}, headers)).trade_id).toBe(first.trade_id)
  })

  test('deposits and withdrawals', async () => {
    const trader = await items.verified(100)
    await lock(trader, { deposits: true, withdrawals: true })
    const body = { amount: 10, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }
    expect(refusal(await app.send('POST', '/api/withdraw', { token: trader.token, body }))).toEqual([
      422,
      'account_locked',
    ])
    const address = await app.send('GET', '/api/deposit/wallet-address', { token: trader.token })
    expect(refusal(address)).toEqual([422, 'account_locked'])
    await lock(trader, { deposits: false, withdrawals: false })
    expect((await app.send('POST', '/api/withdraw', { token: trader.token, body })).status).toBe(200)
  })

  test('sign-in: ends sessions and sockets, and rejects signing in', async () => {
    const trader = await app.trader()
    const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/api/stream`)
    onTestFinished(() => socket.terminate())
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    await new Promise((resolve) => socket.once('open', resolve))
    const ready = new Promise((resolve) => socket.once('message', resolve))
    socket.send(JSON.stringify({ op: 'auth', token: trader.token }))
    await ready
    await lock(trader, { sign_in: true })
    expect(await closed).toBe(4401)
    expect(refusal(await app.send('GET', '/api/users/me', { token: trader.token }))).toEqual([401, 'unauthenticated'])
    const { email, password } = trader
    expect(refusal(await app.send('POST', '/api/auth/login', { body: { email, password } }))).toEqual([
      403,
      'sign_in_locked',
    ])
    await lock(trader, { sign_in: false })
    await app.trader(trader)
  })

  test('change only the named ones', async () => {
    const trader = await app.trader()
    expect(refusal(await lock(trader, {}))).toEqual([422, 'validation_failed'])
    await lock(trader, { trading: true })
    expect(data(await lock(trader, { deposits: true }))).toMatchObject({ trading: true, deposits: true })
    const picture = data<DeskUserPicture>(await auditor.ask('GET', `/users/${trader.id}`))
    expect(picture.locks).toEqual({ trading: true, deposits: true, withdrawals: false, sign_in: false })
    expect(picture.lock_reasons.map(({ kind, email }) => [kind, email])).toEqual([
      ['trading', risk[0]!.email],
      ['deposits', risk[0]!.email],
    ])
    await lock(trader, { trading: false, deposits: false })
  })
})

describe('voids', () => {
  const asked = (who: DeskOperator, id: string, reason = 'A wrong price was shown.') =>
    who.ask('POST', `/trades/${id}/void`, { body: { reason } })

  test('take two operators, return the stake and show the trader the reason', async () => {
    const { id, trader } = await items.trades({ amount: 120 })
    expect(data(await asked(risk[0]!, id))).toMatchObject({
      status: 'Pending',
      void: { proposed_by: { email: risk[0]!.email }, completed_by: null },
    })
    expect(refusal(await asked(risk[0]!, id))).toEqual([409, 'second_person_required'])
    expect((await app.balances(trader)).demo_balance).toBe(9_880)
    expect(data(await asked(risk[1]!, id, 'I agree'))).toMatchObject({
      status: 'Void',
      payout: 120,
      outcome_reason: expect.stringContaining('A wrong price was shown.'),
      void: { completed_by: { email: risk[1]!.email } },
    })
    expect((await app.balances(trader)).demo_balance).toBe(10_000)
    expect(refusal(await asked(risk[0]!, id))).toEqual([409, 'wrong_state'])
    expect((await notices(trader))[0]).toMatchObject({ kind: 'trade', text: expect.stringContaining('120.00') })
  })

  test('void once on twenty requests at once', async () => {
    const { id, trader } = await items.trades({ amount: 5 })
    await asked(risk[0]!, id)
    const replies = await twenty(() => asked(risk[1]!, id))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    expect((await app.balances(trader)).demo_balance).toBe(10_000)
  })
})

describe('settings', () => {
  const change = (body: object) => admin[0]!.ask('PATCH', '/settings', { body: { reason: 'a new year', ...body } })
  const decide = (who: DeskOperator, id: string, step: 'approve' | 'reject') =>
    who.ask('POST', `/settings/changes/${id}/${step}`, step === 'reject' ? { body: { reason: 'no' } } : {})

  test('take effect after a second admin approves', async () => {
    const before = data<Record<string, unknown>>(await admin[0]!.ask('GET', '/settings'))
    const { id } = data<{ id: string }>(
      await change({ stake_max: 5_000, symbol_limits: [{ symbol: 'ETHUSDT', open_max: 0 }] }),
    )
    expect(data(await admin[1]!.ask('GET', '/settings'))).toMatchObject({ stake_max: 10_000, waiting: [{ id }] })
    expect(refusal(await decide(admin[0]!, id, 'approve'))).toEqual([409, 'second_person_required'])
    expect(data(await decide(admin[1]!, id, 'approve'))).toMatchObject({
      status: 'Approved',
      changes: { stake_max: 5_000 },
      before: { stake_max: 10_000 },
    })
    expect(refusal(await decide(admin[1]!, id, 'reject'))).toEqual([409, 'wrong_state'])
    const trader = await items.verified(100)
    const submit = async (order: object) => {
      const reply = await app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, ...order } })
      return [reply.status, reply.json?.code]
    }
    await expect.poll(() => submit({ amount: 5_000.01 })).toEqual([422, 'limit_reached'])
    await expect.poll(() => submit({ symbol: 'ETHUSDT', mode: 'real' })).toEqual([422, 'limit_reached'])
    const back = data<{ id: string }>(
      await change({ stake_max: 10_000, symbol_limits: [{ symbol: 'ETHUSDT', open_max: null }] }),
    )
    await decide(admin[1]!, back.id, 'approve')
    expect(data(await admin[0]!.ask('GET', '/settings'))).toEqual(before)
  })

  test('limit what the house may lose, which closes the crowded side and no other', async () => {
    const before = data<Record<string, unknown>>(await admin[0]!.ask('GET', '/settings'))
    expect(before).toMatchObject({ worst_loss_percent: 50, loss_limits: [] })
    const limits = { worst_loss_percent: 20, loss_limits: [{ name: 'LTCUSDT', loss_max: 2 }] }
    const { id } = data<{ id: string }>(await change(limits))
    expect(data(await admin[0]!.ask('GET', '/settings'))).toMatchObject({ worst_loss_percent: 50, loss_limits: [] })
    data(await decide(admin[1]!, id, 'approve'))
    expect(data(await admin[0]!.ask('GET', '/settings'))).toMatchObject(limits)
    const trader = await items.verified(100)
    const buy = (symbol: string) =>
      app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, symbol, mode: 'real' } })
    // Rooms of symbols, which exist once one has a limit.
    const rooms = async () => (await sql`select from risk_rooms where room >= 1000`.execute(app.db)).rows.length
    await expect.poll(rooms).toBe(4)
    expect(refusal(await buy('LTCUSDT'))).toEqual([422, 'limit_reached'])
    expect(refusal(await buy('BTCUSDT'))).toEqual([200, undefined])
    const back = data<{ id: string }>(
      await change({ worst_loss_percent: 50, loss_limits: [{ name: 'LTCUSDT', loss_max: null }] }),
    )
    await decide(admin[1]!, back.id, 'approve')
    expect(data(await admin[0]!.ask('GET', '/settings'))).toEqual(before)
  })

  test('leave open trades running when the limit is lowered', async () => {
    const trader = await app.trader()
    await app.submit(trader, { amount: 500 })
    for (const open_stake_max of [100, 50_000]) {
      const { id } = data<{ id: string }>(await change({ open_stake_max }))
      await decide(admin[1]!, id, 'approve')
      expect(await app.broken()).toEqual([])
    }
  })

  test.each([
    {},
    { stake_max: 0 },
    { stake_max: '5' },
    { symbol_limits: [{ symbol: 'NOPE', open_max: 1 }] },
    { symbol_limits: [{ symbol: 'SPX', open_max: 1 }] },
    { loss_limits: [{ name: 'SPX', loss_max: 1 }] },
    { worst_loss_percent: 0 },
    { worst_loss_percent: 12.5 },
    { btc_address: 'nonsense' },
    { btc_address: '0x52908400098527886E0F7030069857D2E4169EE7' },
    { eth_address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
    { deposit_two_person_amount: -1 },
  ])('rejects %j', async (body) => {
    expect(refusal(await change(body))).toEqual([422, 'validation_failed'])
  })
})

describe('what is open', () => {
  test('exposure adds up by side', async () => {
    const exposure = async () =>
      data<{ symbol: string; buy: { trades: number; stake: number }; sell: { stake: number } }[]>(
        await risk[0]!.ask('GET', '/exposure?mode=demo'),
      ).find(({ symbol }) => symbol === 'XRPUSDT')
    expect(await exposure()).toBeUndefined()
    const trader = await app.trader()
    await app.submit(trader, { symbol: 'XRPUSDT', amount: 10 })
    await app.submit(trader, { symbol: 'XRPUSDT', amount: 20, trade_mode: 'Sell' })
    expect(await exposure()).toMatchObject({
      buy: { trades: 1, stake: 10 },
      sell: { trades: 1, stake: 20 },
      status: 'open',
    })
  })

  test('counts pending items in the overview', async () => {
    const { id } = await items.deposits(77)
    const queue = async () =>
      data<{ queues: { queue: string; waiting: number; unclaimed: number; mine: number; amount: number }[] }>(
        await finance[0]!.ask('GET', '/overview'),
      ).queues.find((one) => one.queue === 'deposits')!
    const before = await queue()
    expect(before.amount).toBeGreaterThanOrEqual(77)
    await finance[0]!.ask('POST', `/deposits/${id}/claim`)
    expect(await queue()).toMatchObject({ waiting: before.waiting, unclaimed: before.unclaimed - 1, mine: 1 })
    await finance[0]!.ask('POST', `/deposits/${id}/reject`, { body: { reason: 'no' } })
    expect(await queue()).toMatchObject({ waiting: before.waiting - 1, mine: 0 })
  })

  test('counts the people who could decide by their addresses', async () => {
    const first = finance[0]!
    const people = async () =>
      data<{ people: { operators: string[]; roles: string[] }[] }>(await auditor.ask('GET', '/overview')).people
    const ids = [first.id, (await operator(app, ['risk'], first.email.replace('@', '+t@'))).id].map(String)
    const seen = (await people()).filter(({ operators }) => operators.some((id) => ids.includes(id)))
    expect(seen).toEqual([{ operators: ids, roles: ['finance', 'risk'] }])
    await asSuper(`update operators set ended_at = now() where id = ${ids[1]}`)
    expect(await people()).toContainEqual({ operators: [ids[0]], roles: ['finance'] })
  })

  test('names the last step done to those who see its queue', async () => {
    const { id } = await items.deposits(78)
    const last = async (operator: typeof auditor) =>
      data<{ last_done: { id: string } | null }>(await operator.ask('GET', '/overview')).last_done
    await finance[0]!.ask('POST', `/deposits/${id}/claim`)
    expect((await last(auditor))?.id, 'a claim is no step').not.toBe(id)
    await finance[0]!.ask('POST', `/deposits/${id}/reject`, { body: { reason: 'no' } })
    const done = { queue: 'deposits', id, step: 'reject' }
    expect(await last(finance[0]!)).toMatchObject({ ...done, by: { mine: true } })
    expect(await last(auditor)).toMatchObject({ ...done, by: { mine: false } })
    expect((await last(risk[0]!))?.id).not.toBe(id)
  })

  test('frees a claim after 30 minutes without an action', async () => {
    const { id } = await items.deposits()
    await finance[0]!.ask('POST', `/deposits/${id}/claim`)
    expect(refusal(await finance[1]!.ask('POST', `/deposits/${id}/claim`))).toEqual([409, 'claimed'])
    await asSuper(`update claims set acted_at = now() - interval '31 minutes'`)
    expect((await finance[1]!.ask('POST', `/deposits/${id}/claim`)).status).toBe(200)
    expect(refusal(await finance[0]!.ask('POST', `/deposits/${id}/claim`))).toEqual([409, 'claimed'])
  })

  test('lists every instrument in the feeds', async () => {
    const feeds = data<{ source: string; symbols: { status: string }[] }>(await auditor.ask('GET', '/feeds'))
    expect(feeds.source).toBe('simulation')
    expect(feeds.symbols).toHaveLength(82)
  })
})
