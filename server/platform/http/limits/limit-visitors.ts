import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Problem } from '#contract/problem.ts'
import { bearerToken } from '../read-request.ts'
import { networkOf } from './network.ts'
import { throttle } from './throttle.ts'
import { visitorBudget } from './visitor-budget.ts'

/** How many recent session tokens are remembered, so that a network over its budget doesn't lock its traders out. */
const KNOWN_TOKENS = 50_000
/**
 * Requests without a known session that begin in one turn of the event loop; the costliest takes a few milliseconds.
 */
const VISITORS_PER_TURN = 4
/** Calls of a token after its session has ended: enough to renew the session, and none to flood with. */
const CALLS_AFTER_END = 20

/** The newest tokens that had an active session, as hashes. */
export interface KnownTokens {
  /** The token has an active session. */
  add(token: string): void
  /** The token has none any more. After a few such calls it's no longer known. */
  ended(token: string): void
  has(token: string): boolean
}

/**
 * Limits each network to its budget of server time, for every request without a known session: API calls, pages and
 * files alike. Reading a body is not charged: its size is bounded, and a slow connection is not the caller's fault.
 */
export function limitVisitors(app: FastifyInstance, factor: number | undefined, known: KnownTokens): void {
  const budget = visitorBudget(factor)
  const turn = throttle(VISITORS_PER_TURN)
  // Hooks with callbacks: a promise for each would cost every request.
  app.addHook('onRequest', (request, _reply, done) => {
    request.token = bearerToken(request)
    // Only calls look up whose token it is: pages and unknown paths don't need one.
    const isCall = request.routeOptions.config.raw !== undefined
    request.isKnown = isCall && request.token !== undefined && known.has(request.token)
    if (request.isKnown) return done()
    try {
      request.chargeVisitor = budget.begin(networkOf(request.ip))
      turn().then(() => done(), done)
    } catch (refusal) {
      done(refusal as Problem)
    }
  })
  const charge = (request: FastifyRequest) => {
    const { chargeVisitor, handlerBegan } = request
    if (!chargeVisitor) return
    request.chargeVisitor = undefined
    const used = handlerBegan === undefined || request.who ? 0 : performance.now() - handlerBegan
    chargeVisitor(used)
  }
  app.addHook('onSend', (request, _reply, _payload, done) => {
    charge(request)
    done()
  })
  app.addHook('onRequestAbort', (request, done) => {
    charge(request)
    done()
  })
}

export function knownTokens(): KnownTokens {
  const calls = new Map<string, number>()
  const hashOf = (token: string) => hash('sha256', token, 'base64')
  return {
    add(token) {
      const key = hashOf(token)
      if (calls.has(key)) return
      if (calls.size >= KNOWN_TOKENS) for (const oldest of calls.keys()) if (calls.delete(oldest)) break
      calls.set(key, 0)
    },
    ended(token) {
      const key = hashOf(token)
      const count = calls.get(key)
      if (count === undefined) return
      if (count + 1 < CALLS_AFTER_END) calls.set(key, count + 1)
      else calls.delete(key)
    },
    has: (token) => calls.has(hashOf(token)),
  }
}
