import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import type { User } from '#contract/account/user.ts'
import type { SubmitTradeBody, Trade } from '#contract/trading/trading.ts'
import { usd } from '#kernel/money.ts'
import { startApp } from '#server/app/app.ts'
import { readConfig } from '#server/config/config.ts'
import type { PasswordCost } from '#server/identity/index.ts'
import { crossRoomChecks } from '#server/invariants/index.ts'
import { ledgerChecks } from '#server/ledger/index.ts'
import { inTransaction } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { LOWEST_COST } from '../people/identity.ts'
import { fund, giveBirthDate, verifyUser } from '../trades/money.ts'
import { connectTo, createTestDatabase, type TestDatabase } from './database.ts'

/** A response of any kind. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The parsed body if it is JSON, else undefined. */
  json: { [field: string]: unknown; code?: string; message?: string } | undefined
}

export interface Sent {
  token?: string | undefined
  headers?: Record<string, string>
  /** Text and bytes are sent as they are, a form as a form, anything else as JSON. */
  body?: unknown
}

/** A signed-in trader. */
export interface Trader {
  id: string
  email: string
  password: string
  token: string
  session: string
}

/**
 * Starts the whole server, as `npm start` does, on a separate database with simulated prices and no limits. Passwords
 * are hashed at the lowest cost, unless a test needs the shipped one.
 */
/** Settings of a test installation behind a proxy on this machine. Others may reach it, so its prices have no known seed. */
export const BEHIND_PROXY = { TRUST_PROXY: '127.0.0.1', PUBLIC_TEST_INSTALLATION: 'on', FEED: 'simulation' }

