import type Stripe from 'stripe'
import { Problem } from '#contract/problem.ts'
import { parsePublicId, publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import type { CardEvent, CardProvider } from '../deps.ts'

interface StripeSettings {
  secretKey: string
  /** Signs the webhook's messages. */
  webhookSecret: string
  /** The API's URL, for a mock server; defaults to Stripe's. */
  apiUrl?: string | undefined
  brand: string
  publicUrl(): string
}

/**
 * Takes card payments through Stripe Checkout: the trader enters the card on Stripe's page, and only its signed webhook
 * credits.
 */
export async function stripeCards(settings: StripeSettings): Promise<CardProvider> {
  // Import lazily: only card payments need it.
  const { default: Client } = await import('stripe')
  const api = settings.apiUrl ? new URL(settings.apiUrl) : undefined
  const stripe = new Client(settings.secretKey, {
    maxNetworkRetries: 2,
    timeout: 15_000,
    telemetry: false,
    ...(api ? { host: api.hostname, port: api.port, protocol: api.protocol === 'http:' ? 'http' : 'https' } : {}),
  })

  return {
    async checkout({ depositId, amount }) {
      const session = await stripe.checkout.sessions
        .create(
          checkoutOf(settings, depositId, amount),
          // A retry starts no second payment.
          { idempotencyKey: `deposit-${publicId(depositId)}` },
        )
        .catch(() => {
          throw outOfReach()
        })
      if (!session.url) throw new Problem('unavailable', "The card provider didn't open a checkout page. Try again.")
      return { id: session.id, url: session.url }
    },

    async close(checkout) {
      const now = await stripe.checkout.sessions.expire(checkout).catch(async () => {
        // Only an open session can be expired; if this one isn't open, its status says why.
        const session = await stripe.checkout.sessions.retrieve(checkout).catch(() => undefined)
        if (!session || session.status === 'open') throw outOfReach()
        return session
      })
      return now.status === 'complete' ? 'paid' : 'closed'
    },

    read(payload, signature) {
      let event: Stripe.Event
      try {
        event = stripe.webhooks.constructEvent(payload, signature ?? '', settings.webhookSecret)
      } catch {
        throw new Problem('malformed', "The signature doesn't match the message.")
      }
      return meaningOf(event)
    },
  }
}

function checkoutOf(
  { brand, publicUrl }: StripeSettings,
  depositId: bigint,
  amount: Parameters<CardProvider['checkout']>[0]['amount'],
): Stripe.Checkout.SessionCreateParams {
  const metadata = { deposit_id: publicId(depositId) }
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: Number(amount),
          product_data: { name: `Deposit to ${brand}` },
        },
      },
    ],
    client_reference_id: metadata.deposit_id,
    metadata,
    payment_intent_data: { metadata },
    success_url: `${publicUrl()}/user/deposit-log`,
    cancel_url: `${publicUrl()}/user/deposit`,
  }
}

const outOfReach = () =>
  new Problem('unavailable', 'The card provider is not responding. Try again shortly.', { retryAfterSeconds: 10 })

/** Translates a Stripe event. Most events don't concern us. */
function meaningOf(event: Stripe.Event): CardEvent {
  const { id, type } = event
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = event.data.object
      const depositId = parsePublicId(session.client_reference_id ?? '')
      if (session.payment_status !== 'paid' || session.currency !== 'usd' || !session.amount_total) break
      if (depositId === undefined) break
      return {
        id,
        type,
        kind: 'paid',
        depositId,
        amount: usd(BigInt(session.amount_total)),
        reference: paymentOf(session) ?? session.id,
      }
    }
    case 'checkout.session.expired':
    case 'checkout.session.async_payment_failed': {
      const depositId = parsePublicId(event.data.object.client_reference_id ?? '')
      if (depositId === undefined) break
      return { id, type, kind: 'failed', depositId }
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated': {
      const { status } = event.data.object
      const isUndone = event.type === 'refund.failed' || status === 'failed' || status === 'canceled'
      return movementOf(event, event.data.object, isUndone ? 'returned' : 'taken')
    }
    case 'charge.dispute.funds_withdrawn':
      return movementOf(event, event.data.object, 'taken')
    case 'charge.dispute.funds_reinstated':
      return movementOf(event, event.data.object, 'returned')
  }
  return { id, type, kind: 'nothing' }
}

function movementOf(
  { id, type }: Stripe.Event,
  moved: { id: string; amount: number; currency: string; payment_intent: string | { id: string } | null },
  kind: 'taken' | 'returned',
): CardEvent {
  const payment = paymentOf(moved)
  if (payment === undefined || moved.currency !== 'usd' || moved.amount <= 0) return { id, type, kind: 'nothing' }
  return { id, type, kind, payment, amount: usd(BigInt(moved.amount)), reference: moved.id }
}

function paymentOf({
  payment_intent: payment,
}: {
  payment_intent: string | { id: string } | null
}): string | undefined {
  return typeof payment === 'string' ? payment : payment?.id
}
