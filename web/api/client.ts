import type { Api, Body, CallName, Form, Params, Query, Reply } from '#contract/api.ts'
import type { FieldError, ProblemReply } from '#contract/problem.ts'
import { type OnProgress, upload as uploadByXhr } from './upload.ts'

/** The access token as sign-in and renewal answer it; `expires` is ISO time. */
export interface AccessTokens {
  access: { token: string; expires: string }
}

/** Where the client finds the session, and whom it tells when the session changes or ends. */
export interface SessionHolder {
  tokens(): AccessTokens | undefined
  renewed(tokens: AccessTokens): void
  signedOut(): void
}

export interface ClientParts {
  session: SessionHolder
  fetch?: typeof fetch
  upload?: typeof uploadByXhr
  /** Unix milliseconds. */
  now?: () => number
  wait?: (ms: number) => Promise<void>
  /** Told `false` when the server cannot be reached and `true` when it answers again. */
  onReachable?: (reachable: boolean) => void
  /** Asks for the second factor; answers the token that confirms the refused call, `undefined` where somebody declined. */
  askStepUp?: () => Promise<string | undefined>
  /** Whether a session is renewed; the desk's is not. */
  renews?: boolean
  /** Answers of these statuses end the session. */
  endsSession?: readonly number[]
}

/**
 * A call that was not answered with success. `message` is for people; decisions go by `code` or `status`. `status` is
 * absent where no answer came at all.
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
/** Calls that move money want a key made here (`newKey()`), which makes a repeat safe. */
type Key<K extends CallName> = Api[K] extends { idempotent: true } ? { key: string } : unknown

/** What a call takes: the parts that its row in the contract names, and nothing else. */
export type Input<K extends CallName> = Slot<'params', Params<K>> &
  Slot<'query', Query<K>> &
  Slot<'body', Body<K>> &
  Slot<'form', Form<K>> &
  Files<K> &
  Key<K> & { signal?: AbortSignal }

type Args<K extends CallName> = object extends Input<K> ? [input?: Input<K>] : [input: Input<K>]
export type Call = <K extends CallName>(name: K, ...args: Args<K>) => Promise<Reply<K>>

interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, string | undefined>
  body?: unknown
  form?: Record<string, string>
  files?: Record<string, File>
  onProgress?: OnProgress
  key?: string
  signal?: AbortSignal
}

type Init = Omit<RequestInit, 'headers'> & { headers: Record<string, string>; onProgress?: OnProgress }

const BASE = '/api'
const SOMETHING_WENT_WRONG = 'Something Went Wrong!'
/** A token that runs out within this time is renewed first. */
const RENEW_BEFORE_MS = 60_000
/** A renewal is not repeated within this time, however wrong the clock of this machine is. */
const RENEW_PAUSE_MS = 30_000
/** How often one call asks for the second factor: another call of this session may have taken its confirmation. */
const STEP_UPS = 3
/** How long a keyed call waits before each repeat when its answer was lost. */
const REPEAT_AFTER_MS = [400, 1_200, 3_000]

/** Answers of these statuses end the session in this browser; a 401 only after one renewal was tried. */
const ENDS_SESSION: readonly number[] = [401, 402, 403]

/** A key for `Idempotency-Key`; `crypto.randomUUID` is missing on plain http in a local network. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What to show a person of any failure: the answer's message, else the transport's, else the last resort. */
export const messageOf = (error: unknown): string => (error instanceof Error && error.message) || SOMETHING_WENT_WRONG

