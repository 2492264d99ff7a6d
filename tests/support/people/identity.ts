import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import {
  ageCheck,
  closureRoutes,
  emailChangeRoutes,
  type IdentityDeps,
  type IdentityTopics,
  identityLimits,
  identityRoutes,
  openPasswords,
  type PasswordCost,
  secondFactorRoutes,
  startResetWorker,
  startSessions,
} from '#server/identity/index.ts'
import { currentCheck, endChecksOf, kycLimits, kycRoutes, submit, supersedeChecksOf } from '#server/kyc/index.ts'
import { hasRealMovement, openAccounts } from '#server/ledger/index.ts'
import { openBus } from '#server/platform/bus/index.ts'
import { openReads } from '#server/platform/database/reads.ts'
import { diskStorage, filesKey, openFiles } from '#server/platform/files/index.ts'
import { createHttp, type Handlers } from '#server/platform/http/index.ts'
import { openRateLimits } from '#server/platform/http/limits/rate-limit.ts'
import { mailboxPlugin, openOutbox } from '#server/platform/mail/index.ts'
import { createLog, type Log } from '#server/platform/process/log.ts'
import { openSeal } from '#server/platform/secrets/seal.ts'
import { createTestDatabase } from '../servers/database.ts'
import { openTestNotices, testPush } from './notices.ts'

export interface Answer {
  status: number
  // The server validates every response against the contract (checkReplies), so tests only check what they expect.
  json: { [field: string]: unknown; code?: string; message?: string; errors?: { field: string; message: string }[] }
  headers: Headers
  bytes: Buffer
  /** The renewal cookie of the response: its value and the whole header line. */
  cookie: { value: string; line: string } | undefined
}

interface CallOptions {
  token?: string
  cookie?: string
  headers?: Record<string, string>
}

interface IdentityOptions {
  rateFactor?: number
  readEveryMs?: number
  log?: Log
}

