import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { DeskDeposit } from '#contract/desk/money/deposits.ts'
import { parsePublicId } from '#kernel/id.ts'
import { accountOf } from '#server/ledger/index.ts'
import { cardsOfFile } from '#tests/support/people/card.ts'
import { operator } from '#tests/support/people/desk.ts'
import { SEED } from '#tests/support/property.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const { stripe, app, trader, begin, begun, send, paid, balance, deposits } = await cardsOfFile()

describe('a card deposit', () => {
  test("starts on the provider's page without crediting anything", async () => {
    const who = await trader()
    const before = stripe.checkouts.length
    const reply = await begin(who, 250.5)
    expect(reply.json).toMatchObject({ status: true, data: { url: 'https://pay.example/cs' } })
    const { deposit_id } = reply.json!.data as { deposit_id: string }
    const asked = stripe.checkouts[before]!
    expect(asked.authorization).toBe('Bearer sk_test_of_the_api')
    expect(asked.fields.get('line_items[0][price_data][unit_amount]')).toBe('25050')
    expect(asked.fields.get('line_items[0][price_data][currency]')).toBe('usd')
    expect(asked.fields.get('client_reference_id')).toBe(deposit_id)
    expect(asked.idempotencyKey).toContain(deposit_id)
    expect(await deposits(who)).toMatchObject([{ deposit_id, status: 'Pending' }])
    expect(await balance(who)).toBe(0)
  })

  test('is credited once by the signed event, however often it arrives', async () => {
    const who = await trader()
    const id = await begun(who)
    const event = stripe.event('checkout.session.completed', paid(id, 25_000))
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(event)))
    expect(replies.map((reply) => reply.status)).toEqual(Array(20).fill(200))
    // Another event about the same payment.
    await send(stripe.event('checkout.session.async_payment_succeeded', paid(id, 25_000)))
    expect(await balance(who)).toBe(250)
    expect(await deposits(who)).toMatchObject([{ status: 'Approved', amount: 250 }])
    const notices = (await app.send('GET', '/api/notices', { token: who.token })).json!.data as { kind: string }[]
    expect(notices.filter((notice) => notice.kind === 'deposit')).not.toHaveLength(0)
  })

  test('starts once per key', async () => {
    const who = await trader()
    const replies = await Promise.all(Array.from({ length: 5 }, () => begin(who, 100, 'one key')))
    expect(new Set(replies.map((reply) => (reply.json!.data as { deposit_id: string }).deposit_id)).size).toBe(1)
    expect(await deposits(who)).toHaveLength(1)
    expect((await begin(who, 101, 'one key')).json).toMatchObject({ code: 'idempotency_mismatch' })
  })

  test('never returns to a checkout once it was rejected, even under the key that started it', async () => {
    const who = await trader()
    const { deposit_id } = (await begin(who, 100, 'rejected')).json!.data as { deposit_id: string }
    await send(stripe.event('checkout.session.expired', { id: 'cs_1', client_reference_id: deposit_id }))
    const asked = stripe.checkouts.length
    const again = await begin(who, 100, 'rejected')
    expect([again.status, again.json?.code, again.text.includes('pay.example')]).toEqual([409, 'wrong_state', false])
    expect(stripe.checkouts, 'the provider is not asked').toHaveLength(asked)
    expect((await begin(who, 100, 'another')).status).toBe(200)
  })

  test('never returns to a checkout that the provider has closed by itself', async () => {
    const who = await trader()
    const { deposit_id } = (await begin(who, 100, 'old')).json!.data as { deposit_id: string }
    const id = parsePublicId(deposit_id)!
    const begunAt = async (hours: number) => {
      const client = await connectTo(app.superUrl)
      await client.query(`update deposits set created_at = now() - interval '${hours} hours' where id = ${id}`)
      await client.end()
    }
    await begunAt(23)
    expect((await begin(who, 100, 'old')).status).toBe(200)
    await begunAt(24)
    expect((await begin(who, 100, 'old')).json).toMatchObject({ code: 'wrong_state' })
  })

  test('never returns to a checkout of a trader who took a break or was locked', async () => {
    const who = await trader()
    expect((await begin(who, 100, 'before')).status).toBe(200)
    const out = await app.send('POST', '/api/guardrails/time-out', { token: who.token, body: { days: 1 } })
    expect(out.status, out.text).toBe(200)
    const asked = stripe.checkouts.length
    const again = await begin(who, 100, 'before')
    expect([again.json?.status, again.text.includes('pay.example')]).toEqual([false, false])
    const locked = await trader()
    expect((await begin(locked, 100, 'before')).status).toBe(200)
    const body = { deposits: true, reason: 'A test.' }
    expect((await (await operator(app, ['risk'])).ask('POST', `/users/${locked.id}/locks`, { body })).status).toBe(200)
    expect((await begin(locked, 100, 'before')).json).toMatchObject({ code: 'account_locked' })
    expect(stripe.checkouts).toHaveLength(asked + 1)
  })

  test("is rejected when abandoned, and a late event doesn't credit it", async () => {
    const who = await trader()
    const id = await begun(who)
    await send(stripe.event('checkout.session.expired', { id: 'cs_1', client_reference_id: id }))
    expect(await deposits(who)).toMatchObject([{ status: 'Rejected' }])
    const late = stripe.event('checkout.session.completed', paid(id, 25_000))
    expect([(await send(late)).status, (await send(late)).status]).toEqual([200, 200])
    expect(await balance(who)).toBe(0)
    expect(await deposits(who)).toMatchObject([{ status: 'Rejected' }])
  })

  test('that is paid but not credited is at the desk until an operator closes it with a reason', async () => {
    const who = await trader()
    const id = await begun(who)
    await send(stripe.event('checkout.session.expired', { id: 'cs_1', client_reference_id: id }))
    const finance = await operator(app, ['finance'])
    const listed = async (query: string) =>
      ((await finance.ask('GET', `/deposits?limit=200&${query}`)).json!.data as DeskDeposit[]).find(
        (one) => one.id === id,
      )
    expect(await listed('status=to_do')).toBeUndefined()
    await Promise.all(
      ['checkout.session.completed', 'checkout.session.async_payment_succeeded'].map((type) =>
        send(stripe.event(type, paid(id, 25_000, `pi_late_${id}`))),
      ),
    )
    expect(await listed('status=to_do')).toMatchObject({
      status: 'Rejected',
      flags: expect.arrayContaining(["Paid by card, but can't be credited"]),
      uncredited_payments: [{ payment: `pi_late_${id}`, amount: 250, closed: null }],
    })
    const close = (reason: string) => finance.ask('POST', `/deposits/${id}/close-payments`, { body: { reason } })
    expect((await close('')).status).toBe(422)
    expect((await close('Refunded as re_1.')).status).toBe(200)
    expect((await close('Refunded as re_2.')).json).toMatchObject({ code: 'wrong_state' })
    expect(await listed('status=to_do')).toBeUndefined()
    expect(await listed('status=Rejected')).toMatchObject({
      flags: expect.not.arrayContaining(["Paid by card, but can't be credited"]),
      uncredited_payments: [{ closed: { email: finance.email, reason: 'Refunded as re_1.' } }],
    })
    // The provider may repeat it; it stays closed.
    await send(stripe.event('checkout.session.completed', paid(id, 25_000, `pi_late_${id}`)))
    expect(await listed('status=to_do')).toBeUndefined()
    expect(await balance(who)).toBe(0)
  })

  test('credits one payment only; a second one for it is at the desk', async () => {
    const who = await trader()
    const id = await begun(who)
    await send(stripe.event('checkout.session.completed', paid(id, 25_000, `pi_one_${id}`)))
    expect((await send(stripe.event('checkout.session.completed', paid(id, 25_000, `pi_two_${id}`)))).status).toBe(200)
    expect(await balance(who)).toBe(250)
    const stored = app.db.selectFrom('uncredited_payments').select(['payment', 'amount', 'deposit_id'])
    expect(await stored.where('payment', 'like', `pi_%_${id}`).execute()).toEqual([
      { payment: `pi_two_${id}`, amount: 25_000n, deposit_id: parsePublicId(id) },
    ])
  })

  test('that this installation does not know is stored too', async () => {
    const unknown = '0000000000001'
    expect((await send(stripe.event('checkout.session.completed', paid(unknown, 700, 'pi_unknown')))).status).toBe(200)
    const stored = app.db.selectFrom('unknown_deposits').select('amount').where('reference', '=', 'pi_unknown')
    expect(await stored.execute()).toEqual([{ amount: 700n }])
    expect(
      (await send(stripe.event('checkout.session.expired', { id: 'cs_1', client_reference_id: unknown }))).status,
    ).toBe(200)
  })

  test('is closed by a self-exclusion, which its key does not escape', async () => {
    const who = await trader()
    await begin(who, 100, 'before')
    expect(
      (await app.send('POST', '/api/guardrails/exclusion', { token: who.token, body: { months: 6 } })).status,
    ).toBe(200)
    const back = await app.trader(who)
    expect((await begin(back, 100, 'before')).json).toMatchObject({ code: 'account_locked' })
    await vi.waitUntil(async () => (await deposits(back))[0]?.status === 'Rejected', { timeout: 60_000 })
    expect((await begin(back, 100, 'new')).json).toMatchObject({ code: 'account_locked' })
    expect(await balance(back)).toBe(0)
  })

  test('whose payment was abandoned is not payable again under its key', async () => {
    const who = await trader()
    const reply = await begin(who, 100, 'twice')
    const { deposit_id } = reply.json!.data as { deposit_id: string }
    await send(stripe.event('checkout.session.expired', { id: 'cs_1', client_reference_id: deposit_id }))
    expect((await begin(who, 100, 'twice')).json).toMatchObject({ code: 'wrong_state' })
  })

  test('requires a confirmed e-mail and a responding provider', async () => {
    const unconfirmed = await app.trader()
    expect((await begin(unconfirmed)).json).toMatchObject({ code: 'email_not_confirmed' })
    const who = await trader()
    stripe.goDown(true)
    const reply = await begin(who)
    stripe.goDown(false)
    expect([reply.status, reply.json?.code]).toEqual([503, 'unavailable'])
    expect(reply.text).not.toContain('sk_test')
  })
})

