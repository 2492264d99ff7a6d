import { setTimeout as sleep } from 'node:timers/promises'
import { noteCleanBooks } from '#server/cashier/index.ts'
import { type Case, multipart } from '#tests/support/calls.ts'
import { BANK, startContract, WALLET } from '#tests/support/contract.ts'
import { accountCases } from '#tests/support/contract-cases/accounts.ts'
import { otherCases } from '#tests/support/contract-cases/others.ts'
import { deskCases } from '#tests/support/desk-contract/cases.ts'
import { type Office, startOffice } from '#tests/support/desk-contract/office.ts'
import { operator } from '#tests/support/people/desk.ts'
import { data } from '#tests/support/replies.ts'
import { ORDER, type Reply, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import type { Loot } from './mutation.ts'
import type { Canary } from './oracles.ts'
import type { Target } from './run.ts'

/** The participants of an attack, on a whole server. */
interface Scene extends Pick<Target, 'good' | 'tokenOf' | 'canaries' | 'loot'> {
  app: WholeApp
  /** Returns everything that the victim can see of their account. */
  victimSees(): Promise<Record<string, unknown>>
  /** Renews sessions that are about to end. */
  renew(): Promise<void>
  stop(): Promise<void>
}

const ATTACKERS = 6
const USES = 300
const TRADE_SECONDS = 300
/** Trades aren't sold within ten seconds of their start or end. */
const SALE_APART_SECONDS = 12
/** Access tokens last 15 minutes. */
const RENEW_AFTER_MS = 8 * 60_000

/** Starts the server with the people of the contract tests, and a victim whose data is all marked. */
export async function startScene(): Promise<Scene> {
  const office = await startOffice()
  const { app } = office
  const people = await startContract(app)
  const contract = { ...people, olderTrade: olderTrades(app, people.ada) }
  const cases: Record<string, Case> = { ...accountCases(contract), ...otherCases(contract), ...deskCases(office) }
  const weak = [await operator(app, ['support']), await operator(app, ['auditor'])]
  const victim = await markedVictim(office, contract.picture)

  const attackers: { trader: Trader; uses: number; until: number }[] = []
  async function newAttacker() {
    const trader = await app.trader()
    await app.verify(trader)
    await app.fund(trader, 5_000)
    return { trader, uses: 0, until: performance.now() + RENEW_AFTER_MS }
  }
  for (let n = 0; n < ATTACKERS; n++) attackers.push(await newAttacker())
  let turn = 0
  let payoutsTurn: Promise<unknown> = Promise.resolve()
  let renewedAt = performance.now()

  async function attacker(): Promise<Trader> {
    const at = turn++ % ATTACKERS
    const one = attackers[at]!
    one.uses++
    if (one.uses > USES || performance.now() > one.until) attackers[at] = await newAttacker()
    return attackers[at]!.trader
  }
  const forged = [
    'x'.repeat(43),
    'A'.repeat(200),
    `${victim.trader.token}x`,
    victim.trader.token.slice(0, -1),
    victim.trader.token.toUpperCase(),
    victim.endedToken,
    victim.trader.session,
    '',
    ' ',
    "' or 1=1 --",
    'null',
    'undefined',
    'x'.repeat(4_000),
  ]

  return {
    app,
    async tokenOf(actor, access, draw) {
      if (actor === 'forger') return draw.pick(forged)
      const isOperator = actor === 'lesser operator' || (actor === 'other side' && access !== 'operator')
      return isOperator ? draw.pick(weak).token : (await attacker()).token
    },
    canaries: victim.canaries,
    loot: victim.loot,
    async victimSees() {
      // Withdrawals look different while payouts are halted.
      await resumePayouts(office)
      return victim.sees()
    },
    async good(call) {
      const one = cases[call]
      if (!one) throw new Error(`no valid request for ${call}`)
      // Run calls about payouts one at a time: some halt payouts, and others need them.
      if (!/payout|withdraw/.test(call)) return one.good()
      const made = payoutsTurn.then(async () => {
        if (!call.includes('payout')) await resumePayouts(office)
        return one.good()
      })
      payoutsTurn = made.catch(() => undefined)
      return made
    },
    async renew() {
      if (performance.now() - renewedAt < RENEW_AFTER_MS) return
      renewedAt = performance.now()
      for (const trader of [contract.ada, contract.eve, office.trader]) trader.token = (await app.trader(trader)).token
    },
    async stop() {
      await office.app.stop()
    },
  }
}

/**
 * Returns trades that can be sold, oldest first, for as long as there are some; each call opens one for later. They are
 * really that old, because `verify` runs after the attack.
 */
function olderTrades(app: WholeApp, trader: Trader): () => Promise<string> {
  const opened: { id: string; at: number }[] = []
  return async () => {
    const { trade_id: id } = await app.submit(trader, { duration: TRADE_SECONDS })
    opened.push({ id, at: performance.now() })
    const oldest = performance.now() - (TRADE_SECONDS - SALE_APART_SECONDS) * 1_000
    while (opened[0]!.at < oldest) opened.shift()
    return opened[0]!.at < performance.now() - SALE_APART_SECONDS * 1_000 ? opened.shift()!.id : id
  }
}

/** Has two operators resume payouts, if another request halted them. */
async function resumePayouts({ app, boss, other }: Office): Promise<void> {
  await noteCleanBooks(app.db)
  const pending = await boss.ask('GET', '/payout-resumptions?status=Pending')
  for (const { id, own } of pending.json!.data as { id: string; own: boolean }[])
    await (own ? other : boss).ask('POST', `/payout-resumptions/${id}/approve`)
  const proposed = await other.ask('POST', '/payout-resumptions', { body: { reason: 'r' } })
  const { id } = (proposed.json?.data ?? {}) as { id?: string }
  if (id !== undefined) await boss.ask('POST', `/payout-resumptions/${id}/approve`)
}

/** Creates a trader with one of each kind of item, all of them marked. */
async function markedVictim({ app, boss }: Office, picture: Buffer) {
  const account = await register(app)
  const confirmHash = await app.hashFor(account.email, /Confirm/i)
  await app.send('POST', '/api/auth/verify-email', { body: { hash: confirmHash } })
  const ended = await app.trader(account)
  await app.send('POST', '/api/auth/logout', { token: ended.token })
  const trader = await app.trader(account)
  await app.fund(trader, 31_415.93)
  const ask = async (method: string, path: string, body?: object) =>
    data<Record<string, string>>(
      await app.send(method, `/api${path}`, { token: trader.token, ...(body ? { body } : {}) }),
    )

  const upload = async (path: string, form: Record<string, string>, field: string) =>
    data<Record<string, string>>(
      await app.send('POST', `/api${path}`, { token: trader.token, body: multipart(form, picture, field) }),
    )

  await upload('/profile/user-verification', { method: 'national_id' }, 'id_file')
  const { id_file_url = '' } = await ask('GET', '/profile/user-verification')
  const { json: checks } = await boss.ask('GET', '/identity-checks?status=Pending&limit=1')
  const [check] = checks!.data as { id: string }[]
  data(await boss.ask('POST', `/identity-checks/${check!.id}/approve`))
  const trades = [
    await app.submit(trader, { duration: 86_400 }),
    await app.submit(trader, { mode: 'real', amount: 11, duration: 86_400 }),
  ]
  await untilEntered(app, trader.token)
  const withdrawal = await ask('POST', '/withdraw', { amount: 17, wallet: WALLET })
  const bank = await ask('POST', '/withdraw/bank', {
    ...BANK,
    account_number: '777001234567',
    bank_name: 'Bank of Qzalice',
    amount: 19,
  })
  const order = await ask('POST', '/waiting-orders', {
    ...{ ...ORDER, trading_type: undefined, condition: 'at_or_above', level: '9000000' },
  })
  const strategy = await ask('POST', '/strategies', {
    ...{ name: 'Qzalice rule', duration: 60, symbols: ['BTCUSDT'], zone: 'UTC' },
    rule: {
      buy: { join: 'all', conditions: [{ left: { price: 'close' }, is: 'above', right: { number: '1' } }] },
      sell: { join: 'all', conditions: [] },
    },
  })
  const limit = (max: number) => ask('PUT', '/guardrails/limits', { guarded: 'losses', period: 'day', max })
  await limit(900)
  await limit(950)
  const { deposit_id: deposit = '' } = await upload('/deposit', { usd_amount: '23' }, 'receipt')
  const { request_id: request = '' } = await ask('POST', '/deposit/requests', { usd_amount: 29 })
  const idFile = id_file_url.split('/').at(-1)!
  const list = await app.send('GET', '/api/trading?mode=demo&limit=1', { token: trader.token })

  const sees = async () => {
    const { token } = await app.trader(account)
    const seen: Record<string, unknown> = {}
    for (const path of SEEN) {
      const reply: Reply = await app.send('GET', `/api${path}`, { token })
      // Everyone sees when an operator switches a strategy off, and a strategy's results change by themselves.
      seen[path] = JSON.parse(reply.text, (key, value) => (/^(switched_off|measured)$/.test(key) ? undefined : value))
    }
    return seen
  }

  const owned = (what: string, text: string): Canary => ({ what, text, for: 'owner' })
  const known = (what: string, text: string): Canary => ({ what, text, for: 'operators' })
  return {
    trader,
    endedToken: ended.token,
    sees,
    canaries: [
      owned("the victim's password", account.password),
      owned("the victim's token", trader.token),
      owned("the victim's onboarding session", account.session),
      known("the victim's name", 'Qzalice'),
      known("the victim's e-mail address", account.email),
      known("the victim's phone number", '+44 20 7946 7731'),
      known("the victim's street", '77 Qzstreet'),
      known("the victim's account number", '777001234567'),
      known("a submitted ID's file", idFile),
      known("the victim's balance", '31368.93'),
      ...trades.map(({ trade_id }) => known("the victim's trade", trade_id)),
      known("the victim's withdrawal", withdrawal.withdraw_id!),
      known("the victim's bank withdrawal", bank.withdraw_id!),
      known("the victim's deposit", deposit),
      owned("the victim's deposit request", request),
      owned("the victim's strategy", 'Qzalice rule'),
    ] satisfies Canary[],
    loot: {
      id: [trader.id, order.id!, strategy.id!],
      user_id: [trader.id],
      trade_id: trades.map(({ trade_id }) => trade_id),
      deposit_id: [deposit],
      request_id: [request],
      withdraw_id: [withdrawal.withdraw_id!, bank.withdraw_id!],
      name: [idFile],
      cursor: [String((list.json as { next_cursor?: string }).next_cursor ?? trades[0]!.trade_id)],
      email: [account.email],
      token: [confirmHash, ended.token, trader.session],
    } satisfies Loot,
  }
}

/** Waits until a trader's trades have their entry, which would otherwise look like a change by the attack. */
async function untilEntered(app: WholeApp, token: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 50) {
    const lists = await Promise.all(
      ['demo', 'real'].map((mode) => app.send('GET', `/api/trading?mode=${mode}`, { token })),
    )
    const trades = lists.flatMap((list) => data<{ start_price?: number }[]>(list))
    if (trades.length > 0 && trades.every(({ start_price }) => start_price !== undefined)) return
    await sleep(50)
  }
  throw new Error("the victim's trades have no entry")
}

/** Calls that the victim makes before and after an attack. */
const SEEN = [
  '/users/me',
  '/trading?mode=demo',
  '/trading?mode=real',
  '/deposit',
  '/deposit/requests',
  '/withdraw',
  '/guardrails',
  '/automatic?mode=demo',
  '/automatic?mode=real',
  '/profile/user-verification',
  '/profit',
  '/users/plan-request',
  '/auth/2fa',
  '/notices',
  '/notices/preferences',
  '/alerts',
  '/waiting-orders?mode=demo',
  '/strategies',
]

async function register(app: WholeApp) {
  const email = 'qzalice-victim@example.org'
  const password = 'Qzalice-secret-passphrase'
  const body = {
    firstname: 'Qzalice',
    lastname: 'Qzliddell',
    email,
    phone: '+44 20 7946 7731',
    password,
    confirmPassword: password,
  }
  const { json } = await app.send('POST', '/api/auth/register', { body })
  const session = String(json!.session)
  await app.completeProfile({ session }, { address: '77 Qzstreet' })
  return { email, password, session }
}
