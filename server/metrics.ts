import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from './platform/clock.ts'
import type { EventLoop } from './platform/event-loop.ts'
import { isLoopback } from './platform/network.ts'
import type { Push } from './platform/push.ts'
import type { Prices } from './prices/index.ts'

interface Parts {
  push: Push
  prices: Prices
  clock: Clock
  eventLoop: EventLoop
  /** Allows access from other hosts than loopback, as a Bearer token. */
  token: string | undefined
}

/** Serves monitoring metrics at `GET /metrics`, as Prometheus text; 404 for anyone without access. */
export function serveMetrics(app: FastifyInstance, { push, prices, clock, eventLoop, token }: Parts): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  gauge('cleartick_sockets', 'Open sockets', (set) => set(push.sockets()))
  gauge('cleartick_tape_frame', 'Number of the newest frame', (set) => set(prices.tape.head().n))
  gauge('cleartick_tape_age_ms', 'Milliseconds since the newest frame', (set) =>
    set(clock.now() - prices.tape.head().t),
  )
  gauge('cleartick_event_loop_lag_ms', 'Longest delay of the event loop in the last 10 to 20 s', (set) =>
    set(eventLoop.lagMs()),
  )
  gauge('cleartick_quotes_refused', 'Rejected quotes, by reason', (_set, setFor) => {
    for (const [reason, count] of prices.refused()) setFor({ reason }, count)
  })
  gauge(
    'cleartick_tape_bytes',
    'Bytes of the tape: one day of chain, one day of bodies, all retained bodies',
    async (_set, setFor) => {
      const { chainBytesPerDay, bodyBytesPerDay, bodyBytes } = await prices.measure()
      setFor({ of: 'chain_per_day' }, chainBytesPerDay)
      setFor({ of: 'bodies_per_day' }, bodyBytesPerDay)
      setFor({ of: 'bodies_kept' }, bodyBytes)
    },
  )

  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request, token)) return reply.callNotFound()
    return reply.header('content-type', registry.contentType).send(await registry.metrics())
  })

  type Labels = Record<string, string>
  function gauge(
    name: string,
    help: string,
    read: (set: (value: number) => void, setFor: (labels: Labels, value: number) => void) => void | Promise<void>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['reason', 'of'],
      registers: [registry],
      collect() {
        return read(
          (value) => this.set(value),
          (labels, value) => this.set(labels, value),
        )
      },
    })
  }
}

/** A proxy on this host is on loopback too, so a request that came through one needs the token. */
function mayRead(request: FastifyRequest, token: string | undefined): boolean {
  const { authorization = '', forwarded, 'x-forwarded-for': forwardedFor } = request.headers
  if (token !== undefined && isSame(authorization, `Bearer ${token}`)) return true
  const direct = forwarded === undefined && forwardedFor === undefined
  return direct && isLoopback(request.socket.remoteAddress)
}

const isSame = (given: string, expected: string) => timingSafeEqual(sha256(given), sha256(expected))
const sha256 = (text: string) => createHash('sha256').update(text).digest()