describe('the desk rejects a card deposit', () => {
  const checkoutOf = async (id: string) =>
    (
      await app.db
        .selectFrom('deposits')
        .select('checkout')
        .where('id', '=', parsePublicId(id)!)
        .executeTakeFirstOrThrow()
    ).checkout!
  const reject = async (id: string) =>
    (await operator(app, ['finance'])).ask('POST', `/deposits/${id}/reject`, { body: { reason: 'A test.' } })

  test('only after its checkout is closed, so that no one can still pay', async () => {
    const who = await trader()
    const id = await begun(who)
    expect((await reject(id)).status).toBe(200)
    expect(stripe.statuses.get(await checkoutOf(id))).toBe('expired')
    expect(await deposits(who)).toMatchObject([{ status: 'Rejected' }])
  })

  test('not while the provider is unreachable', async () => {
    const who = await trader()
    const id = await begun(who)
    stripe.goDown(true)
    const reply = await reject(id)
    stripe.goDown(false)
    expect([reply.status, reply.json?.code]).toEqual([503, 'unavailable'])
    expect(await deposits(who)).toMatchObject([{ status: 'Pending' }])
  })

  test('not once it is paid: the payment is credited', async () => {
    const who = await trader()
    const id = await begun(who)
    stripe.statuses.set(await checkoutOf(id), 'complete')
    const reply = await reject(id)
    expect([reply.status, reply.json?.code]).toEqual([409, 'wrong_state'])
    await send(stripe.event('checkout.session.completed', paid(id, 25_000)))
    expect(await balance(who)).toBe(250)
  })

  test("even if a crash lost the checkout's id", async () => {
    const who = await trader()
    const id = await begun(who)
    const checkout = await checkoutOf(id)
    await app.db.updateTable('deposits').set({ checkout: null }).where('id', '=', parsePublicId(id)!).execute()
    expect((await reject(id)).status).toBe(200)
    expect(stripe.statuses.get(checkout)).toBe('expired')
  })

  test('only in these cases in the database too', async () => {
    const who = await trader()
    const id = await begun(who)
    await expect(
      app.db
        .updateTable('deposits')
        .set({ status: 'Rejected', reason: 'x', decided_at: new Date() })
        .where('id', '=', parsePublicId(id)!)
        .execute(),
    ).rejects.toThrow(/deposits_checkout_closed/)
  })
})

