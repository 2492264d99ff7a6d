import type * as core from 'zod/v4/core'
import { addressBookCalls } from './address-book.ts'
import { alertsCalls } from './alerts.ts'
import { authCalls } from './auth.ts'
import { automaticCalls } from './automatic.ts'
import { backtestCalls } from './backtest.ts'
import { cashierCalls } from './cashier.ts'
import { chartCalls } from './chart.ts'
import { closureCalls } from './closure.ts'
import { complaintsCalls } from './complaints.ts'
import { deskCalls } from './desk/index.ts'
import { emailChangeCalls } from './email-change.ts'
import type { Endpoint } from './endpoint.ts'
import { figuresCalls } from './figures.ts'
import { guardrailsCalls } from './guardrails.ts'
import { incidentsCalls } from './incidents.ts'
import { kycCalls } from './kyc.ts'
import { noticesCalls } from './notices.ts'
import { plansCalls } from './plans.ts'
import { priceCompositionCalls } from './price-composition.ts'
import { pricesCalls } from './prices.ts'
import { profileCalls } from './profile.ts'
import { proofCalls } from './proof.ts'
import { secondFactorCalls } from './second-factor.ts'
import { signalsCalls } from './signals.ts'
import { statementsCalls } from './statements.ts'
import { supportCalls } from './support.ts'
import { tradingCalls } from './trading.ts'
import { webPushCalls } from './web-push.ts'

/** All endpoints of the API, keyed by `'METHOD /path'` below `/api`. */
export const api = {
  ...addressBookCalls,
  ...alertsCalls,
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
  ...plansCalls,
  ...priceCompositionCalls,
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
