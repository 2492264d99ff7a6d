import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { DeskAuditRow } from '#contract/desk/office/audit.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { parsePublicId } from '#kernel/id.ts'
import { must } from '#kernel/must.ts'
import { inviteFromHost } from '#server/desk/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import { arrive } from '../arrivals.ts'
import { photo } from '../pictures.ts'
import { data } from '../replies.ts'
import { type Reply, type Sent, startWholeApp, type Trader, type WholeApp } from '../servers/app.ts'
import { connectTo } from '../servers/database.ts'
import { talk } from './chat.ts'

const PERIOD_MS = 30_000
export const DESK_PASSWORD = 'difference engine'

/** A signed-in operator. */
export interface DeskOperator {
  id: string
  email: string
  roles: OperatorRole[]
  secret: string
  token: string
  /** Makes a call of the desk. */
  ask(method: string, path: string, sent?: Omit<Sent, 'token'>): Promise<Reply>
}

/**
 * Invites an operator, accepts the invitation and signs in, like a real operator. Joining uses the previous code, so
 * that the next one is unused.
 */
export async function operator(
  app: WholeApp,
  roles: OperatorRole[],
  email = `${roles[0]}-${randomUUID().slice(0, 8)}@desk.example`,
): Promise<DeskOperator> {
  const { token } = await inviteFromHost(app.db, { email, roles })
  const { data } = await good(app, '/api/desk/auth/join', { token, password: DESK_PASSWORD })
  const { secret } = data as { secret: string }
  await timeLeftInPeriod()
  await good(app, '/api/desk/auth/join/confirm', { token, code: totpCode(secret, Date.now() - PERIOD_MS) })
  return signInAgain(app, { email, secret }, Date.now())
}

/** Waits for the next period if it is about to begin: it would make the previous code invalid. */
export async function timeLeftInPeriod(): Promise<void> {
  const leftMs = PERIOD_MS - (Date.now() % PERIOD_MS)
  // A timer may fire a millisecond early.
  if (leftMs < 5_000) await sleep(leftMs + 50)
}

/** Signs in with the code of a given time. Each code works once. */
export async function signInAgain(
  app: WholeApp,
  { email, secret }: { email: string; secret: string },
  atMs: number,
): Promise<DeskOperator> {
  const body = { email, password: DESK_PASSWORD, code: totpCode(secret, atMs) }
  const { data, tokens } = await good(app, '/api/desk/auth/login', body)
  const { id, roles } = data as { id: string; roles: OperatorRole[] }
  const { token } = (tokens as { access: { token: string } }).access
  return {
    id,
    email,
    roles,
    secret,
    token,
    ask: (method, path, sent) => app.send(method, `/api/desk${path}`, { ...sent, token }),
  }
}

async function good(app: WholeApp, path: string, body: object): Promise<NonNullable<Reply['json']>> {
  const reply = await app.send('POST', path, { body })
  if (reply.status !== 200 || !reply.json) throw new Error(`${path}: ${reply.status} ${reply.text}`)
  return reply.json
}

/** An item for the desk to process, and its owner. */
export interface Waiting {
  id: string
  trader: Trader
}

