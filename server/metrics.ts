import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from './platform/clock.ts'
import type { Push } from './platform/push.ts'
import type { Prices } from './prices/index.ts'

/** `GET /metrics`: what an operator watches, as Prometheus text. */
export function serveMetrics(app: FastifyInstance, parts: { push: Push; prices: Prices; clock: Clock }): void {
  const { push, prices, clock } = parts
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  gauge('cleartick_sockets', 'Open sockets', (set) => set(push.sockets()))
  gauge('cleartick_tape_frame', 'Number of the newest frame', (set) => set(prices.tape.head().n))
  gauge('cleartick_tape_age_ms', 'Milliseconds since the newest frame', (set) =>
    set(clock.now() - prices.tape.head().t),
  )
  gauge('cleartick_quotes_refused', 'Quotes that were not published, by reason', (_set, setFor) => {
    for (const [reason, count] of prices.refused()) setFor({ reason }, count)
  })
  gauge(
    'cleartick_tape_bytes',
    'Bytes of the tape: a day of chain, a day of bodies, all bodies that are kept',
    async (_set, setFor) => {
      const { chainBytesPerDay, bodyBytesPerDay, bodyBytes } = await prices.measure()
      setFor({ of: 'chain_per_day' }, chainBytesPerDay)
      setFor({ of: 'bodies_per_day' }, bodyBytesPerDay)
      setFor({ of: 'bodies_kept' }, bodyBytes)
    },
  )

  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', registry.contentType).send(await registry.metrics()),
  )

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