/** The typed door to the API. Types come from the contract's table; nothing of it is loaded. */
export function createClient({
  session,
  fetch: send = (...args) => globalThis.fetch(...args),
  upload = uploadByXhr,
  now = Date.now,
  wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  onReachable = () => {},
  renews = true,
  endsSession = ENDS_SESSION,
  askStepUp = async () => undefined,
}: ClientParts) {
  let renewal: Promise<boolean> | undefined
  let renewedAt = Number.NEGATIVE_INFINITY

  /** One request and its answer; throws a `CallError` without a status where none came. */
  async function request(path: string, { onProgress, ...init }: RequestInit & { onProgress?: OnProgress }) {
    const url = path.startsWith(`${BASE}/`) ? path : BASE + path
    let response: Response
    try {
      response = await (onProgress ? upload(url, init, onProgress) : send(url, init))
    } catch (cause) {
      if (init.signal?.aborted) throw cause
      onReachable(false)
      throw new CallError(messageOf(cause))
    }
    onReachable(true)
    return response
  }

  /** Renews the token, once however many ask. `false`: there is no living session any more. */
  function renew(): Promise<boolean> {
    renewal ??= (async () => {
      const response = await request('/auth/refresh', { method: 'POST', credentials: 'same-origin' })
      if (response.ok) {
        const answer = (await response.json()) as Reply<'POST /auth/refresh'>
        renewedAt = now()
        // Somebody may have signed out while this was under way: then the session stays ended.
        if (session.tokens()) session.renewed(answer.tokens)
        return session.tokens() !== undefined
      }
      if (ENDS_SESSION.includes(response.status)) return false
      throw await refusal(response)
    })().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  /** The token to send now, renewed first where it is about to run out; `undefined` without a session. */
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

  /** Sends with the token; on 401 renews once and sends again. */
  async function authorised(path: string, init: Init): Promise<Response> {
    const used = await freshToken()
    const withToken = (token: string | undefined): Init => ({
      ...init,
      headers: token ? { ...init.headers, authorization: `Bearer ${token}` } : init.headers,
    })
    let response = await request(path, withToken(used))
    if (response.status === 401 && used !== undefined && renews) {
      // Another call or tab may have renewed it meanwhile; then its token is simply used.
      const current = session.tokens()?.access.token
      if (current !== undefined && (current !== used || (await renew()))) {
        response = await request(path, withToken(session.tokens()?.access.token))
      }
    }
    if (endsSession.includes(response.status)) session.signedOut()
    return response
  }

  /** Repeats a keyed call whose answer was lost: the key makes sure that it has one effect. */
  async function delivered(path: string, init: Init, keyed: boolean) {
    for (let attempt = 0; ; attempt++) {
      const pause = keyed ? REPEAT_AFTER_MS[attempt] : undefined
      try {
        const response = await authorised(path, init)
        if (response.ok) return response
        const error = await refusal(response)
        if (pause === undefined || error.status !== 503 || error.code === 'not_configured') throw error
      } catch (error) {
        const lost = error instanceof CallError && (error.status === undefined || error.status === 503)
        if (pause === undefined || !lost || error.code === 'not_configured') throw error
      }
      await wait(pause)
    }
  }

  /** Where the second factor is wanted again, asks for it and sends the same call with what confirms it. */
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

  const call: Call = async (name, ...args) => {
    const input = (args[0] ?? {}) as LooseInput
    const [method = 'GET', pattern = ''] = name.split(' ')
    const path = pattern.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(input.params?.[part] ?? ''))
    const headers: Record<string, string> = { accept: 'application/json' }
    const init: Init = { method, headers, credentials: 'same-origin' }
    if (input.signal) init.signal = input.signal
    if (input.onProgress) init.onProgress = input.onProgress
    if (input.key !== undefined) headers['idempotency-key'] = input.key
    if (input.body !== undefined) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(input.body)
    } else if (input.form || input.files) {
      const form = new FormData()
      for (const [field, value] of Object.entries(input.form ?? {})) form.append(field, value)
      for (const [field, file] of Object.entries(input.files ?? {})) form.append(field, file)
      init.body = form
    }
    const response = await confirmed(path + queryText(input.query), init, input.key !== undefined)
    const isJson = response.headers.get('content-type')?.includes('json')
    return (isJson ? await response.json() : await response.text()) as never
  }

  /** A picture or document behind the Bearer token, by the API path that an answer named. */
  const readFile = async (path: string): Promise<Blob> => (await delivered(path, { headers: {} }, false)).blob()

  return { call, readFile, freshToken, renew }
}

function queryText(query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

/** The refusal that an answer carries; anything else than our JSON (a proxy's page, say) has the last resort's words. */
async function refusal(response: Response): Promise<CallError> {
  const answer: Partial<ProblemReply> = await response.json().catch(() => ({}))
  return new CallError(answer.message || SOMETHING_WENT_WRONG, response.status, answer.code, answer.errors)
}
