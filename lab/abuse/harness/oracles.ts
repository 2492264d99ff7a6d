import { PROBLEMS, type ProblemCode } from '#contract/problem.ts'
import { mismatches } from '#tests/support/json-schema.ts'
import type { Operation } from './document.ts'
import { headerOf, type WireReply } from './wire.ts'

/** A marked text that only some people may read. */
export interface Canary {
  text: string
  /** What it is, for the report. */
  what: string
  /** Who may read it: `owner` alone, or the desk's operators too. */
  for: 'owner' | 'operators'
}

/** The parts of a request that the oracles need. */
export interface Asked {
  method: string
  /** Everything that was sent: a response may repeat it. */
  text: string
  /** The operation for the method and path; undefined if there is none. */
  operation: Operation | undefined
  /** Whether the path is below `/api/`. Other paths are answered with pages. */
  isApi: boolean
  viewer: 'visitor' | 'trader' | 'operator'
  /** The victim's id in the path, if any. */
  stolen: string | undefined
  /** Whether the headers contradict the body: the server may then close the connection without a response. */
  isUnframed: boolean
}

export interface Verdict {
  /** The name of the broken rule. */
  oracle: OracleName
  says: string
}

type OracleName =
  | 'answered'
  | 'no-5xx'
  | 'documented-status'
  | 'response-schema'
  | 'problem-shape'
  | 'no-internals'
  | 'no-leak'
  | 'no-foreign-object'
  | 'headers'
  | 'one-response'
  | 'in-time'

/** Limit for any response. */
export const LONGEST_MS = 10_000

/** Statuses of requests that match no operation: an unknown path or method, or bytes that aren't HTTP. */
const OUTSIDE = [400, 404, 405, 408, 413, 414, 415, 417, 429, 431]
/** Statuses that Node sends before a request is routed. */
const BEFORE_ROUTING = [400, 408, 417, 431]

const INTERNALS = [
  /\bat \S+ \(?(?:file:\/\/)?\/[^\s)]+:\d+:\d+/,
  /node_modules|node:internal|\.[jt]s:\d+/,
  /\b(?:Type|Reference|Range|Assertion|Syntax)Error\b/,
  /syntax error at or near|violates \S+ constraint|(?:relation|column|function) "?[\w.]+"? does not exist|duplicate key value|invalid input syntax|SQLSTATE|pg_catalog/i,
  /\bselect\b[^"]{1,80}\bfrom\b[^"]{1,60}\bwhere\b/i,
  /\b(?:kysely|zod|fastify)\b|\bFST_|\bECONN|\bENOENT/i,
  /\/(?:work|home|root|tmp|var|usr)\/[\w.-]+/,
]

const SECURITY_HEADERS = { 'x-content-type-options': 'nosniff', 'content-security-policy': '' } as const

/** Returns a verdict for each rule that a response breaks. */
export function judge(asked: Asked, reply: WireReply | undefined, canaries: readonly Canary[]): Verdict[] {
  const found: Verdict[] = []
  const say = (oracle: OracleName, says: string) => void found.push({ oracle, says })
  if (!reply) {
    if (!asked.isUnframed && asked.method !== 'CONNECT') say('answered', 'the connection ended without a response')
    return found
  }
  const text = reply.body.toString('utf8')
  const { status } = reply
  const { operation } = asked

  if (reply.ms > LONGEST_MS) say('in-time', `took ${Math.round(reply.ms)} ms`)
  // Bytes that aren't HTTP are refused before their method is known.
  const isUnread = asked.method === 'HEAD' && BEFORE_ROUTING.includes(status)
  if (reply.extra > 0 && !asked.isUnframed && !isUnread) say('one-response', `${reply.extra} bytes follow the response`)

  const allowed = operation ? [...operation.responses.keys(), ...BEFORE_ROUTING] : OUTSIDE
  if (status >= 500 && !(status === 503 && allowed.includes(503))) say('no-5xx', `${status} ${text.slice(0, 300)}`)
  else if (!allowed.includes(status)) say('documented-status', `${status} ${text.slice(0, 300)}`)

  const isJson = headerOf(reply, 'content-type')?.startsWith('application/json') ?? false
  const json = isJson && asked.method !== 'HEAD' ? parsed(text) : undefined
  if (isJson && asked.method !== 'HEAD' && json === undefined) say('response-schema', 'is not JSON')
  if (status === 200 && operation && json !== undefined) {
    const schema = operation.responses.get(200)
    const wrong = schema ? mismatches(schema, json) : []
    if (wrong.length > 0) say('response-schema', wrong.slice(0, 3).join('; '))
  }
  if (status >= 400 && asked.isApi && asked.method !== 'HEAD') {
    const wrong = problemFault(status, json, text)
    if (wrong) say('problem-shape', wrong)
  }

  if (isJson || status >= 400)
    for (const pattern of INTERNALS) {
      const hit = pattern.exec(text)?.[0]
      if (hit && !asked.text.includes(hit)) say('no-internals', `the response says ${hit.slice(0, 100)}`)
    }

  for (const canary of canaries) {
    if (canary.for === 'operators' && asked.viewer === 'operator') continue
    const where = text.includes(canary.text) || reply.headers.some(([, value]) => value.includes(canary.text))
    if (where && !asked.text.includes(canary.text)) say('no-leak', `the response holds ${canary.what}`)
  }
  if (asked.stolen !== undefined && status === 200 && operation?.access === 'user' && !isNothing(asked, json))
    say('no-foreign-object', `the call took ${asked.stolen}, which is another trader's`)

  for (const [name, value] of reply.headers) {
    if (/^(?:injected|x-injected|server|x-powered-by)$/.test(name)) say('headers', `${name}: ${value}`)
    if (name === 'set-cookie' && !/; HttpOnly/.test(value)) say('headers', `a script can read ${value.slice(0, 40)}`)
    if (name === 'access-control-allow-origin') say('headers', `other sites may read this: ${value}`)
  }
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    const given = headerOf(reply, name)
    if (given === undefined || (value !== '' && given !== value)) say('headers', `${name} is ${given}`)
  }
  if (status >= 400 && asked.isApi && headerOf(reply, 'cache-control') !== 'no-store')
    say('headers', 'a rejection may be cached')
  return found
}

/** Whether the response is the one for an unknown id: null, or nothing to delete. */
const isNothing = ({ method }: Asked, json: unknown): boolean =>
  method === 'DELETE' || method === 'HEAD' || (json as { data?: unknown } | undefined)?.data === null

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns what is wrong with an error response; undefined if nothing is. */
function problemFault(status: number, json: unknown, text: string): string | undefined {
  if (json === null || typeof json !== 'object') return `an error that is not JSON: ${text.slice(0, 100)}`
  const { status: flag, code, message, errors, ...more } = json as Record<string, unknown>
  if (flag !== false) return 'status is not false'
  if (typeof code !== 'string' || (!Object.hasOwn(PROBLEMS, code) && code !== 'internal')) return `unknown code ${code}`
  const usual = PROBLEMS[code as ProblemCode]
  // A conversion without a price gets a 503, and overlong headers a 431.
  const isUsual =
    usual === status || (status === 503 && code === 'price_unavailable') || (status === 431 && code === 'too_large')
  if (!isUsual && code !== 'internal') return `${code} with status ${status}`
  if (typeof message !== 'string' || message.trim() === '') return 'no message'
  if (Object.keys(more).length > 0) return `also has ${Object.keys(more).join(', ')}`
  if (errors !== undefined && !Array.isArray(errors)) return 'errors is no list'
  if (text.length > 6_000) return `${text.length} characters`
  return undefined
}