export async function startWholeApp(
  settings: Record<string, string> = {},
  {
    shippedPasswordCost = false,
    passwordCost = LOWEST_COST,
    database: given,
  }: { shippedPasswordCost?: boolean; passwordCost?: PasswordCost; database?: TestDatabase } = {},
) {
  const database = given ?? (await createTestDatabase())
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-app-'))
  const start = (more: Record<string, string> = {}) =>
    startApp({
      config: readConfig({
        DATA_DIR: folder,
        PORT: '0',
        FEED: 'simulation:contract',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'silent',
        ...settings,
        ...more,
      }),
      log: createLog('silent'),
      urls: { app: database.appUrl },
      checkReplies: true,
      ...(shippedPasswordCost ? {} : { passwordCost }),
    })
  const app = await start()
  const origin = `http://127.0.0.1:${app.port}`

  async function send(method: string, path: string, { token, headers = {}, body }: Sent = {}): Promise<Reply> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }

  async function good(method: string, path: string, sent?: Sent): Promise<NonNullable<Reply['json']>> {
    const reply = await send(method, path, sent)
    if (reply.status !== 200 || !reply.json) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.json
  }

  return {
    ...database,
    folder,
    port: app.port,
    /** `http://127.0.0.1:PORT` for monitoring, with the setting `METRICS_PORT`. */
    monitor: `http://127.0.0.1:${app.metricsPort}`,
    origin,
    send,

    /** Registers an account; returns it with its onboarding session. */
    async register(
      email = `eve-${randomUUID().slice(0, 13)}@example.org`,
    ): Promise<{ email: string; password: string; session: string }> {
      const password = 'analytical engine'
      const body = { firstname: 'Eve', lastname: 'Byron', email, phone: '+44 20 7946 0000', password }
      const { session } = await good('POST', '/api/auth/register', { body: { ...body, confirmPassword: password } })
      return { email, password, session: session as string }
    },

    /** Signs in; registers a new account if none is given. */
    async trader(account?: { email: string; password: string; session?: string }): Promise<Trader> {
      const { email, password, session = '' } = account ?? (await this.register())
      const { data, tokens } = await good('POST', '/api/auth/login', { body: { email, password } })
      const { id } = data as User
      return { id, email, password, session, token: (tokens as { access: { token: string } }).access.token }
    },

    /** Signs in to a new account with a confirmed e-mail address. */
    async confirmedTrader(): Promise<Trader> {
      const account = await this.register()
      const hash = await this.hashFor(account.email, /Confirm/i)
      await good('POST', '/api/auth/verify-email', { body: { hash } })
      const trader = await this.trader(account)
      await giveBirthDate(database.db, BigInt(trader.id))
      return trader
    },

    /** Signs in from a browser that the account doesn't know; returns the hash in the e-mail about it. */
    async hashOfNewSignIn({ email, password }: { email: string; password: string }): Promise<string> {
      const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
      await good('POST', '/api/auth/login', { body: { email, password }, headers })
      return this.hashFor(email, /New sign-in/)
    },

    /** Completes the profile, which an operator later compares with an ID. */
    async completeProfile(trader: { session: string }, more: Record<string, string> = {}): Promise<void> {
      const profile = { gender: 'female', date_of_birth: '1985-12-10', address: '12 St. James', city: 'London' }
      const body = { ...profile, state: 'England', country: 'United Kingdom', ...more, session: trader.session }
      await good('POST', '/api/auth/complete-profile', { body })
    },

    /** Credits a trader's live account with a card deposit. */
    async fund(trader: Trader, dollars: number): Promise<void> {
      await inTransaction(database.db, (tx) => fund(tx, BigInt(trader.id), usd(BigInt(Math.round(dollars * 100)))))
    },

    /** Confirms a trader's e-mail and approves an ID, as withdrawals require. */
    async verify(trader: Trader): Promise<void> {
      await verifyUser(database.db, BigInt(trader.id))
    },

    /** Opens a demo trade. */
    async submit(
      trader: Trader,
      order: Partial<SubmitTradeBody> = {},
      headers: Record<string, string> = {},
    ): Promise<Trade> {
      const body = { ...ORDER, ...order }
      return (await good('POST', '/api/trading/submit', { token: trader.token, body, headers })).data as Trade
    },

    async balances(trader: Trader): Promise<{ balance: number; demo_balance: number }> {
      const { balance, demo_balance } = (await good('GET', '/api/users/me', { token: trader.token })).data as User
      return { balance, demo_balance }
    },

    /** Waits for the newest e-mail with this subject and returns its one-time hash. */
    async hashFor(email: string, subject: RegExp): Promise<string> {
      for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 50) {
        const { text } = await send('GET', `/mailbox.json?to=${encodeURIComponent(email)}`)
        const mails = JSON.parse(text) as { subject: string; links: string[] }[]
        const mail = mails.find((one) => subject.test(one.subject))
        if (mail) return new URL(mail.links[0]!).searchParams.get('hash')!
        await sleep(50)
      }
      throw new Error(`no e-mail ${subject} to ${email}`)
    },

    /** Returns the names of violated money invariants. */
    async broken(): Promise<string[]> {
      const client = await connectTo(database.superUrl)
      try {
        const names: string[] = []
        for (const check of [...ledgerChecks, ...crossRoomChecks]) {
          const { rowCount } = await client.query(check.sql)
          if (rowCount) names.push(check.name)
        }
        return names
      } finally {
        await client.end()
      }
    },

    /** Runs a statement that no node may. */
    async asSuper(statement: string): Promise<void> {
      const client = await connectTo(database.superUrl)
      try {
        await client.query(statement)
      } finally {
        await client.end()
      }
    },

    /** Starts another node on the same database. Stop it before the first. */
    async otherNode(more: Record<string, string>): Promise<{ origin: string; monitor: string; stop(): Promise<void> }> {
      const node = await start(more)
      const monitor = `http://127.0.0.1:${node.metricsPort}`
      return { origin: `http://127.0.0.1:${node.port}`, monitor, stop: node.stop }
    },

    async stop(): Promise<void> {
      await app.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type WholeApp = Awaited<ReturnType<typeof startWholeApp>>

let shared: Promise<WholeApp> | undefined

/**
 * Returns the whole server with its default settings, which the test files of a process share: a start takes most of a
 * second. For tests that other people, their trades and their money don't disturb. It ends with the process.
 */
export async function sharedApp(): Promise<WholeApp> {
  shared ??= startWholeApp()
  const app = await shared
  // While another test file computed for seconds, this process made no prices.
  await vi.waitUntil(() => isFresh(app), { timeout: 60_000 })
  return { ...app, stop: async () => undefined }
}

async function isFresh(app: WholeApp): Promise<boolean> {
  const { text } = await app.send('GET', `/api/prices/instruments?symbols=${ORDER.symbol}`)
  const { data } = JSON.parse(text) as { data: { status: string }[] }
  return data[0]?.status === 'open'
}

/** A valid demo order. */
export const ORDER: SubmitTradeBody = {
  symbol: 'BTCUSDT',
  trading_type: 'Cryptocurrency',
  trade_mode: 'Buy',
  amount: 10,
  duration: 3600,
  strike_rate: '75/3',
  mode: 'demo',
}
