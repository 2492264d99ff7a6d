import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { api, type CallName } from '#contract/api.ts'
import { Problem } from '#contract/problem.ts'
import type { Reads } from '../database/reads.ts'
import type { Log } from '../process/log.ts'
import { noSuchEndpoint, problemAnswers, rawRefusal } from './answer-problem.ts'
import { hostCookies } from './cookies.ts'
import type { Handler, Handlers, Who, WhoOperates } from './handler.ts'
import { limitDesk, type Network } from './limits/desk-networks.ts'
import { knownTokens, limitVisitors } from './limits/limit-visitors.ts'
import { openRateLimits, type RateLimits } from './limits/rate-limit.ts'
import { mounter } from './mount.ts'
import { JSON_BYTES } from './read-request.ts'
import { addSecurityHeaders, securityHeaders } from './security-headers.ts'

interface HttpOptions {
  log: Log
  /** Addresses of proxies whose forwarding headers count. */
  trustProxy: string | undefined
  /** The networks that the desk answers; undefined for all. */
  deskNetworks?: readonly Network[] | undefined
  /** Whether cookies may travel without TLS: only if the public address has none. */
  insecureCookies: boolean
  /** Multiplies the budget of requests without a session; undefined turns it off. */
  rateFactor: number | undefined
  /** Counts calls together with the other nodes; without it, this server counts by itself. */
  rateLimits?: RateLimits | undefined
  /** Returns the owner of an access token; undefined without an active session. */
  authenticate(token: string): Promise<Who | undefined>
  /** The same for a desk token, which is a different kind. */
  authenticateOperator(token: string): Promise<WhoOperates | undefined>
  /** Tests: checks every JSON response against the contract. */
  checkReplies?: boolean
  /** Called after each response. `route` is a row of the contract, `page`, or `none`: never what the caller typed. */
  responded?(response: Responded): void
  /** Whether the server has begun to stop: clients should use another connection for their next request. */
  isStopping?(): boolean
}

export interface Responded {
  route: string
  status: number
  tookMs: number
}

interface Http {
  app: FastifyInstance
  /** Mounts a handler for every endpoint of the contract below `/api`. `reads`: where those read that
   * may lag. */
  serve(reads: Reads, handlers: Handlers): void
  listen(host: string, port: number): Promise<number>
  /** Takes no more requests and finishes those under way; what takes too long is cut off. */
  close(): Promise<void>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Calls of the contract only: whether the body stays raw text. */
    raw?: boolean
  }
  interface FastifyRequest {
    /** The Bearer token, if one was sent. */
    token: string | undefined
    /** Whether the token has had an active session. */
    isKnown: boolean
    /** The owner of the request's session; undefined for a visitor. */
    who: Who | WhoOperates | undefined
    /** Settles what the request reserved of its network's budget; undefined for a known session. */
    chargeVisitor: ((usedMs: number) => void) | undefined
    /** `performance.now()` when the handler began, after the body was read. */
    handlerBegan: number | undefined
  }
}

/** How long requests under way may take once the server stops. */
const FINISH_WITHIN_MS = 10_000
const FINISH_CHECK_MS = 20
/** Longest path parameter that is routed; no id is longer. */
const PARAM_LENGTH = 200

/**
 * The HTTP server: reads each request by its row of the contract, and converts every error into one response format.
 */