/** Creates items as traders do; each ends up in its queue. */
export function deskItems(app: WholeApp) {
  let picture: Promise<Buffer> | undefined
  const drawn = () => {
    picture ??= photo()
    return picture
  }
  /** Returns the id of this trader's newest item. Other traders may create items at the same time. */
  const newestOf = async (trader: Trader, table: 'identity_checks' | 'plan_requests' | 'chats'): Promise<string> => {
    const { rows } = await sql<{ id: bigint }>`
      select max(id) as id from ${sql.table(table)} where user_id = ${trader.id}`.execute(app.db)
    return String(rows[0]!.id)
  }
  async function sent(method: string, path: string, sending: Sent): Promise<{ [field: string]: unknown }> {
    const reply = await app.send(method, path, sending)
    if (reply.status !== 200 || !reply.json) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.json.data as { [field: string]: unknown }
  }
  /** Creates a trader with a confirmed e-mail, an approved ID, and this much real money. */
  async function verified(dollars = 0): Promise<Trader> {
    const trader = await app.trader()
    await app.verify(trader)
    if (dollars > 0) await app.fund(trader, dollars)
    return trader
  }

  return {
    verified,
    async 'identity-checks'(): Promise<Waiting> {
      const trader = await app.trader()
      await app.completeProfile(trader)
      const body = new FormData()
      body.set('method', 'national_id')
      body.set('id_file', new Blob([new Uint8Array(await drawn())], { type: 'image/jpeg' }), 'id.jpg')
      await sent('POST', '/api/profile/user-verification', { token: trader.token, body })
      return { id: await newestOf(trader, 'identity_checks'), trader }
    },
    /** Creates a deposit in coins whose arrival is entered. */
    async deposits(dollars = 100): Promise<Waiting> {
      const trader = await verified()
      const body = new FormData()
      body.set('usd_amount', String(dollars))
      body.set('receipt', new Blob([new Uint8Array(await drawn())], { type: 'image/jpeg' }), 'receipt.jpg')
      const { deposit_id } = await sent('POST', '/api/deposit', { token: trader.token, body })
      await arrive(app.db, must(parsePublicId(deposit_id as string)))
      return { id: deposit_id as string, trader }
    },
    async withdrawals(dollars = 100): Promise<Waiting> {
      const trader = await verified(dollars)
      const body = { amount: dollars, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }
      const { withdraw_id } = await sent('POST', '/api/withdraw', { token: trader.token, body })
      return { id: withdraw_id as string, trader }
    },
    async bank(dollars = 100): Promise<Waiting> {
      const trader = await verified(dollars)
      const body = { bank_name: 'B', type: 'Checking', account_number: '000123456789', routing_number: '021000021' }
      const { withdraw_id } = await sent('POST', '/api/withdraw/bank', {
        token: trader.token,
        body: { ...body, amount: dollars },
      })
      return { id: withdraw_id as string, trader }
    },
    async 'plan-requests'(dollars = 7_600): Promise<Waiting> {
      const trader = await verified(dollars)
      await sent('POST', '/api/users/set-plan', { token: trader.token, body: { trading_plan: 'Beginner-3000' } })
      const body = { trading_plan: 'Gold-7600' }
      await sent('POST', '/api/users/request-plan-update', { token: trader.token, body })
      return { id: await newestOf(trader, 'plan_requests'), trader }
    },
    async messages(words = 'May I ask?'): Promise<Waiting> {
      const trader = await app.trader()
      const body = { name: 'Eve Byron', email: trader.email, message: words }
      const reply = await app.send('POST', '/api/public/contact', { body })
      if (reply.status !== 200) throw new Error(reply.text)
      const { rows } = await sql<{ id: bigint }>`
        select max(id) as id from contact_messages where email = ${trader.email}`.execute(app.db)
      return { id: String(rows[0]!.id), trader }
    },
    async chats(words = 'Is anyone there?'): Promise<Waiting> {
      const trader = await app.trader()
      const talking = await talk(app, trader.token)
      await talking.say({ text: words })
      talking.leave()
      return { id: await newestOf(trader, 'chats'), trader }
    },
    /** Files a complaint about a withdrawal, and waits until its records have been checked. */
    async complaints(dollars = 50): Promise<Waiting> {
      const { id, trader } = await this.withdrawals(dollars)
      const body = { item: 'withdrawal', item_id: id, reason: 'missing' }
      const complaint = await sent('POST', '/api/complaints', { token: trader.token, body })
      const query = `item=withdrawal&item_id=${id}`
      const checked = async () =>
        (await sent('GET', `/api/complaints/of?${query}`, { token: trader.token })).complaint as { evidence: unknown }
      await expect.poll(async () => (await checked()).evidence, { interval: 50 }).not.toBeNull()
      return { id: complaint.id as string, trader }
    },
    async trades(order: Parameters<WholeApp['submit']>[1] = {}): Promise<Waiting> {
      const trader = await app.trader()
      return { id: (await app.submit(trader, order)).trade_id, trader }
    },
    async users(): Promise<Waiting> {
      const trader = await app.trader()
      return { id: trader.id, trader }
    },
  }
}

/** Starts the whole server with a desk: two operators each of finance, risk and admin, and an auditor. */
export async function startDesk(settings: Record<string, string> = {}) {
  const app = await startWholeApp(settings)
  const two = (role: OperatorRole) => Promise.all([operator(app, [role]), operator(app, [role])])
  const [finance, risk, admin] = [await two('finance'), await two('risk'), await two('admin')]
  const auditor = await operator(app, ['auditor', 'compliance'])
  return {
    app,
    items: deskItems(app),
    finance,
    risk,
    admin,
    auditor,

    /** Returns the audit rows of an item. */
    auditOf: async (kind: string, id: string) =>
      data<DeskAuditRow[]>(await auditor.ask('GET', `/audit?item_kind=${kind}&item_id=${id}`)),

    /** Returns a trader's notices, newest first. */
    notices: async ({ token }: Trader) =>
      data<{ kind: string; title: string; text: string }[]>(await app.send('GET', '/api/notices', { token })),

    /** Runs statements as the superuser, which the application couldn't. */
    async asSuper(...statements: string[]): Promise<void> {
      const client = await connectTo(app.superUrl)
      try {
        for (const statement of statements) await client.query(statement)
      } finally {
        await client.end()
      }
    },

    /** Stops the server. Fails unless all money and records add up. */
    async stop() {
      const broken = await app.broken()
      await app.stop()
      expect(broken, 'the money and the records add up after all of it').toEqual([])
    },
  }
}
