import { createHash } from 'node:crypto'
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type $ZodType, parse } from 'zod/v4/core'
import { api, type CallName } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { Problem, type ProblemReply } from '#contract/problem.ts'
import { databaseDown, isDatabaseDown } from '../db.ts'
import type { Log } from '../log.ts'
import { checked, invalid } from './check.ts'
import {
  type Call,
  FileReply,
  type Handler,
  type Handlers,
  JsonText,
  type RequestInfo,
  type UncheckedFile,
  type Who,
  type WhoOperates,
} from './handler.ts'
import { readMultipart } from './multipart.ts'

export interface HttpOptions {
  log: Log
  /** Addresses of proxies whose forwarding headers count. */
  trustProxy: string | undefined
  /** Whether cookies may travel without TLS: only where the public address has none. */
  insecureCookies: boolean
  /** Whom an access token belongs to; undefined where it is none of a living session. */
  authenticate(token: string): Promise<Who | undefined>
  /** The same for a token of the desk, which is another kind. */
  authenticateOperator(token: string): Promise<WhoOperates | undefined>
  /** Tests: every JSON answer is held against the contract. */
  checkReplies?: boolean
}

export interface Http {
  app: FastifyInstance
  /** Mounts a handler for every call of the contract below `/api`. */
  serve(handlers: Handlers): void
  listen(host: string, port: number): Promise<number>
  close(): Promise<void>
}

const BODY_BYTES = 65_536
const KEY_LENGTH = 255

/** The HTTP server: reads each request by its row of the contract, and turns whatever goes wrong into one kind of answer. */
export async function createHttp(options: HttpOptions): Promise<Http> {
  const app = Fastify({
    bodyLimit: BODY_BYTES,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 30_000,
    trustProxy: options.trustProxy?.split(',').map((address) => address.trim()) ?? false,
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: true,
    logger: false,
    // What is wrong with an address itself, before any route is looked for.
    frameworkErrors: (error, request, reply) =>
      void answerProblem(
        error.code === 'FST_ERR_BAD_URL'
          ? new Problem('malformed', 'The address cannot be read.')
          : new Problem('not_found', 'There is nothing at this address.'),
        error,
        request,
        reply,
      ),
  })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (isRaw(request)) done(null, text)
    else if (text === '') done(null, undefined)
    else void parseJson(request, text as string, done)
  })
  await app.register(cookie)
  // A file that is too large is cut off here and refused by its field where the form is read.
  await app.register(multipart, { throwFileSizeLimit: false })
  await app.register(websocket, { options: { maxPayload: 4096, perMessageDeflate: false } })

  app.setErrorHandler((error, request, reply) => {
    if (isDatabaseDown(error)) noteOutage(error)
    return answerProblem(toProblem(error), error, request, reply)
  })

  // One line a second, however many calls meet it.
  let outageAt = Number.NEGATIVE_INFINITY
  let outages = 0
  function noteOutage(error: unknown) {
    outages++
    if (performance.now() - outageAt < 1_000) return
    options.log.warn({ calls: outages, error: String(error) }, 'calls did not reach the database')
    outageAt = performance.now()
    outages = 0
  }

  app.setNotFoundHandler((request, reply) => {
    const problem = new Problem('not_found', 'There is nothing at this address.')
    return answerProblem(problem, problem, request, reply)
  })

  function answerProblem(problem: Problem | undefined, error: unknown, request: FastifyRequest, reply: FastifyReply) {
    if (!problem) {
      options.log.error(
        {
          method: request.method,
          route: request.routeOptions.url,
          error: error instanceof Error ? error.stack : String(error),
        },
        'a call failed',
      )
    } else if (problem.cause !== undefined) {
      options.log.error({ route: request.routeOptions.url, error: String(problem.cause) }, 'a part is down')
    }
    const body: ProblemReply | { status: false; code: string; message: string } = problem
      ? {
          status: false,
          code: problem.code,
          message: problem.message,
          ...(problem.errors ? { errors: problem.errors } : {}),
        }
      : { status: false, code: 'internal', message: 'Something Went Wrong!' }
    if (problem?.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(Math.max(1, Math.ceil(problem.retryAfterSeconds))))
    return reply
      .code(problem?.httpStatus ?? 500)
      .header('cache-control', 'no-store')
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(body))
  }

  function mount<K extends CallName>(name: K, handler: Handler<K>) {
    const endpoint: Endpoint = api[name]
    const [method, path] = name.split(' ') as [string, string]
    app.route({
      method: method as 'GET',
      url: `/api${path}`,
      config: { raw: endpoint.raw ?? false },
      ...(endpoint.form ? { bodyLimit: largestUpload(endpoint) } : {}),
      handler: async (request, reply) => {
        const token = bearer(request)
        const who = await whoCalls(endpoint, token)
        const { body, form, files } = await readBody(endpoint, request)
        const query = endpoint.query ? checked(endpoint.query, request.query) : refuseAny(request.query, 'query')
        const call = {
          params: endpoint.params ? checked(endpoint.params, request.params) : undefined,
          query,
          body,
          form,
          files,
          who,
          request: info(endpoint, request, reply, token, { body, form, files }),
        }
        const answer = await handler(call as Call<K>)
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

  /** Whose token it is; a trader's is nobody's at the desk, and an operator's nobody's elsewhere. */
  async function whoCalls(endpoint: Endpoint, token: string | undefined): Promise<Who | WhoOperates | undefined> {
    if (endpoint.access !== 'operator') {
      const who = token === undefined ? undefined : await options.authenticate(token)
      if (endpoint.access === 'user' && !who) throw new Problem('unauthenticated', 'Please sign in.')
      return who
    }
    const operator = token === undefined ? undefined : await options.authenticateOperator(token)
    if (!operator) throw new Problem('unauthenticated', 'Please sign in at the desk.')
    if (endpoint.roles && !endpoint.roles.some((role) => operator.roles.includes(role)))
      throw new Problem('forbidden', `This needs the role ${endpoint.roles.join(' or ')}.`)
    return operator
  }

  function info(
    endpoint: Endpoint,
    request: FastifyRequest,
    reply: FastifyReply,
    token: string | undefined,
    content: { body: unknown; form: unknown; files: Record<string, UncheckedFile | undefined> },
  ): RequestInfo {
    return {
      ip: request.ip,
      userAgent: (request.headers['user-agent'] ?? '').slice(0, 400),
      origin: request.headers.origin,
      cookies: request.cookies,
      token,
      header: (name) => String(request.headers[name] ?? '') || undefined,
      rawText: endpoint.raw && typeof request.body === 'string' ? request.body : undefined,
      idempotencyKey: endpoint.idempotent ? idempotencyKey(request) : undefined,
      stepUp: stepUpToken(request),
      fingerprint: () => fingerprint(request, content),
      setCookie: (name, value, { path, maxAgeSeconds }) =>
        reply.setCookie(name, value, {
          path,
          httpOnly: true,
          sameSite: 'strict',
          secure: !options.insecureCookies,
          ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
        }),
      clearCookie: (name, { path }) =>
        reply.clearCookie(name, { path, httpOnly: true, sameSite: 'strict', secure: !options.insecureCookies }),
    }
  }

  return {
    app,
    serve(handlers) {
      for (const name of Object.keys(api) as CallName[]) mount(name, handlers[name] as Handler<typeof name>)
    },
    async listen(host, port) {
      await app.listen({ host, port })
      const address = app.server.address()
      return typeof address === 'object' && address ? address.port : port
    },
    close: () => app.close(),
  }
}

async function readBody(endpoint: Endpoint, request: FastifyRequest) {
  if (endpoint.form) {
    const known = endpoint.files ?? {}
    const read = await readMultipart(request, known)
    const form = checked(endpoint.form, read.form)
    for (const [field, rule] of Object.entries(known)) {
      if (rule.required && !read.files[field])
        throw invalid([{ field, message: rule.whenMissing ?? 'must not be empty' }])
    }
    return { body: undefined, form, files: read.files }
  }
  if (endpoint.raw) return { body: undefined, form: undefined, files: {} }
  if (endpoint.body) return { body: checked(endpoint.body, request.body ?? {}), form: undefined, files: {} }
  refuseAny(request.body, 'body')
  return { body: undefined, form: undefined, files: {} }
}

function refuseAny(given: unknown, what: string): undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'object' || Array.isArray(given))
    throw invalid([{ field: what, message: 'is not taken by this call' }])
  const keys = Object.keys(given)
  if (keys.length) throw invalid(keys.map((field) => ({ field, message: 'is not a known field' })))
  return undefined
}

function largestUpload(endpoint: Endpoint): number {
  return Object.values(endpoint.files ?? {}).reduce((sum, field) => sum + field.maxBytes, 0) + 1_048_576
}

function bearer(request: FastifyRequest): string | undefined {
  const match = /^Bearer ([A-Za-z0-9_-]{20,200})$/.exec(request.headers.authorization ?? '')
  return match?.[1]
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key === '' || key.length > KEY_LENGTH) {
    throw invalid([{ field: 'Idempotency-Key', message: `must be from 1 to ${KEY_LENGTH} characters long` }])
  }
  return key
}