describe('a forged event', () => {
  test('credits nothing', async () => {
    const who = await trader()
    const id = await begun(who)
    const good = stripe.event('checkout.session.completed', paid(id, 25_000))
    const forgeries = [
      { ...good, header: '' },
      { ...good, header: 't=1,v1=00' },
      { ...good, payload: good.payload.replace('25000', '99900') },
      stripe.event('checkout.session.completed', paid(id, 25_000), { secret: 'whsec_guessed' }),
      // A replay of an event from an hour ago.
      stripe.event('checkout.session.completed', paid(id, 25_000), { at: Math.floor(Date.now() / 1000) - 3_600 }),
      { payload: '{', header: good.header },
      { payload: '', header: good.header },
    ]
    for (const forgery of forgeries) {
      const reply = await send(forgery)
      expect([reply.status, reply.json?.code]).toEqual([400, 'malformed'])
    }
    expect(await balance(who)).toBe(0)
    expect(await deposits(who)).toMatchObject([{ status: 'Pending' }])
  })

  test('changes nothing if signed but unpaid, in another currency or not about us', async () => {
    const who = await trader()
    const id = await begun(who)
    for (const object of [
      { ...paid(id, 25_000), payment_status: 'unpaid' },
      { ...paid(id, 25_000), currency: 'jpy' },
      { ...paid(id, 0) },
      { ...paid('nonsense', 25_000) },
      { ...paid(id, 25_000), client_reference_id: null },
    ])
      expect((await send(stripe.event('checkout.session.completed', object))).status).toBe(200)
    expect((await send(stripe.event('customer.created', { id: 'cus_1' }))).status).toBe(200)
    expect((await send(stripe.event('checkout.session.completed', paid('0000000000001', 25_000)))).status).toBe(200)
    expect(await balance(who)).toBe(0)
  })
})

