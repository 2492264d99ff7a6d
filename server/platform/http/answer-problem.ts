import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Problem, type ProblemReply } from '#contract/problem.ts'
import { databaseDown, isDatabaseDown, isLockTimeout } from '../database/db.ts'
import type { Log } from '../process/log.ts'
import { networkOf } from './limits/network.ts'

/** Refusals that tell of an attack: wrong secrets, missing rights, limits. An expired session is no news. */
const REFUSED = new Set<string>([
  'invalid_credentials',
  'forbidden',
  'too_many_requests',
  'sign_in_link_required',
  'sign_in_locked',
  'invalid_hash',
  'own_item',
  'second_person_required',
])

/** The number of the trader or operator who asked, if there is a session. */
function whoOf({ who }: FastifyRequest): { user?: string; operator?: string } {
  if (who === undefined) return {}
  return 'operatorId' in who ? { operator: String(who.operatorId) } : { user: String(who.userId) }
}

/** Sends every rejection and every failure in one format, and logs what an operator must know. */
export function problemAnswers(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (isDatabaseDown(error)) log.warn({ error: String(error) }, 'a request could not reach the database')
    const problem = toProblem(error)
    if (!problem) {
      log.error(
        {
          method: request.method,
          route: request.routeOptions.url,
          error: error instanceof Error ? error.stack : String(error),
        },
        'a request failed',
      )
    } else if (problem.cause !== undefined) {
      log.error({ route: request.routeOptions.url, error: String(problem.cause) }, 'a part is down')
    }
    if (problem && REFUSED.has(problem.code))
      log.warn(
        {
          security: problem.code,
          route: `${request.method} ${request.routeOptions.url ?? ''}`,
          network: networkOf(request.ip),
          ...whoOf(request),
        },
        'a security event',
      )
    if (problem?.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(Math.max(1, Math.ceil(problem.retryAfterSeconds))))
    return reply
      .code(problem?.httpStatus ?? 500)
      .header('cache-control', 'no-store')
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(bodyOf(problem)))
  }
}

function bodyOf(problem: Problem | undefined): ProblemReply {
  if (!problem) return { status: false, code: 'internal', message: 'Something Went Wrong!' }
  const { code, message, errors } = problem
  return { status: false, code, message, ...(errors ? { errors } : {}) }
}

export const noSuchEndpoint = () => new Problem('not_found', 'No such endpoint.')

/** A complete HTTP/1.1 response to a request that Node itself couldn't parse, such as one with an over-long URL. */
export function rawRefusal(code: string | undefined, headers: Record<string, string>): string {
  const tooLong = code === 'HPE_HEADER_OVERFLOW'
  const status = tooLong ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const body = JSON.stringify({
    status: false,
    code: tooLong ? 'too_large' : 'malformed',
    message: tooLong ? 'The URL or the headers are too long.' : "We couldn't read the request.",
  })
  return [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n')
}

/** Returns what an error means to the caller; undefined for a bug. */
function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (isDatabaseDown(error)) return databaseDown()
  if (isLockTimeout(error))
    return new Problem('unavailable', 'Another request is still being processed. Try again shortly.', {
      retryAfterSeconds: 2,
    })
  const { code = '', statusCode } = error as FastifyError
  if (/^FST_(PARTS|FILES|FIELDS)_LIMIT$/.test(code)) return new Problem('too_large', 'The form has too many parts.')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413)
    return new Problem('too_large', 'The request is too large.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || statusCode === 415)
    return new Problem('unsupported_media_type', 'Send this request as application/json.')
  if (error instanceof SyntaxError && (statusCode === undefined || statusCode === 400))
    return new Problem('malformed', 'The request is not valid JSON.')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Problem('malformed', "We couldn't read the request.")
  return undefined
}
