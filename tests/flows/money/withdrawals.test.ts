import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { Withdrawal, WithdrawalPreview } from '#contract/money/cashier.ts'
import { bankOf } from '#server/cashier/index.ts'
import { openSeal } from '#server/platform/secrets/seal.ts'
import { BANK, BTC, ETH, keyed, refused, startCashier, unlock } from '#tests/support/people/cashier.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { refusal, twenty } from '#tests/support/replies.ts'
import { ORDER, type Reply, type Trader } from '#tests/support/servers/app.ts'
import { totpCode } from '#tests/support/totp-code.ts'

const {
  app,
  picture,
  ops,
  trader,
  submitDeposit,
  withdraw,
  withdrawToBank,
  cancel,
  withdrawals,
  balance,
  account,
  approveOut,
  pay,
  pendingWithdrawal,
  stop,
} = await startCashier()
afterAll(stop)

describe('previewing a withdrawal', () => {
  const preview = async (who: Trader, body: object, path = '/api/withdraw/preview') =>
    app.send('POST', path, { token: who.token, body })
  const BANK_PREVIEW = '/api/withdraw/bank/preview'

  test('says what arrives, where, when and who approves, and changes nothing', async () => {
    const one = await trader(3_000)
    const { data } = (await preview(one, { amount: 1_000.01, wallet: BTC })).json as { data: WithdrawalPreview }
    expect(data).toMatchObject({
      amount: 1_000.01,
      currency: 'BTC',
      wallet: BTC,
      first_time: true,
      fee: 0,
      balance_after: 1_999.99,
      two_people: true,
      second_factor: false,
    })
    expect(Number(data.coin_amount) * Number(data.rate)).toBeCloseTo(1_000.01, 1)
    expect(await preview(one, { ...BANK, amount: 1_000 }, BANK_PREVIEW)).toMatchObject({
      json: { data: { currency: null, wallet: 'Bank, account ending 6789', coin_amount: null, two_people: false } },
    })
    expect(await balance(one)).toBe(3_000)
    expect(await withdrawals(one)).toEqual([])
  })

  test('knows a destination only once money was paid there', async () => {
    const one = await trader(500)
    const bank = { ...BANK, amount: 10 }
    const isFirst = async () => [
      ((await preview(one, { amount: 10, wallet: ETH })).json as { data: WithdrawalPreview }).data.first_time,
      ((await preview(one, bank, BANK_PREVIEW)).json as { data: WithdrawalPreview }).data.first_time,
    ]
    await cancel(one, ((await withdraw(one, 10, ETH)).json!.data as Withdrawal).withdraw_id)
    await withdrawToBank(one, 10)
    expect(await isFirst()).toEqual([true, true])
    const id = await pendingWithdrawal(one, 10)
    await approveOut(id, ops[0]!)
    await pay(id, ops[0]!)
    expect(await isFirst()).toEqual([false, true])
    const other = await trader(500)
    expect((await preview(other, { amount: 10, wallet: ETH })).json).toMatchObject({ data: { first_time: true } })
  })

  test('refuses what the request would refuse', async () => {
    const one = await app.trader()
    await app.fund(one, 100)
    expect(refusal(await preview(one, { amount: 10, wallet: ETH }))).toEqual([422, 'email_not_confirmed'])
    const two = await trader(100)
    expect(refusal(await preview(two, { amount: 100.01, wallet: ETH }))).toEqual([422, 'insufficient_balance'])
    expect(refusal(await preview(two, { amount: 10, wallet: `${BTC}x` }))).toEqual([422, 'validation_failed'])
  })
})

