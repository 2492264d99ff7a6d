import type { Api, Body, CallName, Form, Params, Query, Reply } from '#contract/api.ts'
import type { FieldError, ProblemReply } from '#contract/problem.ts'
import { type OnProgress, upload as uploadByXhr } from './upload.ts'

/** The access token from sign-in or renewal; `expires` is ISO time. */
export interface AccessTokens {
  access: { token: string; expires: string }
}

/** Gives the client the session, and is notified when the session changes or ends. */
interface SessionHolder {
  tokens(): AccessTokens | undefined
  renewed(tokens: AccessTokens): void
  signedOut(): void
  /** The session has ended because its owner confirmed the e-mail address elsewhere: asks for the password. */
  confirmedElsewhere?(): void
}

interface ClientParts {
  session: SessionHolder
  fetch?: typeof fetch
  upload?: typeof uploadByXhr
  /** Unix milliseconds. */
  now?: () => number
  wait?: (ms: number) => Promise<void>
  /** Whether a push has just reported a change: then no read may be answered by a standby that lacks it. */
  hasNews?: () => boolean
  /** Called with `false` when the server becomes unreachable and with `true` when it responds again. */
  onReachable?: (reachable: boolean) => void
  /**
   * Asks for the second factor. Returns the token that confirms the rejected call, `undefined` if the user declined.
   */
  askStepUp?: () => Promise<string | undefined>
  /** Whether the session can be renewed; the desk's can't. */
  renews?: boolean
  /** Response statuses that end the session. */
  endsSession?: readonly number[]
}

/**
 * A failed call. `message` is for people; use `code` or `status` for decisions. `status` is absent when there was no
 * response.
 */
export class CallError extends Error {
  readonly status: number | undefined
  readonly code: string | undefined
  readonly errors: FieldError[]

  constructor(message: string, status?: number, code?: string, errors: FieldError[] = []) {
    super(message)
    this.name = 'CallError'
    this.status = status
    this.code = code
    this.errors = errors
  }
}

type Slot<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : object extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T }
type Files<K extends CallName> = Api[K] extends { files: infer F }
  ? { files: { [N in keyof F]: File }; onProgress?: OnProgress }
  : unknown
/**
 * Calls that move money need a client-generated key (`newKey()`), which makes retries safe. `finalAfterMs`: how long after
 * the first request a lost one may still take effect. A rejection before that, after a lost request, is asked for again.
 */
type Key<K extends CallName> = Api[K] extends { idempotent: true } ? { key: string; finalAfterMs?: number } : unknown

/** The input of a call: exactly the parts that its row in the contract defines. */
export type Input<K extends CallName> = Slot<'params', Params<K>> &
  Slot<'query', Query<K>> &
  Slot<'body', Body<K>> &
  Slot<'form', Form<K>> &
  Files<K> &
  Key<K> & { signal?: AbortSignal }

type Args<K extends CallName> = object extends Input<K> ? [input?: Input<K>] : [input: Input<K>]
type Call = <K extends CallName>(name: K, ...args: Args<K>) => Promise<Reply<K>>

interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, string | undefined>
  body?: unknown
  form?: Record<string, string>
  files?: Record<string, File>
  onProgress?: OnProgress
  key?: string
  finalAfterMs?: number
  signal?: AbortSignal
}

type Init = Omit<RequestInit, 'headers'> & {
  headers: Record<string, string>
  onProgress?: OnProgress
  finalAfterMs?: number
}

const BASE = '/api'
const LOGOUT = '/auth/logout'
const SOMETHING_WENT_WRONG = 'Something Went Wrong!'
/** A token that expires within this time is renewed first. */
const RENEW_BEFORE_MS = 60_000
/** Minimum time between renewals, even if this machine's clock is wrong. */
const RENEW_PAUSE_MS = 30_000
/** How often one call may ask for the second factor: another call of this session may have used up its confirmation. */
const STEP_UPS = 3
/** How long to wait for the response to a read or a keyed call: both can be sent again if the server hangs. */
const RESPOND_WITHIN_MS = 20_000
/** Delays before each retry of a keyed call whose response was lost. */
const REPEAT_AFTER_MS = [400, 1_200, 3_000]

/** Response statuses that end the session in this browser; a 401 only after one renewal was tried. */
const ENDS_SESSION: readonly number[] = [401, 402, 403]

/** Returns a value for `Idempotency-Key`. `crypto.randomUUID` is not available over plain http in a local network. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns the fields that the server refused, by name, each with its first message. */
export const refusedFields = (error: unknown): Record<string, string> =>
  error instanceof CallError
    ? Object.fromEntries(error.errors.toReversed().map(({ field, message }) => [field, message]))
    : {}

