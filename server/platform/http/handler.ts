import type { Readable } from 'node:stream'
import type { Api, CallName, Parsed, Reply } from '#contract/api.ts'
import type { OperatorRole } from '#contract/terms.ts'
import type { Db } from '../database/db.ts'

/** The owner of an active session. */
export interface Who {
  userId: bigint
  sessionId: bigint
  /** Whether the account is a guest's, who may only make the calls marked `guests`. */
  isGuest: boolean
}

/** The operator who owns an active desk session. */
export interface WhoOperates {
  operatorId: bigint
  sessionId: bigint
  email: string
  roles: readonly OperatorRole[]
}

/** A file of a multipart request, within its size limit; its content is not checked yet. */
export interface UncheckedFile {
  bytes: Buffer
  /** The client's name for it: never use it as a path or to derive a type. */
  name: string
}

/** What a use case may need to know about the request itself. */
export interface RequestInfo {
  /** The caller's address; forwarding headers count only through `TRUST_PROXY`. */
  ip: string
  userAgent: string
  origin: string | undefined
  cookies: Record<string, string | undefined>
  setCookie(name: string, value: string, options: { path: string; maxAgeSeconds?: number }): void
  clearCookie(name: string, options: { path: string }): void
  /** The Bearer token, if one was sent. */
  token: string | undefined
  idempotencyKey: string | undefined
  /** The value of `X-Step-Up`: a token that authorises exactly this request, once. */
  stepUp: string | undefined
  header(name: string): string | undefined
  /** The unparsed body, for endpoints that are `raw`. */
  rawText: string | undefined
  /**
   * sha256 over method, path, fields and files: what an idempotency key is bound to. `except`: a field of the body that
   * may differ when the same request is sent again.
   */
  fingerprint(except?: string): Buffer
  /** When its headers arrived, as `performance.now()`. */
  arrivedAt: number
  /** Calls `callback` once the response has left or the caller is gone. Times are `performance.now()`. */
  whenSent(callback: (sent: Sent) => void): void
}

export interface Sent {
  status: number
  beganAt: number
  endedAt: number
}

interface AnyCall<K extends CallName> {
  params: Parsed<K, 'params'>
  query: Parsed<K, 'query'>
  body: Parsed<K, 'body'>
  form: Parsed<K, 'form'>
  files: Record<string, UncheckedFile | undefined>
  who: Api[K]['access'] extends 'user' ? Who : Api[K]['access'] extends 'operator' ? WhoOperates : Who | undefined
  request: RequestInfo
}

export type Call<K extends CallName> = AnyCall<K> & (Api[K] extends { mayLag: true } ? MayLag : unknown)

interface MayLag {
  /** The database to read from: a standby, if it has all that the caller must see. */
  reads: Db
}

/** JSON that PostgreSQL or a cache has already serialised; passed through unchanged. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A response that is not JSON. Always sent as a type that a browser won't run. */
export class FileReply {
  readonly content: Buffer | Readable
  readonly type: string
  readonly headers: Record<string, string>
  constructor(content: Buffer | Readable, type: string, headers: Record<string, string> = {}) {
    this.content = content
    this.type = type
    this.headers = headers
  }
}

export type Handler<K extends CallName> = (call: Call<K>) => Promise<Reply<K> | JsonText | FileReply>

/**
 * Handlers for some of the endpoints. Each room's `routes.ts` creates its own; together they must cover every endpoint
 * in `app.ts`.
 */
export type Handlers<K extends CallName = CallName> = { [Name in K]: Handler<Name> }