describe('requesting a withdrawal', () => {
  test('holds the amount immediately, and derives the coin from the address', async () => {
    const one = await trader(500)
    for (const [wallet, currency, left] of [
      [BTC, 'BTC', 400],
      [ETH, 'ETH', 300],
    ] as const) {
      const reply = await withdraw(one, 100, wallet)
      expect(reply.status, reply.text).toBe(200)
      const data = reply.json!.data as Withdrawal
      expect(data).toMatchObject({
        method: 'crypto',
        wallet,
        currency,
        amount: 100,
        status: 'Pending',
        since: data.createdAt,
      })
      expect(Date.parse(data.due_by!) - Date.parse(data.since)).toBe(7 * 86_400_000 - weekendSlack(data.since))
      expect(await balance(one)).toBe(left)
    }
    expect(await account(one)).toMatchObject({ hold: 20_000n })
    expect(await withdrawals(one)).toHaveLength(2)
  })

  /** Five business days are a week, or less if they start on a weekend. */
  const weekendSlack = (since: string) => [2, 0, 0, 0, 0, 0, 1][new Date(since).getUTCDay()]! * 86_400_000

  test('rejects an address that no one has the key to', async () => {
    const one = await trader(100)
    for (const wallet of [
      '0x0000000000000000000000000000000000000000',
      '0x000000000000000000000000000000000000dEaD',
      '1BitcoinEaterAddressDontSendf59kuE',
      '1111111111111111111114oLvT2',
    ]) {
      const reply = await withdraw(one, 10, wallet)
      expect(refusal(reply), wallet).toEqual([422, 'validation_failed'])
      expect(reply.json!.message).toContain('belongs to no one')
    }
    expect(await balance(one)).toBe(100)
  })

  test('to a bank: stores the numbers encrypted and shows them masked', async () => {
    const one = await trader(100)
    const reply = await withdrawToBank(one, 100)
    expect(reply.json).toMatchObject({
      data: { method: 'bank', currency: null, wallet: 'Bank, account ending 6789', amount: 100 },
    })
    expect(reply.text).not.toContain('2345')
    const row = await app.db
      .selectFrom('withdrawals')
      .selectAll()
      .where('user_id', '=', BigInt(one.id))
      .executeTakeFirstOrThrow()
    const { bank_sealed, bank_fingerprint, ...open } = row
    const everything = JSON.stringify(open, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
    for (const secret of ['2345', '021000021']) {
      expect(everything).not.toContain(secret)
      expect(bank_sealed!.includes(secret)).toBe(false)
    }
    expect(bank_fingerprint).toHaveLength(32)
    await expect(bankOf({ db: app.db, seal: openSeal(randomBytes(32), 'bank') }, row.id)).rejects.toThrow()
    await expect(bankOf({ db: app.db, seal: openSeal(randomBytes(32), 'bank') }, 1n)).rejects.toEqual(
      refused('not_found'),
    )
  })

  test.each([
    ['account_number', '12'],
    ['account_number', '<b>1234</b>'],
    ['account_number', '1234; drop'],
    ['account_number', '１２３４'],
    ['routing_number', '-'],
    ['routing_number', 'a'.repeat(101)],
    ['bank_name', ' '],
    ['type', 'checking'],
    ['type', ['Checking']],
    ['amount', '10'],
    ['amount', 0.5],
    ['amount', 10.001],
  ])('rejects %s %j', async (field, value) => {
    const one = await trader(100)
    expect(refusal(await withdrawToBank(one, 10, { [field]: value }))).toEqual([422, 'validation_failed'])
    expect(await balance(one)).toBe(100)
  })

  test('requires a confirmed e-mail, an approved ID if configured, and unlocked withdrawals', async () => {
    const one = await app.trader()
    await app.fund(one, 100)
    const need = async () =>
      (await app.send('GET', '/api/withdraw/requirements', { token: one.token })).json!.data as object
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'email_not_confirmed'])
    expect(await need()).toMatchObject({
      possible: false,
      email_verified: false,
      identity: null,
      identity_required: true,
    })
    await app.db.updateTable('users').set({ email_confirmed_at: new Date() }).where('id', '=', BigInt(one.id)).execute()
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'identity_required'])
    await app.verify(one)
    expect(await need()).toEqual({
      possible: true,
      email_verified: true,
      identity: 'Approved',
      identity_method: 'national_id',
      identity_required: true,
      locked: false,
      owed: 0,
      came_by: ['card'],
      two_person_amount: 1_000,
      business_days: 5,
      pause: null,
      paused_since: null,
    })
    await app.db
      .insertInto('user_locks')
      .values({ user_id: BigInt(one.id), kind: 'withdrawals', operator_id: ops[0]!.id, reason: 'Being looked at.' })
      .execute()
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'account_locked'])
    expect(await need()).toMatchObject({ possible: false, locked: true })
    await unlock(app.superUrl, one.id)
    expect((await withdraw(one, 10)).status).toBe(200)
  })

  test('requires no ID without the setting', async () => {
    const one = await app.trader()
    await app.fund(one, 100)
    await app.db.updateTable('users').set({ email_confirmed_at: new Date() }).where('id', '=', BigInt(one.id)).execute()
    const setting = (withdrawals_need_identity: boolean) =>
      changeSettings(app.db, { withdrawals_need_identity }, (tx) =>
        tx.updateTable('cashier_settings').set({ withdrawals_need_identity }).execute(),
      )
    await setting(false)
    try {
      expect((await withdraw(one, 10)).status).toBe(200)
    } finally {
      await setting(true)
    }
    expect(refusal(await withdraw(one, 10))).toEqual([422, 'identity_required'])
  })

  test('asks for the second factor if there is one, but not for a repeated request', async () => {
    const one = await trader(100)
    const { token, password } = one
    const begun = await app.send('POST', '/api/auth/2fa/totp', { token, body: { password } })
    const { secret } = begun.json!.data as { secret: string }
    const on = await app.send('POST', '/api/auth/2fa/totp/confirm', { token, body: { code: totpCode(secret) } })
    const { recovery_codes } = on.json!.data as { recovery_codes: string[] }
    expect(refusal(await withdraw(one, 40, 'no address', 'key'))).toEqual([422, 'validation_failed'])
    expect(refusal(await withdraw(one, 40, ETH, 'key'))).toEqual([428, 'step_up_required'])
    expect(refusal(await withdrawToBank(one, 40))).toEqual([428, 'step_up_required'])
    expect(refusal(await withdraw(one, 40, ETH, 'key'))).toEqual([428, 'step_up_required'])
    expect(await account(one)).toMatchObject({ balance: 10_000n, hold: 0n })
    const granted = await app.send('POST', '/api/auth/step-up', { token, body: { code: recovery_codes[0] } })
    const headers = { ...keyed('key'), 'x-step-up': (granted.json!.data as { token: string }).token }
    const confirmed = (amount: number) =>
      app.send('POST', '/api/withdraw', { token, body: { amount, wallet: ETH }, headers })
    // The token is valid only for that request, and another request doesn't use it up.
    expect(refusal(await confirmed(50))).toEqual([428, 'step_up_required'])
    const replies = await twenty(() => confirmed(40))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect((await withdraw(one, 40, ETH, 'key')).json).toEqual(replies[0]!.json)
    expect(await account(one)).toMatchObject({ balance: 6_000n, hold: 4_000n })
  })

  test('allows the last cent and not one more, with its own message', async () => {
    const one = await trader(100.5)
    const reply = await withdraw(one, 100.51)
    expect([...refusal(reply), reply.json!.message]).toEqual([422, 'insufficient_balance', 'Insufficient balance'])
    expect((await withdraw(one, 100.5)).status).toBe(200)
    expect(await balance(one)).toBe(0)
  })

  test('parallel withdrawals, plans and trades spend the money once', async () => {
    const one = await trader(3_000)
    const spend = [
      () => withdraw(one, 1_000),
      () => withdrawToBank(one, 1_000),
      () => app.send('POST', '/api/users/set-plan', { token: one.token, body: { trading_plan: 'Beginner-3000' } }),
      () =>
        app.send('POST', '/api/trading/submit', { token: one.token, body: { ...ORDER, mode: 'real', amount: 1_000 } }),
    ]
    const replies = await twenty((n) => spend[n % 4]!())
    for (const reply of replies)
      if (reply.status !== 200) expect(['insufficient_balance', 'wrong_state']).toContain(reply.json?.code)
    const cost = replies.map((reply, n) => (reply.status === 200 ? (n % 4 === 2 ? 3_000 : 1_000) : 0))
    expect(cost.reduce<number>((a, b) => a + b, 0)).toBe(3_000)
    expect(await balance(one)).toBe(0)
  })

  test('another trader’s withdrawal is not found, and lists are separate', async () => {
    const [one, other] = [await trader(100), await trader()]
    const { withdraw_id } = (await withdraw(one, 10)).json!.data as Withdrawal
    expect(refusal(await cancel(other, withdraw_id))).toEqual([404, 'not_found'])
    expect(refusal(await cancel(other, 'x'))).toEqual([404, 'not_found'])
    expect(await withdrawals(other)).toEqual([])
    expect((await withdrawals(one))[0]!.status).toBe('Pending')
  })
})