/** Returns the message to show for a failure: the response's, else the transport's, else a generic one. */
export const messageOf = (error: unknown): string => (error instanceof Error && error.message) || SOMETHING_WENT_WRONG

/** Creates the typed API client. Types come from the contract's table; none of it is loaded at run time. */
export function createClient({
  session,
  fetch: send = (...args) => globalThis.fetch(...args),
  upload = uploadByXhr,
  now = Date.now,
  wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  hasNews = () => false,
  onReachable = () => {},
  renews = true,
  endsSession = ENDS_SESSION,
  askStepUp = async () => undefined,
}: ClientParts) {
  const request = requester(send, upload, onReachable)
  const [renew, freshToken] = createRenewal(session, request, now, renews)
  let isLeaving = false

  /** Sends with the token; on 401, renews once and sends again. Sends nothing but the sign-out while that is under way. */
  async function authorised(path: string, init: Init): Promise<Response> {
    if (isLeaving && path !== LOGOUT) throw new CallError('You are signing out.')
    const used = await freshToken()
    const withToken = (token: string | undefined): Init => ({
      ...init,
      headers: { ...init.headers, ...bearer(token) },
    })
    let response = await request(path, withToken(used))
    if (response.status === 401 && used !== undefined && renews && !isLeaving) {
      // Another call or tab may have renewed it meanwhile; then just use its token.
      const current = session.tokens()?.access.token
      if (current !== undefined && (current !== used || (await renew()))) {
        response = await request(path, withToken(session.tokens()?.access.token))
      }
    }
    if (endsSession.includes(response.status) && !(await keepsGuest(response))) session.signedOut()
    return response
  }

  const delivered = deliverer(authorised, now, wait)

  /** If the second factor is required again, asks for it and repeats the call with the confirmation. */
  async function confirmed(path: string, init: Init, keyed: boolean): Promise<Response> {
    for (let asked = 0; ; asked++) {
      try {
        return await delivered(path, init, keyed)
      } catch (error) {
        if (!(error instanceof CallError) || error.code !== 'step_up_required' || asked === STEP_UPS) throw error
        const token = await askStepUp()
        if (token === undefined) throw error
        init.headers['x-step-up'] = token
      }
    }
  }

  function answerOf(name: CallName, input: LooseInput): Promise<Response> {
    const [method = 'GET', pattern = ''] = name.split(' ')
    const path = pattern.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(input.params?.[part] ?? ''))
    const init = initOf(method, input)
    if (method === 'GET' && hasNews()) init.headers['cache-control'] = 'no-cache'
    return confirmed(path + queryText(input.query), init, input.key !== undefined)
  }

  const call: Call = async (name, ...args) => {
    const response = await answerOf(name, (args[0] ?? {}) as LooseInput)
    const isJson = response.headers.get('content-type')?.includes('json')
    return (isJson ? await response.json() : await response.text()) as never
  }

  /** The same for a call that answers with a file. */
  const callForFile = async <K extends CallName>(name: K, input: Input<K>): Promise<Blob> =>
    (await answerOf(name, input as LooseInput)).blob()

  /** Fetches a private image or document with the Bearer token, by the API path from a response. */
  const readFile = async (path: string): Promise<Blob> => (await delivered(path, { headers: {} }, false)).blob()

  /** Ends the session on the server and in this browser; in this browser even if the server is unreachable. */
  async function leave(): Promise<void> {
    isLeaving = true
    try {
      await call('POST /auth/logout').catch(() => undefined)
    } finally {
      isLeaving = false
      session.signedOut()
    }
  }

  return { call, callForFile, readFile, freshToken, renew, leave }
}

type Request = (path: string, init: RequestInit & { onProgress?: OnProgress }) => Promise<Response>

/** Returns the function that sends one request; it throws a `CallError` without a status if there was no response. */
function requester(send: typeof fetch, upload: typeof uploadByXhr, onReachable: (reachable: boolean) => void): Request {
  return async (path, { onProgress, ...init }) => {
    const url = path.startsWith(`${BASE}/`) ? path : BASE + path
    let response: Response
    try {
      response = await (onProgress ? upload(url, init, onProgress) : inTime(init, (bounded) => send(url, bounded)))
    } catch (cause) {
      if (init.signal?.aborted) throw cause
      onReachable(false)
      throw new CallError(messageOf(cause))
    }
    onReachable(true)
    return response
  }
}

/** Whether a refusal only asks a guest for an e-mail address. */
async function keepsGuest(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const { code }: Partial<ProblemReply> = await response
    .clone()
    .json()
    .catch(() => ({}))
  return code === 'account_required'
}

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

