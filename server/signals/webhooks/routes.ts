import { Problem } from '#contract/problem.ts'
import { WEBHOOKS_A_MINUTE, type webhooksCalls } from '#contract/trading/webhooks.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { createOutsideStrategy, type OwnStrategiesDeps, strategyOwnedBy } from '../../own-strategies/index.ts'
import type { Handlers, RequestInfo } from '../../platform/http/index.ts'
import type { RateLimit, RateLimits } from '../../platform/http/limits/rate-limit.ts'
import { listReply, pageOf } from '../../platform/http/page.ts'
import { toOwnSignal } from '../view.ts'
import { type AddressDeps, isSigned, makeAddress, strategyAt } from './address.ts'
import { receivedOf, signalsOf, toReceived } from './lists.ts'
import { type ReceiveDeps, takeMessage } from './receive.ts'

type WebhooksDeps = AddressDeps & ReceiveDeps & OwnStrategiesDeps & { limit: RateLimit }

/** Counts messages of each strategy. */
export const webhooksLimit = (rateLimits: RateLimits): RateLimit =>
  rateLimits('signals from outside', {
    max: WEBHOOKS_A_MINUTE,
    windowMs: MINUTE_MS,
    message: `A strategy takes at most ${WEBHOOKS_A_MINUTE} messages a minute.`,
  })

const TAKEN = { status: true as const, message: 'Received.' }
const parseCursor = (unchecked: string) => (/^[1-9]\d{0,14}$/.test(unchecked) ? BigInt(unchecked) : undefined)

/** The routes of `contract/trading/webhooks.ts`. */
export function webhooksRoutes(deps: WebhooksDeps): Handlers<keyof typeof webhooksCalls> {
  const { db, instruments, limit } = deps

  /** Counts a message only once its sender is known, so that nobody else can use up a strategy's limit. */
  async function take(strategyId: bigint, request: RequestInfo, nonce?: string) {
    limit.take(String(strategyId))
    await takeMessage(deps, strategyId, request.rawText ?? '', nonce)
    return TAKEN
  }

  return {
    'POST /strategies/webhook': async ({ who, body }) => ({
      status: true,
      data: await createOutsideStrategy(deps, who.userId, body),
    }),
    'POST /strategies/:id/address': async ({ who, params }) => ({
      status: true,
      data: await makeAddress(deps, who.userId, params.id),
    }),
    'GET /strategies/:id/signals': async ({ who, params, query }) => {
      const page = pageOf(query, parseCursor)
      await strategyOwnedBy(db, who.userId, params.id)
      return listReply(await signalsOf(db, params.id, page), page, (row) => toOwnSignal(instruments, row), String)
    },
    'GET /strategies/:id/received': async ({ who, params, query }) => {
      const page = pageOf(query, parseCursor)
      await strategyOwnedBy(db, who.userId, params.id)
      return listReply(await receivedOf(db, params.id, page), page, (row) => toReceived(instruments, row), String)
    },
    'POST /webhooks/:secret': async ({ params, request }) => {
      const id = await strategyAt(db, params.secret)
      if (id === undefined) throw unknownAddress()
      return take(id, request)
    },
    'POST /webhooks/:id/signed': async ({ params, request }) => {
      const nonce = request.header('x-nonce') ?? ''
      const signature = request.header('x-signature') ?? ''
      if (nonce.length < 8 || nonce.length > 64) throw new Problem('malformed', 'X-Nonce must have 8 to 64 characters.')
      if (!(await isSigned(deps, params.id, { nonce, text: request.rawText ?? '', signature }))) throw unknownAddress()
      return take(params.id, request, nonce)
    },
  }
}

const unknownAddress = () =>
  new Problem('not_found', 'No strategy has this address and signature. Make a new address if you have lost it.')