describe('keys', () => {
  test('the same key and body give one withdrawal and always its first response', async () => {
    const one = await trader(100)
    const replies = await twenty(() => withdraw(one, 60, ETH, 'key'))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies[0]!.status).toBe(200)
    expect(await balance(one)).toBe(40)
    const { withdraw_id } = replies[0]!.json!.data as Withdrawal
    await cancel(one, withdraw_id)
    expect((await withdraw(one, 60, ETH, 'key')).json).toEqual(replies[0]!.json)
    expect(refusal(await withdraw(one, 61, ETH, 'key'))).toEqual([409, 'idempotency_mismatch'])
    expect(await balance(one)).toBe(100)
  })

  test('a rejection frees a key, and keys are per trader', async () => {
    const [one, other] = [await trader(), await trader(10)]
    expect(refusal(await withdraw(one, 10, ETH, 'shared'))).toEqual([422, 'insufficient_balance'])
    expect((await withdraw(other, 10, ETH, 'shared')).status).toBe(200)
    await app.fund(one, 10)
    expect((await withdraw(one, 10, ETH, 'shared')).status).toBe(200)
  })

  /** Every kind of request with a key. Each works once for a trader who has 10,000. */
  const EFFECTS: Record<string, (who: Trader, key: string, open: string) => Promise<Reply>> = {
    withdrawal: (who, key) => withdraw(who, 5, ETH, key),
    bank: (who, key) => withdrawToBank(who, 5, {}, key),
    deposit: (who, key) => submitDeposit(who, '5', { key, file: picture }),
    cancel: (who, key, open) => cancel(who, open, key),
    plan: (who, key) =>
      app.send('POST', '/api/users/set-plan', {
        token: who.token,
        body: { trading_plan: 'Beginner-3000' },
        headers: keyed(key),
      }),
    reset: (who, key) => app.send('POST', '/api/trading/demo/reset', { token: who.token, headers: keyed(key) }),
    'demo trade': (who, key) =>
      app.send('POST', '/api/trading/submit', { token: who.token, body: ORDER, headers: keyed(key) }),
    'real trade': (who, key) =>
      app.send('POST', '/api/trading/submit', {
        token: who.token,
        body: { ...ORDER, mode: 'real' },
        headers: keyed(key),
      }),
  }
  const NAMES = Object.keys(EFFECTS)

  async function ready(): Promise<{ one: Trader; open: string }> {
    const one = await trader(10_000)
    const { withdraw_id } = (await withdraw(one, 5)).json!.data as Withdrawal
    return { one, open: withdraw_id }
  }

  test("a key belongs to its first request, whatever it's reused for", async () => {
    for (const first of NAMES) {
      const { one, open } = await ready()
      const answer = await EFFECTS[first]!(one, 'key', open)
      expect(answer.status, `${first}: ${answer.text}`).toBe(200)
      for (const next of NAMES) {
        const reply = await EFFECTS[next]!(one, 'key', open)
        if (next === first) expect(reply.json, `${first} again`).toEqual(answer.json)
        else expect(refusal(reply), `${first}, then ${next}`).toEqual([409, 'idempotency_mismatch'])
      }
    }
  })

  test('all parallel requests under one key have one effect', async () => {
    for (let round = 0; round < 6; round++) {
      const { one, open } = await ready()
      const order = NAMES.map((_, n) => NAMES[(n + round) % NAMES.length]!)
      const replies = await Promise.all(
        [...order, ...order].map(async (name) => ({ name, reply: await EFFECTS[name]!(one, 'key', open) })),
      )
      const done = new Set(replies.filter(({ reply }) => reply.status === 200).map(({ name }) => name))
      expect([...done], replies.map(({ name, reply }) => `${name} ${reply.status}`).join(', ')).toHaveLength(1)
      for (const { name, reply } of replies)
        if (!done.has(name)) expect(reply.status, `${name}: ${reply.text}`).toBe(409)
    }
  })
})
