import type { Readable } from 'node:stream'
import type { Api, Body, CallName, Form, Params, Query, Reply } from '#contract/api.ts'
import type { OperatorRole } from '#contract/terms.ts'

/** Whom a living session belongs to. */
export interface Who {
  userId: bigint
  sessionId: bigint
}

/** Whom a living session of the desk belongs to. */
export interface WhoOperates {
  operatorId: bigint
  sessionId: bigint
  email: string
  roles: readonly OperatorRole[]
}

/** A file of a multipart call, within its size, not looked into yet. */
export interface UncheckedFile {
  bytes: Buffer
  /** What the client called it: never a path of ours, never a type. */
  name: string
}

/** What a use case may want to know of the request itself. */
export interface RequestInfo {
  /** The caller's address; forwarding headers count only through `TRUST_PROXY`. */
  ip: string
  userAgent: string
  origin: string | undefined
  cookies: Record<string, string | undefined>
  setCookie(name: string, value: string, options: { path: string; maxAgeSeconds?: number }): void
  clearCookie(name: string, options: { path: string }): void
  /** The Bearer token, where one was sent. */
  token: string | undefined
  idempotencyKey: string | undefined
  /** What `X-Step-Up` carries: the token that lets this very call through once. */
  stepUp: string | undefined
  header(name: string): string | undefined
  /** The body as it came, for calls that are `raw`. */
  rawText: string | undefined
  /** sha256 over method, path, fields and files: what an idempotency key stands for. */
  fingerprint(): Buffer
}

export interface Call<K extends CallName> {
  params: Params<K>
  query: Query<K>
  body: Body<K>
  form: Form<K>
  files: Record<string, UncheckedFile | undefined>
  who: Api[K]['access'] extends 'user' ? Who : Api[K]['access'] extends 'operator' ? WhoOperates : Who | undefined
  request: RequestInfo
}

/** JSON that PostgreSQL or a cache has written already; passed through as it is. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An answer that is not JSON. Always sent as something a browser will not run. */
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

/** A handler for each of some calls. A room's `routes.ts` makes one; `main.ts` must end up with one for every call. */
export type Handlers<K extends CallName = CallName> = { [Name in K]: Handler<Name> }