describe('a reversal', () => {
  async function credited(dollars = 250) {
    const who = await trader()
    const id = await begun(who, dollars)
    await send(stripe.event('checkout.session.completed', paid(id, dollars * 100)))
    expect(await balance(who)).toBe(dollars)
    return { who, id }
  }
  const refund = (id: string, cents: number, name: string) =>
    stripe.event('refund.created', { id: name, amount: cents, currency: 'usd', payment_intent: `pi_${id}` })
  const dispute = (id: string, cents: number, name: string) =>
    stripe.event('charge.dispute.funds_withdrawn', {
      id: name,
      amount: cents,
      currency: 'usd',
      payment_intent: `pi_${id}`,
    })

  test('is deducted once for each refund', async () => {
    const { who, id } = await credited()
    await send(refund(id, 10_000, `re_1_${id}`))
    await send(refund(id, 10_000, `re_1_${id}`))
    expect(await balance(who)).toBe(150)
    await send(refund(id, 5_000, `re_2_${id}`))
    expect(await balance(who)).toBe(100)
    expect(await deposits(who)).toMatchObject([{ status: 'Approved', reversed: 150 }])
  })

  test('never takes more than was credited, whatever is disputed after a refund', async () => {
    const { who, id } = await credited()
    await send(refund(id, 20_000, `re_3_${id}`))
    await send(dispute(id, 25_000, `dp_1_${id}`))
    await send(dispute(id, 25_000, `dp_2_${id}`))
    expect(await balance(who)).toBe(0)
    expect(await deposits(who)).toMatchObject([{ reversed: 250 }])
  })

  test("leaves a debt if the balance doesn't cover it, which the next deposit repays first", async () => {
    const { who, id } = await credited(3_000)
    const bought = await app.send('POST', '/api/users/set-plan', {
      token: who.token,
      body: { trading_plan: 'Beginner-3000' },
    })
    expect(bought.status).toBe(200)
    await send(dispute(id, 300_000, `dp_3_${id}`))
    const owed = async () =>
      (
        await app.db
          .selectFrom('accounts')
          .select('owed')
          .where('id', '=', accountOf(BigInt(who.id), 'real'))
          .executeTakeFirstOrThrow()
      ).owed
    expect([await balance(who), await owed()]).toEqual([0, -300_000n])
    const next = await begun(who, 100)
    await send(stripe.event('checkout.session.completed', paid(next, 10_000)))
    expect([await balance(who), await owed()]).toEqual([0, -290_000n])
    const last = await begun(who, 3_000)
    await send(stripe.event('checkout.session.completed', paid(last, 300_000)))
    expect([await balance(who), await owed()]).toEqual([100, 0n])
  })

  test("ignores other accounts' payments", async () => {
    const { who } = await credited()
    expect((await send(refund('unknown', 10_000, 're_unknown'))).status).toBe(200)
    expect(await balance(who)).toBe(250)
  })
})

