import { afterAll, expect } from 'vitest'
import { fakeStripe } from '../outside/stripe.ts'
import { startWholeApp, type Trader } from '../servers/app.ts'
import { verifyUser } from '../trades/money.ts'

/** An installation with a card provider for the tests of a file. Once they have ended, its books must be right. */
export async function cardsOfFile() {
  const stripe = await fakeStripe()
  const app = await startWholeApp({
    CARD_PROVIDER: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_of_the_api',
    STRIPE_WEBHOOK_SECRET: stripe.secret,
    STRIPE_API: stripe.url,
  })
  afterAll(async () => {
    const broken = await app.broken()
    await app.stop()
    await stripe.close()
    expect(broken, 'the money adds up after all of it').toEqual([])
  })

  async function trader(): Promise<Trader> {
    const made = await app.trader()
    await verifyUser(app.db, BigInt(made.id))
    return made
  }
  const begin = (who: Trader, amount = 250, key?: string) =>
    app.send('POST', '/api/deposit/card', {
      token: who.token,
      body: { amount },
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    })
  async function begun(who: Trader, amount = 250): Promise<string> {
    const reply = await begin(who, amount)
    expect(reply.status, reply.text).toBe(200)
    return (reply.json!.data as { deposit_id: string }).deposit_id
  }
  const send = ({ payload, header }: { payload: string; header: string }) =>
    app.send('POST', '/api/deposit/card/webhook', { body: payload, headers: { 'stripe-signature': header } })
  const paid = (depositId: string, cents: number, payment = `pi_${depositId}`) => ({
    id: 'cs_1',
    client_reference_id: depositId,
    payment_status: 'paid',
    currency: 'usd',
    amount_total: cents,
    payment_intent: payment,
  })
  const balance = async (who: Trader) =>
    ((await app.send('GET', '/api/users/me', { token: who.token })).json!.data as { balance: number }).balance
  const deposits = async (who: Trader) =>
    (await app.send('GET', '/api/deposit', { token: who.token })).json!.data as {
      deposit_id: string
      status: string
      amount: number
      reversed?: number
    }[]

  return { stripe, app, trader, begin, begun, send, paid, balance, deposits }
}
