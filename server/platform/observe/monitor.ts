import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '../http/limits/network.ts'
import { StartProblem } from '../process/start-problem.ts'
import { examineParts, type HealthNotes, type HealthParts, problemsOf } from './health.ts'
import type { Metrics } from './metrics.ts'

interface MonitorOptions {
  host: string
  /** 0 for any free one. */
  port: number
  /** Lets other machines read metrics, as a Bearer token. */
  token: string | undefined
  metrics: Metrics
  parts: HealthParts
  notes(): HealthNotes
}

/** Monitoring and nothing else: a few connections are plenty. */
const CONNECTIONS_MAX = 32
/** A process that was killed a moment ago may leave the port taken for an instant. */
const PORT_FREE_WITHIN_MS = 1_000

/**
 * Serves monitoring on a separate port, which clients don't reach and which a process without HTTP has too:
 * `GET /metrics` (this machine, or the token), `GET /health` (200, or 503 with what is wrong) and `GET /live` (200 as
 * long as the process responds).
 */
export async function startMonitor(options: MonitorOptions): Promise<{ port: number; close(): Promise<void> }> {
  const { host, port, token, metrics, parts, notes } = options
  const server = createServer(
    { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 },
    (request, response) => {
      const send = (status: number, type: string, text: string) =>
        response
          .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' })
          .end(request.method === 'HEAD' ? '' : text)
      const json = (status: number, value: unknown) =>
        send(status, 'application/json; charset=utf-8', JSON.stringify(value))
      const notFound = () => json(404, { status: false, code: 'not_found', message: 'No such endpoint.' })
      const answer = async () => {
        if (request.method !== 'GET' && request.method !== 'HEAD') return notFound()
        if (request.url === '/live') return json(200, { status: true })
        if (request.url === '/health') {
          const states = await examineParts(parts)
          const problems = problemsOf(states)
          if (problems !== '') return json(503, { status: false, code: 'unavailable', message: problems })
          const up = Object.fromEntries(Object.keys(states).map((name) => [name, 'up']))
          return json(200, { status: true, data: { ...up, ...notes() } })
        }
        if (request.url === '/metrics' && mayRead(request, token))
          return send(200, metrics.contentType, await metrics.text())
        return notFound()
      }
      answer().catch(() => json(500, { status: false, code: 'internal', message: 'Something Went Wrong!' }))
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  for (const until = performance.now() + PORT_FREE_WITHIN_MS; ; await sleep(50)) {
    const failure = await listening(server, port, host).then(
      () => undefined,
      (error: Error) => error,
    )
    if (!failure) break
    if (performance.now() > until)
      throw new StartProblem(`METRICS_PORT: can't listen on ${host}:${port} (${failure.message}).`)
  }
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listening(server: Server, port: number, host: string): Promise<unknown> {
  server.listen(port, host)
  // Rejects if the server emits an error first.
  return once(server, 'listening')
}

/**
 * Returns whether a request may read metrics: from this machine or with the token. A proxy on this host is on loopback
 * too, so a request that came through one needs the token.
 */
export function mayRead({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, token: string | undefined) {
  const { authorization = '', forwarded, 'x-forwarded-for': forwardedFor } = headers
  if (token !== undefined && isSame(authorization, `Bearer ${token}`)) return true
  const direct = forwarded === undefined && forwardedFor === undefined
  return direct && isLoopback(socket.remoteAddress)
}

const isSame = (given: string, expected: string) => timingSafeEqual(sha256(given), sha256(expected))
const sha256 = (text: string) => createHash('sha256').update(text).digest()
