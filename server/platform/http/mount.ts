import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type $ZodType, parse } from 'zod/v4/core'
import { api, type CallName } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { Problem } from '#contract/problem.ts'
import { type Caller, operatorCaller, type Reads, traderCaller } from '../database/reads.ts'
import { checked, rejectUnknown } from './check.ts'
import type { hostCookies } from './cookies.ts'
import {
  type Call,
  FileReply,
  type Handler,
  JsonText,
  type RequestInfo,
  type Who,
  type WhoOperates,
} from './handler.ts'
import { callerLimit } from './limits/limit-callers.ts'
import type { KnownTokens } from './limits/limit-visitors.ts'
import type { RateLimits } from './limits/rate-limit.ts'
import {
  type Content,
  checkBodyHeaders,
  fingerprint,
  idempotencyKey,
  largestBody,
  readContent,
  stepUpToken,
} from './read-request.ts'

/**
 * The cookie that says that its browser has just written: every node reads from the primary for it. It lasts longer than
 * a standby may be behind (`BEHIND_MAX_MS`), so once it's gone, any standby that is used has the write.
 */
const WROTE = 'wrote'
const WROTE_SECONDS = 5
interface MountDeps {
  app: FastifyInstance
  jar: ReturnType<typeof hostCookies>
  /** Remembers the tokens whose owner was found. */
  known: KnownTokens
  rateLimits: RateLimits
  authenticate(token: string): Promise<Who | undefined>
  authenticateOperator(token: string): Promise<WhoOperates | undefined>
  checkReplies?: boolean
}

/** Returns a function that mounts the handler of one endpoint below `/api`. */
export function mounter(deps: MountDeps): <K extends CallName>(name: K, handler: Handler<K>, reads: Reads) => void {
  const { app, jar } = deps

  /** On this node the caller's next reads know the write by its time, on the others by the cookie. */
  function wrote(reads: Reads, { who }: FastifyRequest, reply: FastifyReply): void {
    const caller = callerOf(who)
    if (caller !== undefined) reads.wrote(caller)
    jar.set(reply, WROTE, '1', { path: '/api', maxAgeSeconds: WROTE_SECONDS })
  }

  return function mount<K extends CallName>(name: K, handler: Handler<K>, reads: Reads) {
    const endpoint: Endpoint = api[name]
    const [method, path] = name.split(' ') as [string, string]
    const countCall = callerLimit(name, endpoint, deps.rateLimits)
    app.route({
      method: method as 'GET',
      url: `/api${path}`,
      config: { raw: endpoint.raw ?? false },
      bodyLimit: largestBody(endpoint),
      // Check the caller and the headers before reading any of the body.
      onRequest: async (request) => {
        request.who = await whoCalls(deps, endpoint, request)
        countCall?.(request.who, request.ip)
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
          request: info(jar, endpoint, request, reply, content),
          ...(endpoint.mayLag ? { reads: chosen(reads, jar, endpoint, request) } : {}),
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
        if (deps.checkReplies && endpoint.reply !== 'text') {
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
}

const chosen = (reads: Reads, jar: MountDeps['jar'], endpoint: Endpoint, { who, headers, cookies }: FastifyRequest) =>
  reads.choose({
    caller: callerOf(who),
    forDesk: endpoint.access === 'operator',
    newest: jar.read(cookies)[WROTE] !== undefined || /\bno-cache\b/i.test(headers['cache-control'] ?? ''),
  })

/** Returns the session's owner. A trader's token is not valid at the desk, and an operator's is valid only there. */
async function whoCalls(
  deps: MountDeps,
  endpoint: Endpoint,
  request: FastifyRequest,
): Promise<Who | WhoOperates | undefined> {
  const { token, isKnown } = request
  const isDesk = endpoint.access === 'operator'
  const who =
    token === undefined ? undefined : await (isDesk ? deps.authenticateOperator(token) : deps.authenticate(token))
  if (token !== undefined && who && !isKnown) deps.known.add(token)
  if (token !== undefined && !who && isKnown) deps.known.ended(token)
  if (!who && endpoint.access !== 'visitor')
    throw new Problem('unauthenticated', isDesk ? 'Please sign in at the desk.' : 'Please sign in.')
  if (who && 'userId' in who && who.isGuest && endpoint.access === 'user' && !endpoint.guests) throw accountRequired()
  if (who && 'operatorId' in who && endpoint.roles && !endpoint.roles.some((role) => who.roles.includes(role)))
    throw new Problem('forbidden', `You need the role ${endpoint.roles.join(' or ')} for this.`)
  return who
}

/** The error of what only an account with an e-mail address may do. */
export const accountRequired = () =>
  new Problem('account_required', 'Keep this account first: add your e-mail address and a password.')

function info(
  jar: MountDeps['jar'],
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
): RequestInfo {
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

function sendFile(reply: FastifyReply, file: FileReply) {
  reply.headers({
    'content-type': file.type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    ...file.headers,
  })
  return reply.send(file.content)
}