export async function createHttp(options: HttpOptions): Promise<Http> {
  const answerProblem = problemAnswers(options.log)
  const tls = !options.insecureCookies
  /** The newest response of each connection. */
  const responses = new WeakMap<Socket, ServerResponse>()
  const app = openFastify(options, tls, answerProblem, (socket) => responses.get(socket))
  await readBodies(app)
  await acceptUpgrades(app, tls)

  app.decorateRequest('token', undefined)
  app.decorateRequest('isKnown', false)
  app.decorateRequest('who', undefined)
  app.decorateRequest('chargeVisitor', undefined)
  app.decorateRequest('handlerBegan', undefined)

  addSecurityHeaders(app, tls)
  limitDesk(app, options.deskNetworks)
  const known = knownTokens()
  limitVisitors(app, options.rateFactor, known)
  const { responded } = options
  if (responded)
    app.addHook('onResponse', (request, reply, done) => {
      responded({ route: routeOf(request), status: reply.statusCode, tookMs: reply.elapsedTime })
      done()
    })
  let underWay = 0
  // Before Fastify's own listener, which may send the headers at once.
  app.server.prependListener('request', ({ socket }, response) => {
    responses.set(socket, response)
    underWay++
    response.once('close', () => underWay--)
    if (options.isStopping?.()) response.setHeader('connection', 'close')
  })

  app.setErrorHandler(answerProblem)
  app.setNotFoundHandler((request, reply) => answerProblem(noSuchEndpoint(), request, reply))
  const mount = mounter({
    ...{ rateLimits: openRateLimits(options.rateFactor), ...options },
    ...{ app, jar: hostCookies(tls), known },
  })

  return {
    app,
    serve(reads, handlers) {
      for (const name of Object.keys(api) as CallName[]) mount(name, handlers[name] as Handler<typeof name>, reads)
    },
    async listen(host, port) {
      await app.listen({ host, port })
      const address = app.server.address()
      return typeof address === 'object' && address ? address.port : port
    },
    async close() {
      // Idle connections end as well. Fastify still answers on the others.
      app.server.close()
      for (const until = performance.now() + FINISH_WITHIN_MS; underWay > 0 && performance.now() < until; ) {
        await sleep(FINISH_CHECK_MS)
        app.server.closeIdleConnections()
      }
      await app.close()
    },
  }
}

/** `lastOn`: the newest response of a connection. */
function openFastify(
  options: HttpOptions,
  tls: boolean,
  answerProblem: ReturnType<typeof problemAnswers>,
  lastOn: (socket: Socket) => ServerResponse | undefined,
): FastifyInstance {
  return Fastify({
    bodyLimit: JSON_BYTES,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 30_000,
    trustProxy: options.trustProxy?.split(',').map((address) => address.trim()) ?? false,
    routerOptions: { maxParamLength: PARAM_LENGTH },
    forceCloseConnections: true,
    logger: false,
    // Errors in the address itself, before a route is chosen.
    frameworkErrors: (error, request, reply) =>
      void answerProblem(
        error.code === 'FST_ERR_BAD_URL' ? new Problem('malformed', "We couldn't read the URL.") : noSuchEndpoint(),
        request,
        reply.headers(securityHeaders(tls)),
      ),
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket) {
      // A browser opens connections ahead. Close an unused one silently: a reply would be taken for that of its first request.
      const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
      const last = lastOn(socket)
      // Its end is missing, so this would be read as a part of it.
      const isInResponse = last?.headersSent && !last.writableEnded
      if (error.code !== 'ECONNRESET' && !isUnused && !isInResponse && socket.writable)
        socket.end(rawRefusal(error.code, securityHeaders(tls)))
      else socket.destroy()
    },
  })
}

/** JSON is parsed strictly, and forms are left to the handler, which reads them once it knows the caller. */
async function readBodies(app: FastifyInstance): Promise<void> {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (isRaw(request)) done(null, text)
    else if (text === '') done(null, undefined)
    else void parseJson(request, text as string, done)
  })
  await app.register(cookie)
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
}

async function acceptUpgrades(app: FastifyInstance, tls: boolean): Promise<void> {
  await app.register(websocket, { options: { maxPayload: 4096, perMessageDeflate: false } })
  // An upgrade to something else, or a handshake that is wrong, reaches no route.
  app.websocketServer.on('wsClientError', (_error, socket) =>
    socket.end(rawRefusal(undefined, { ...securityHeaders(tls), 'sec-websocket-version': '13' })),
  )
  // The library ends the connection of an upgrade that is rejected, so its client must not use it again.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.ws) reply.header('connection', 'close')
    done()
  })
}

function routeOf({ method, routeOptions: { url } }: FastifyRequest): string {
  if (url === undefined) return 'none'
  return url.startsWith('/api/') ? `${method} ${url}` : 'page'
}

const isRaw = (request: FastifyRequest): boolean => request.routeOptions.config.raw === true
