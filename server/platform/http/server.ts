import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type $ZodType, parse } from 'zod/v4/core'
import { api, type CallName } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { Problem } from '#contract/problem.ts'
import { type Caller, operatorCaller, type Reads, traderCaller } from '../database/reads.ts'
import type { Log } from '../process/log.ts'
import { noSuchEndpoint, problemAnswers, rawRefusal } from './answer-problem.ts'
import { checked, rejectUnknown } from './check.ts'
import { hostCookies } from './cookies.ts'
import {
  type Call,
  FileReply,
  type Handler,
  type Handlers,
  JsonText,
  type RequestInfo,
  type Who,
  type WhoOperates,
} from './handler.ts'
import { networkOf } from './network.ts'
import {
  bearerToken,
  type Content,
  checkBodyHeaders,
  fingerprint,
  idempotencyKey,
  JSON_BYTES,
  largestBody,
  readContent,
  stepUpToken,
} from './read-request.ts'
import { addSecurityHeaders, securityHeaders } from './security-headers.ts'
import { turnstile } from './turnstile.ts'
import { visitorBudget } from './visitor-budget.ts'

export interface HttpOptions {
  log: Log
  /** Addresses of proxies whose forwarding headers count. */
  trustProxy: string | undefined
  /** Whether cookies may travel without TLS: only if the public address has none. */
  insecureCookies: boolean
  /** Multiplies the budget of requests without a session; undefined turns it off. */
  rateFactor: number | undefined
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

export interface Http {
  app: FastifyInstance
  /** Mounts a handler for every endpoint of the contract below `/api`. `reads`: where those read that
   * may lag. */
  serve(reads: Reads, handlers: Handlers): void
  listen(host: string, port: number): Promise<number>
  /** Takes no more requests and finishes those under way; what takes too long is cut off. */
  close(): Promise<void>
}

declare module 'fastify' {
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

/** How many recent session tokens are remembered, so that a network over its budget doesn't lock its traders out. */
const KNOWN_TOKENS = 50_000
/**
 * Requests without a known session that begin in one turn of the event loop; the costliest takes a few milliseconds.
 */
const VISITORS_PER_TURN = 4
/** How long requests under way may take once the server stops. */
const FINISH_WITHIN_MS = 10_000
const FINISH_CHECK_MS = 20
/**
 * The cookie that says that its browser has just written: every node reads from the primary for it. It lasts longer than
 * a standby may be behind (`BEHIND_MAX_MS`), so once it's gone, any standby that is used has the write.
 */
const WROTE = 'wrote'
const WROTE_SECONDS = 5
/** Longest path parameter that is routed; no id is longer. */
const PARAM_LENGTH = 200

/**
 * The HTTP server: reads each request by its row of the contract, and converts every error into one response format.
 */
export async function createHttp(options: HttpOptions): Promise<Http> {
  const answerProblem = problemAnswers(options.log)
  const tls = !options.insecureCookies
  const jar = hostCookies(tls)
  /** The newest response of each connection. */
  const responses = new WeakMap<Socket, ServerResponse>()
  const app = Fastify({
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
      const last = responses.get(socket)
      // Its end is missing, so this would be read as a part of it.
      const isInResponse = last?.headersSent && !last.writableEnded
      if (error.code !== 'ECONNRESET' && !isUnused && !isInResponse && socket.writable)
        socket.end(rawRefusal(error.code, securityHeaders(tls)))
      else socket.destroy()
    },
  })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (isRaw(request)) done(null, text)
    else if (text === '') done(null, undefined)
    else void parseJson(request, text as string, done)
  })
  await app.register(cookie)
  // The handler reads the body, once it knows the caller.
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
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

  app.decorateRequest('token', undefined)
  app.decorateRequest('isKnown', false)
  app.decorateRequest('who', undefined)
  app.decorateRequest('chargeVisitor', undefined)
  app.decorateRequest('handlerBegan', undefined)

  addSecurityHeaders(app, tls)
  limitVisitors(app, options.rateFactor)
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
  const known = knownTokens()

  app.setErrorHandler(answerProblem)
  app.setNotFoundHandler((request, reply) => answerProblem(noSuchEndpoint(), request, reply))

  function mount<K extends CallName>(name: K, handler: Handler<K>, reads: Reads) {
    const endpoint: Endpoint = api[name]
    const [method, path] = name.split(' ') as [string, string]
    app.route({
      method: method as 'GET',
      url: `/api${path}`,
      config: { raw: endpoint.raw ?? false },
      bodyLimit: largestBody(endpoint),
      // Check the caller and the headers before reading any of the body.
      onRequest: async (request) => {
        request.who = await whoCalls(endpoint, request)
        checkBodyHeaders(endpoint, request)
      },
      handler: async (request, reply) => {
        const content = await readContent(endpoint, request)
        const query = endpoint.query ? checked(endpoint.query, request.query) : rejectUnknown(request.query, 'query')
        const call = {
          params: endpoint.params ? paramsOf(endpoint.params, request) : undefined,
          query,
          ...content,
          who: request.who,
          request: info(endpoint, request, reply, content),
          ...(endpoint.mayLag ? { reads: chosen(reads, endpoint, request) } : {}),
        }
        request.handlerBegan = performance.now()
        let answer: Awaited<ReturnType<typeof handler>>
        try {
          answer = await handler(call as Call<K>)
        } finally {
          // What failed may have been committed all the same.
          if (method !== 'GET' && reads.hasStandby) wrote(reads, request, reply)
        }
        reply.header('cache-control', 'no-store')
        if (answer instanceof FileReply) return sendFile(reply, answer)
        if (options.checkReplies && endpoint.reply !== 'text') {
          parse(
            endpoint.reply as $ZodType,
            answer instanceof JsonText ? JSON.parse(answer.text) : JSON.parse(JSON.stringify(answer)),
          )
        }
        reply.header('content-type', 'application/json; charset=utf-8')
        return reply.send(answer instanceof JsonText ? answer.text : JSON.stringify(answer))
      },
    })
  }

  const chosen = (reads: Reads, endpoint: Endpoint, { who, headers, cookies }: FastifyRequest) =>
    reads.choose({
      caller: callerOf(who),
      forDesk: endpoint.access === 'operator',
      newest: jar.read(cookies)[WROTE] !== undefined || /\bno-cache\b/i.test(headers['cache-control'] ?? ''),
    })

  /** On this node the caller's next reads know the write by its time, on the others by the cookie. */
  function wrote(reads: Reads, { who }: FastifyRequest, reply: FastifyReply): void {
    const caller = callerOf(who)
    if (caller !== undefined) reads.wrote(caller)
    jar.set(reply, WROTE, '1', { path: '/api', maxAgeSeconds: WROTE_SECONDS })
  }

  /** Returns the session's owner. A trader's token is not valid at the desk, and an operator's is valid only there. */
  async function whoCalls(endpoint: Endpoint, request: FastifyRequest): Promise<Who | WhoOperates | undefined> {
    const { token, isKnown } = request
    if (endpoint.access !== 'operator') {
      const who = token === undefined ? undefined : await options.authenticate(token)
      if (endpoint.access === 'user' && !who) throw new Problem('unauthenticated', 'Please sign in.')
      if (who && !isKnown) known.add(token!)
      return who
    }
    const operator = token === undefined ? undefined : await options.authenticateOperator(token)
    if (!operator) throw new Problem('unauthenticated', 'Please sign in at the desk.')
    if (!isKnown) known.add(token!)
    if (endpoint.roles && !endpoint.roles.some((role) => operator.roles.includes(role)))
      throw new Problem('forbidden', `You need the role ${endpoint.roles.join(' or ')} for this.`)
    return operator
  }

  /**
   * Limits each network to its budget of server time, for every request without a known session: API calls, pages and
   * files alike. Reading a body is not charged: its size is bounded, and a slow connection is not the caller's fault.
   */
  function limitVisitors(app: FastifyInstance, factor: number | undefined): void {
    const budget = visitorBudget(factor)
    const turn = turnstile(VISITORS_PER_TURN)
    // Hooks with callbacks: a promise for each would cost every request.
    app.addHook('onRequest', (request, _reply, done) => {
      request.token = bearerToken(request)
      request.isKnown = request.token !== undefined && known.has(request.token)
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

  function info(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, content: Content): RequestInfo {
    // Fastify counts from the arrival of the headers.
    const arrivedAt = performance.now() - reply.elapsedTime
    return {
      ip: request.ip,
      userAgent: (request.headers['user-agent'] ?? '').slice(0, 400),
      origin: request.headers.origin,
      cookies: jar.read(request.cookies),
      token: request.token,
      header: (name) => String(request.headers[name] ?? '') || undefined,
      rawText: endpoint.raw && typeof request.body === 'string' ? request.body : undefined,
      idempotencyKey: endpoint.idempotent ? idempotencyKey(request) : undefined,
      stepUp: stepUpToken(request),
      fingerprint: (except) => fingerprint(request, content, except),
      arrivedAt,
      whenSent(callback) {
        reply.raw.once('close', () =>
          callback({ status: reply.statusCode, beganAt: arrivedAt, endedAt: performance.now() }),
        )
      },
      setCookie: (name, value, options) => jar.set(reply, name, value, options),
      clearCookie: (name, options) => jar.clear(reply, name, options),
    }
  }

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

const callerOf = (who: Who | WhoOperates | undefined): Caller =>
  who && ('userId' in who ? traderCaller(who.userId) : operatorCaller(who.operatorId))

/** Parses the path's parameters. A malformed id is treated as an unknown one: 404, whatever its length. */
function paramsOf(schema: $ZodType, request: FastifyRequest): unknown {
  try {
    return checked(schema, request.params)
  } catch {
    throw new Problem('not_found', 'Not found.')
  }
}

/**
 * Remembers the newest tokens that had an active session, as hashes. Doesn't tell whether the session is still active.
 */
function knownTokens() {
  const hashes = new Set<string>()
  const hashOf = (token: string) => hash('sha256', token, 'base64')
  return {
    add(token: string): void {
      const key = hashOf(token)
      if (hashes.has(key)) return
      if (hashes.size >= KNOWN_TOKENS) for (const oldest of hashes) if (hashes.delete(oldest)) break
      hashes.add(key)
    },
    has: (token: string): boolean => hashes.has(hashOf(token)),
  }
}

function routeOf({ method, routeOptions: { url } }: FastifyRequest): string {
  if (url === undefined) return 'none'
  return url.startsWith('/api/') ? `${method} ${url}` : 'page'
}

const isRaw = (request: FastifyRequest): boolean => (request.routeOptions.config as { raw?: boolean }).raw === true

function sendFile(reply: FastifyReply, file: FileReply) {
  reply.headers({
    'content-type': file.type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    ...file.headers,
  })
  return reply.send(file.content)
}