/** Starts the identity and kyc rooms behind real HTTP, on a separate database. */
export async function startIdentityApp(options: IdentityOptions = {}) {
  const database = await createTestDatabase({ max: 30 })
  const log = options.log ?? createLog('fatal')
  const bus = await openBus<IdentityTopics>(log)
  const sessions = startSessions({ db: database.db, log, bus, readEveryMs: options.readEveryMs })
  const base = {
    db: database.db,
    log,
    brand: 'Cleartick',
    publicUrl: () => 'http://localhost:3000',
    mail: openOutbox(() => undefined),
  }
  const resets = startResetWorker(base)
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-files-'))
  const kyc = {
    db: database.db,
    log,
    push: testPush(),
    limits: kycLimits(openRateLimits(options.rateFactor)),
    notices: openTestNotices(),
    files: openFiles({ storage: diskStorage(folder), key: filesKey(folder, undefined) }),
    approved: async () => undefined,
  }
  const identity: IdentityDeps = {
    ...base,
    clock: { now: Date.now },
    seal: openSeal(filesKey(folder, undefined), 'totp'),
    notices: kyc.notices,
    sessions,
    passwords: openPasswords(LOWEST_COST),
    limits: identityLimits(openRateLimits(options.rateFactor)),
    isAcceptedOrigin: (origin) => origin === 'http://localhost:3000',
    ledger: { openAccounts, hasRealMovement },
    hasOpenRequest: async () => false,
    kyc: {
      submit: (command) => submit(kyc, command),
      endChecksOf: (tx, userId) => endChecksOf(kyc, tx, userId),
      supersedeChecksOf,
      hasCheck: async (tx, userId) => (await currentCheck(tx, userId)) !== undefined,
    },
    guardrails: { carryOver: async () => undefined, mailboxChanged: async () => undefined },
    obligations: async () => [],
    stopAutomatic: async () => undefined,
    endActivity: async () => undefined,
    deleteFile: async () => undefined,
    checkAge: ageCheck({ takesMinors: false, now: Date.now }),
    recordReset: async () => undefined,
    wakeResets: () => resets.wake(),
  }
  const http = await createHttp({
    log,
    trustProxy: undefined,
    insecureCookies: true,
    rateFactor: undefined,
    authenticate: sessions.authenticate,
    authenticateOperator: async () => undefined,
    checkReplies: true,
  })
  mailboxPlugin(http.app, { db: database.db, brand: 'Cleartick', isOwnHost: (host) => host === new URL(origin).host })
  http.serve(openReads({ db: database, lists: database }, undefined), {
    ...identityRoutes(identity),
    ...emailChangeRoutes(identity),
    ...closureRoutes(identity),
    ...secondFactorRoutes(identity),
    ...kycRoutes(kyc),
  } as Partial<Handlers> as Handlers)
  const origin = `http://127.0.0.1:${await http.listen('127.0.0.1', 0)}`

  async function send(method: string, path: string, body: unknown, given: CallOptions = {}): Promise<Answer> {
    const form = body instanceof FormData
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(given.token ? { authorization: `Bearer ${given.token}` } : {}),
        ...(given.cookie ? { cookie: `renewal=${given.cookie}` } : {}),
        ...(body !== undefined && !form ? { 'content-type': 'application/json' } : {}),
        ...given.headers,
      },
      ...(body === undefined ? {} : { body: form ? body : typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const line = response.headers.getSetCookie().find((text) => text.startsWith('renewal='))
    return {
      status: response.status,
      json: response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(bytes.toString()) : {},
      headers: response.headers,
      bytes,
      cookie: line === undefined ? undefined : { value: /^renewal=([^;]*)/.exec(line)![1]!, line },
    }
  }

  /** Makes a call by its name in the contract: `call('POST /auth/login', {...})`. */
  const call = (name: string, body?: unknown, given?: CallOptions) => {
    const [method, path] = name.split(' ') as [string, string]
    return send(method, `/api${path}`, body, given)
  }

  const mailsTo = async (to: string): Promise<{ subject: string; text: string; html: string; links: string[] }[]> =>
    (await send('GET', `/mailbox.json?to=${encodeURIComponent(to)}`, undefined)).json as unknown as {
      subject: string
      text: string
      html: string
      links: string[]
    }[]

  const mailsAbout = async (to: string, subject: RegExp) =>
    (await mailsTo(to)).filter((candidate) => subject.test(candidate.subject))

  /** Waits for more than `before` e-mails with this subject, and returns the `hash` of the newest. */
  async function hashFor(to: string, subject: RegExp, before = 0): Promise<string> {
    for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 25) {
      const [mail, ...older] = await mailsAbout(to, subject)
      if (mail && older.length >= before) return new URL(mail.links[0]!).searchParams.get('hash')!
      await sleep(25)
    }
    throw new Error(`no e-mail ${subject} to ${to}`)
  }

  /** Confirms an address with the link of its e-mail. */
  async function confirm(user: { email: string }): Promise<void> {
    const answer = await call('POST /auth/verify-email', { hash: await hashFor(user.email, /Confirm/) })
    if (answer.status !== 200) throw new Error(`confirmation: ${answer.status} ${answer.bytes}`)
  }

  /** Registers a new user. */
  async function newUser(more: Record<string, unknown> = {}) {
    const form = registration(more)
    const answer = await call('POST /auth/register', form)
    if (answer.status !== 200) throw new Error(`registration: ${answer.status} ${answer.bytes}`)
    return { email: form.email, password: form.password, session: answer.json.session as string }
  }

  async function signIn(
    user: { email: string; password: string },
    more: Record<string, unknown> = {},
    given?: CallOptions,
  ) {
    const answer = await call('POST /auth/login', { email: user.email, password: user.password, ...more }, given)
    if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${answer.bytes}`)
    const { data, tokens } = answer.json as {
      data: Record<string, unknown> & { id: string }
      tokens: { access: { token: string; expires: string } }
    }
    return { answer, user: data, token: tokens.access.token, renewal: answer.cookie!.value }
  }

  return {
    ...database,
    folder,
    bus,
    kyc,
    sessions,
    origin,
    send,
    call,
    mailsTo,
    mailsAbout,
    hashFor,
    newUser,
    confirm,
    signIn,
    async stop() {
      await http.close()
      await resets.stop()
      await sessions.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type IdentityApp = Awaited<ReturnType<typeof startIdentityApp>>

/** Returns a valid registration with an unused e-mail address. */
export const registration = (more: Record<string, unknown> = {}) => ({
  firstname: 'Ada',
  lastname: 'Byron',
  email: `ada-${randomUUID().slice(0, 8)}@example.org`,
  phone: '+44 20 7946 0000',
  password: 'analytical engine',
  confirmPassword: 'analytical engine',
  ...more,
})

/** Returns what the database stores of a secret. */
export const storedHash = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The lowest cost that argon2id allows. */
export const LOWEST_COST: PasswordCost = { memory: 8, passes: 1, parallelism: 1 }

/** Starts the identity app, with calls that several tests make. */
export async function startIdentity(options: IdentityOptions = {}) {
  const app = await startIdentityApp(options)
  return {
    app,
    me: (token: string) => app.call('GET /users/me', undefined, { token }),
    refresh: (cookie: string, headers?: Record<string, string>) =>
      app.call('POST /auth/refresh', undefined, { cookie, ...(headers ? { headers } : {}) }),
    usersWith: (email: string) =>
      app.db.selectFrom('users').selectAll().where('email', '=', email).orderBy('id').execute(),

    /** Registers a user and confirms the address. */
    async confirmedUser() {
      const user = await app.newUser()
      const answer = await app.call('POST /auth/verify-email', { hash: await app.hashFor(user.email, /Confirm/) })
      expect(answer.status).toBe(200)
      return user
    },

    /** Requests a password reset, and returns the hash in its link. */
    async resetHash(email: string) {
      const before = (await app.mailsAbout(email, /Reset/)).length
      expect((await app.call(`GET /auth/reset-password?email=${encodeURIComponent(email)}`)).status).toBe(200)
      return app.hashFor(email, /Reset/, before)
    },
  }
}

export const tokenOf = (answer: Answer) => (answer.json.tokens as { access: { token: string } }).access.token

/** Returns each answer's error code, or its status without one, sorted. */
export const codes = (answers: Answer[]) => answers.map((answer) => answer.json.code ?? answer.status).sort()