describe('the events of a payment', () => {
  type Event = { type: string; object: object }
  const refundOf = (payment: string, name: string, cents: number, status = 'succeeded') => ({
    id: `re_${name}_${payment}`,
    amount: cents,
    currency: 'usd',
    payment_intent: payment,
    status,
  })
  const account = (who: Trader) =>
    app.db
      .selectFrom('accounts')
      .select(['balance', 'owed'])
      .where('id', '=', accountOf(BigInt(who.id), 'real'))
      .executeTakeFirstOrThrow()
  const sendAll = async (events: Event[]) => {
    for (const { type, object } of events) {
      const reply = await send(stripe.event(type, object))
      expect(reply.status, reply.text).toBe(200)
    }
  }
  const paymentOf = (id: string) => `pi_${id}`
  const completed = (id: string): Event => ({ type: 'checkout.session.completed', object: paid(id, 25_000) })

  test("a refund that arrives before its payment isn't lost", async () => {
    const who = await trader()
    const id = await begun(who)
    await sendAll([{ type: 'refund.created', object: refundOf(paymentOf(id), 'a', 25_000) }])
    expect(await deposits(who)).toMatchObject([{ status: 'Pending' }])
    await sendAll([completed(id)])
    expect(await deposits(who)).toMatchObject([{ status: 'Approved', amount: 250, reversed: 250 }])
    expect(await account(who)).toEqual({ balance: 0n, owed: 0n })
  })

  test('are all counted when they arrive in parallel', async () => {
    const who = await trader()
    const ids = await Promise.all(Array.from({ length: 10 }, () => begun(who)))
    const replies = await Promise.all(
      ids.flatMap((id) => [
        send(stripe.event('refund.created', refundOf(paymentOf(id), 'a', 10_000))),
        send(stripe.event('checkout.session.completed', paid(id, 25_000))),
        send(stripe.event('refund.created', refundOf(paymentOf(id), 'b', 5_000))),
      ]),
    )
    expect(replies.map((reply) => reply.status)).toEqual(Array(30).fill(200))
    expect(await balance(who)).toBe(1_000)
  })

  test('credit a failed refund and a won dispute again, repaying debt first', async () => {
    const who = await trader()
    const id = await begun(who)
    const dispute = { id: `dp_${id}`, amount: 25_000, currency: 'usd', payment_intent: paymentOf(id) }
    await sendAll([completed(id)])
    await app.send('POST', '/api/withdraw', {
      token: who.token,
      body: { amount: 200, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
    })
    await sendAll([
      { type: 'refund.created', object: refundOf(paymentOf(id), 'a', 10_000, 'pending') },
      { type: 'charge.dispute.funds_withdrawn', object: dispute },
    ])
    expect(await account(who)).toEqual({ balance: 0n, owed: -20_000n })
    await sendAll([{ type: 'charge.dispute.funds_reinstated', object: dispute }])
    expect(await account(who)).toEqual({ balance: 0n, owed: -5_000n })
    expect(await deposits(who)).toMatchObject([{ reversed: 100 }])
    await sendAll([{ type: 'refund.failed', object: refundOf(paymentOf(id), 'a', 10_000, 'failed') }])
    expect(await account(who)).toEqual({ balance: 5_000n, owed: 0n })
    expect((await deposits(who))[0]).not.toHaveProperty('reversed')
    const notices = (await app.send('GET', '/api/notices', { token: who.token })).json!.data as { title: string }[]
    expect(notices[0]!.title).toBe('A reversed deposit was credited again')
  })

  test('lead to the same balance in every order, with repeats', async () => {
    const who = await trader()
    const cents = fc.integer({ min: 1, max: 30_000 })
    const undone = fc.constantFrom('stands', 'undone')
    const scenario = fc.record({
      refunds: fc.array(fc.record({ cents, fate: undone }), { maxLength: 3 }),
      disputes: fc.array(fc.record({ cents, fate: undone }), { maxLength: 2 }),
      order: fc.infiniteStream(fc.nat()),
      repeats: fc.array(fc.nat(), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ refunds, disputes, order, repeats }) => {
        const id = await begun(who)
        const payment = paymentOf(id)
        const events: Event[] = [completed(id)]
        for (const [n, { cents, fate }] of refunds.entries()) {
          events.push({ type: 'refund.created', object: refundOf(payment, `${n}`, cents, 'pending') })
          if (fate === 'undone')
            events.push({ type: 'refund.failed', object: refundOf(payment, `${n}`, cents, 'failed') })
          else events.push({ type: 'refund.updated', object: refundOf(payment, `${n}`, cents) })
        }
        for (const [n, { cents, fate }] of disputes.entries()) {
          const object = { id: `dp_${n}_${id}`, amount: cents, currency: 'usd', payment_intent: payment }
          events.push({ type: 'charge.dispute.funds_withdrawn', object })
          if (fate === 'undone') events.push({ type: 'charge.dispute.funds_reinstated', object })
        }
        const signed = events.map(({ type, object }) => stripe.event(type, object))
        const sent = [...signed, ...repeats.map((n) => signed[n % signed.length]!)]
          .map((event) => ({ event, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
        const before = await account(who)
        for (const { event } of sent) expect((await send(event)).status).toBe(200)
        const standing = [...refunds, ...disputes].filter(({ fate }) => fate === 'stands')
        const taken = standing.reduce((sum, one) => sum + BigInt(one.cents), 0n)
        const stays = 25_000n - (taken > 25_000n ? 25_000n : taken)
        expect(await account(who)).toEqual({ balance: before.balance + stays, owed: 0n })
      }),
      { seed: SEED, numRuns: 40 },
    )
    expect(await app.broken()).toEqual([])
  })
})
