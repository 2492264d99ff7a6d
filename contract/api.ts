import type * as core from 'zod/v4/core'
import { authCalls } from './account/auth.ts'
import { closureCalls } from './account/closure.ts'
import { emailChangeCalls } from './account/email-change.ts'
import { guardrailsCalls } from './account/guardrails.ts'
import { kycCalls } from './account/kyc.ts'
import { profileCalls } from './account/profile.ts'
import { secondFactorCalls } from './account/second-factor.ts'
import { deskCalls } from './desk/index.ts'
import type { Endpoint } from './endpoint.ts'
import { noticesCalls } from './messages/notices.ts'
import { supportCalls } from './messages/support.ts'
import { webPushCalls } from './messages/web-push.ts'
import { addressBookCalls } from './money/address-book.ts'
import { cashierCalls } from './money/cashier.ts'
import { plansCalls } from './money/plans.ts'
import { statementsCalls } from './money/statements.ts'
import { incidentsCalls } from './prices/incidents.ts'
import { priceCompositionCalls } from './prices/price-composition.ts'
import { pricesCalls } from './prices/prices.ts'
import { proofCalls } from './prices/proof.ts'
import { alertsCalls } from './trading/alerts.ts'
import { automaticCalls } from './trading/automatic.ts'
import { backtestCalls } from './trading/backtest.ts'
import { chartCalls } from './trading/chart.ts'
import { complaintsCalls } from './trading/complaints.ts'
import { figuresCalls } from './trading/figures.ts'
import { ownStrategiesCalls } from './trading/own-strategies.ts'

import { priceListCalls } from './trading/price-lists.ts'
import { signalsCalls } from './trading/signals.ts'
import { tradingCalls } from './trading/trading.ts'
import { waitingCalls } from './trading/waiting.ts'
import { webhooksCalls } from './trading/webhooks.ts'

/** All endpoints of the API, keyed by `'METHOD /path'` below `/api`. */
export const api = {
  ...addressBookCalls,
  ...alertsCalls,
  ...waitingCalls,
  ...authCalls,
  ...automaticCalls,
  ...backtestCalls,
  ...cashierCalls,
  ...chartCalls,
  ...closureCalls,
  ...complaintsCalls,
  ...statementsCalls,
  ...profileCalls,
  ...deskCalls,
  ...emailChangeCalls,
  ...figuresCalls,
  ...guardrailsCalls,
  ...incidentsCalls,
  ...kycCalls,
  ...noticesCalls,
  ...webPushCalls,
  ...ownStrategiesCalls,
  ...webhooksCalls,
  ...plansCalls,
  ...priceCompositionCalls,
  ...priceListCalls,
  ...pricesCalls,
  ...proofCalls,
  ...secondFactorCalls,
  ...signalsCalls,
  ...supportCalls,
  ...tradingCalls,
}

export type Api = typeof api
export type CallName = keyof Api
type Part<K extends CallName, P extends keyof Endpoint> = Api[K] extends Record<P, infer S> ? S : undefined
type Input<S> = S extends core.$ZodType ? core.input<S> : undefined
type Output<S> = S extends core.$ZodType ? core.output<S> : undefined

/** The parts of a request as a client sends them. */
export type Params<K extends CallName> = Input<Part<K, 'params'>>
export type Query<K extends CallName> = Input<Part<K, 'query'>>
export type Body<K extends CallName> = Input<Part<K, 'body'>>
export type Form<K extends CallName> = Input<Part<K, 'form'>>
/** A part of a request as the server has parsed it. */
export type Parsed<K extends CallName, P extends 'params' | 'query' | 'body' | 'form'> = Output<Part<K, P>>
export type Reply<K extends CallName> = Api[K]['reply'] extends core.$ZodType ? core.output<Api[K]['reply']> : string