const isRaw = (request: FastifyRequest): boolean => (request.routeOptions.config as { raw?: boolean }).raw === true

function stepUpToken(request: FastifyRequest): string | undefined {
  const token = request.headers['x-step-up']
  return typeof token === 'string' && /^[A-Za-z0-9_-]{20,200}$/.test(token) ? token : undefined
}

function fingerprint(
  request: FastifyRequest,
  content: { body: unknown; form: unknown; files: Record<string, UncheckedFile | undefined> },
): Buffer {
  const hash = createHash('sha256').update(
    `${request.method} ${request.url}\0${canonical(content.body ?? content.form ?? null)}`,
  )
  for (const [field, file] of Object.entries(content.files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file) hash.update(`\0${field}\0`).update(createHash('sha256').update(file.bytes).digest())
  }
  return hash.digest()
}

/** The same text for the same content, whatever order its fields came in. */
function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
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

/** What an error means to the caller; undefined for a bug of ours. */
function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (isDatabaseDown(error)) return databaseDown()
  const { code = '', statusCode } = error as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'FST_REQ_FILE_TOO_LARGE' || statusCode === 413) {
    return new Problem('too_large', 'The request is too large.')
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || statusCode === 415) {
    return new Problem('unsupported_media_type', 'This kind of content is not taken here.')
  }
  if (error instanceof SyntaxError && (statusCode === undefined || statusCode === 400))
    return new Problem('malformed', 'The request is not valid JSON.')
  if (/LIMIT$/.test(code)) return new Problem('validation_failed', 'The form has too many parts.')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Problem('malformed', 'The request cannot be read.')
  // The multipart reader's own complaints about broken bodies.
  if (
    error instanceof Error &&
    /multipart|Unexpected end of form|Malformed part header|boundary|needle/i.test(error.message)
  ) {
    return new Problem('malformed', 'The form cannot be read.')
  }
  return undefined
}