/** Keeps the session's token fresh. Returns the functions that renew it, and that return one that is fresh. */
function createRenewal(session: SessionHolder, request: Request, now: () => number, renews: boolean) {
  let renewal: Promise<boolean> | undefined
  let renewedAt = Number.NEGATIVE_INFINITY

  /** Renews the token; concurrent calls share one renewal. Returns `false` if there is no active session any more. */
  function renew(): Promise<boolean> {
    renewal ??= (async () => {
      // The old token, expired or not, exempts the request from the budget that all visitors of a network share.
      const headers = bearer(session.tokens()?.access.token)
      const response = await request('/auth/refresh', { method: 'POST', credentials: 'same-origin', headers })
      if (response.ok) {
        const answer = (await response.json()) as Reply<'POST /auth/refresh'>
        renewedAt = now()
        // The user may have signed out meanwhile; then the session stays closed.
        if (session.tokens()) session.renewed(answer.tokens)
        return session.tokens() !== undefined
      }
      const refused = await refusal(response)
      if (refused.code === 'email_confirmed') session.confirmedElsewhere?.()
      if (ENDS_SESSION.includes(response.status)) return false
      throw refused
    })().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  /** Returns the token to send, renewed first if it's about to expire; `undefined` without a session. */
  async function freshToken(): Promise<string | undefined> {
    const held = session.tokens()
    if (!held) return undefined
    const endsSoon = renews && Date.parse(held.access.expires) - now() < RENEW_BEFORE_MS
    if (renewal || (endsSoon && now() - renewedAt > RENEW_PAUSE_MS)) {
      const lives = await renew().catch(() => true)
      if (!lives) session.signedOut()
    }
    return session.tokens()?.access.token
  }

  return [renew, freshToken] as const
}

type Send = (path: string, init: Init) => Promise<Response>

/**
 * Returns the function that sends until there is a response: it retries a keyed call whose response was lost. The key
 * makes sure that the call takes effect once.
 */
function deliverer(send: Send, now: () => number, wait: (ms: number) => Promise<void>) {
  return async (path: string, { finalAfterMs = 0, ...init }: Init, keyed: boolean): Promise<Response> => {
    const began = now()
    let isInDoubt = false
    for (let attempt = 0; ; attempt++) {
      let pause = keyed ? REPEAT_AFTER_MS[attempt] : undefined
      try {
        const response = await send(path, init)
        if (response.ok) return response
        throw await refusal(response)
      } catch (error) {
        if (!(error instanceof CallError)) throw error
        if (isLost(error)) isInDoubt = true
        else {
          const left = Math.min(finalAfterMs, began + finalAfterMs - now())
          pause = isInDoubt && left > 0 ? left : undefined
        }
        if (pause === undefined) throw error
      }
      await wait(pause)
    }
  }
}

function initOf(method: string, { signal, onProgress, key, finalAfterMs, body, form, files }: LooseInput): Init {
  const headers: Record<string, string> = { accept: 'application/json' }
  const init: Init = { method, headers, credentials: 'same-origin' }
  if (signal) init.signal = signal
  if (onProgress) init.onProgress = onProgress
  if (key !== undefined) headers['idempotency-key'] = key
  if (finalAfterMs !== undefined) init.finalAfterMs = finalAfterMs
  if (body !== undefined) {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(body)
  } else if (form || files) {
    const data = new FormData()
    for (const [field, value] of Object.entries(form ?? {})) data.append(field, value)
    for (const [field, file] of Object.entries(files ?? {})) data.append(field, file)
    init.body = data
  }
  return init
}

/** Whether there was no response, or one that says nothing about the call. */
const isLost = ({ status, code }: CallError): boolean =>
  (status === undefined || status === 503) && code !== 'not_configured'

/** Sends a request. If it can be sent again, it's aborted when its response doesn't begin in time. */
async function inTime(init: RequestInit, send: (init: RequestInit) => Promise<Response>): Promise<Response> {
  const isRepeatable = (init.method ?? 'GET') === 'GET' || new Headers(init.headers).has('idempotency-key')
  if (!isRepeatable) return send(init)
  const cut = new AbortController()
  const follow = () => cut.abort(init.signal?.reason)
  init.signal?.addEventListener('abort', follow)
  if (init.signal?.aborted) follow()
  const timer = setTimeout(() => cut.abort(new Error('The server took too long to answer.')), RESPOND_WITHIN_MS)
  try {
    return await send({ ...init, signal: cut.signal })
  } finally {
    clearTimeout(timer)
  }
}

function queryText(query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

/** Returns the error of a response. Anything but our JSON (a proxy's page, say) gets the generic message. */
async function refusal(response: Response): Promise<CallError> {
  const answer: Partial<ProblemReply> = await response.json().catch(() => ({}))
  return new CallError(answer.message || SOMETHING_WENT_WRONG, response.status, answer.code, answer.errors)
}
