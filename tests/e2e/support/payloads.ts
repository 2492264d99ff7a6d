import { randomBytes, randomUUID } from 'node:crypto'
import { parsePublicId } from '#kernel/id.ts'
import { must } from '#kernel/must.ts'
import { haltPayouts, noteCleanBooks } from '#server/cashier/index.ts'
import { type Db, sql } from '#server/platform/database/db.ts'
import { keyId } from '#server/proof/keys/key.ts'
import { arrive } from '#tests/support/arrivals.ts'
import { softwareKey } from '#tests/support/outside/authenticator.ts'
import { talk } from '#tests/support/people/chat.ts'
import { transactionId } from '#tests/support/transaction-id.ts'
import { fund } from './cashier.ts'
import { operatorIn } from './desk.ts'
import { mailTo, type Person } from './people.ts'
import { photo } from './pictures.ts'
import { withServerDatabase } from './servers/database.ts'
import type { Server } from './servers/server.ts'
import type { Page } from './test.ts'

type Json = Record<string, unknown>
type Ask = (method: string, path: string, body?: Json | FormData) => Promise<Json>

export interface Filled {
  /** The field that each payload was typed into, by its number. */
  fields: ReadonlyMap<number, string>
  /** One of the payloads. */
  payload: string
  /** Data in the trader's browser: one session for all pages. */
  session: { user_data: unknown; tokens: unknown }
  traderIds: string[]
  bankWithdrawal: string
  asDesk: Ask
}

/** Markup that would call `xss`; short enough for a name. */
const payloadOf = (number: number) => `"><img src=x onerror=xss(${number})>`

/** Stores a payload in every free-text field that a visitor, a trader or an operator can fill in. */
export async function fillEveryField({
  server,
  dataDir,
  desk,
}: {
  server: Server
  dataDir: string
  desk: Page
}): Promise<Filled> {
  const fields = new Map<number, string>()
  /** Returns a new payload for a field of a call. */
  const into = (field: string): string => {
    const number = 10 + fields.size
    fields.set(number, field)
    return payloadOf(number)
  }
  const api = (token?: string): Ask => {
    return async (method, path, body) => {
      const isForm = body instanceof FormData
      const reply = await fetch(`${server.origin}/api${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
          ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
        },
        ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
      })
      const text = await reply.text()
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
      return JSON.parse(text) as Json
    }
  }
  const tokenIn = (page: Page) =>
    page.evaluate(() => JSON.parse(sessionStorage.getItem('desk')!).state.tokens.access.token as string)
  const visitor = api()
  const at = { origin: server.origin, dataDir }
  const roles = 'support,compliance,finance,risk,admin'
  const otherPage = await operatorIn(desk.context().browser()!, 'second@desk.example', roles, at)
  const second = api(`${await tokenIn(otherPage)}`)
  await otherPage.context().close()
  const deskAsk = api(await tokenIn(desk))
  const asDesk: Ask = (method, path, body) => deskAsk(method, `/desk${path}`, body)
  const asSecond: Ask = (method, path, body) => second(method, `/desk${path}`, body)
  const picture = (await photo('id.jpg')).buffer
  const form = (values: Record<string, string>, file: string) => {
    const made = new FormData()
    for (const [name, value] of Object.entries(values)) made.set(name, value)
    made.set(file, new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), `${payloadOf(99)}.jpg`)
    return made
  }
  const idOf = (reply: Json) => (reply.data as { id: string }).id

  /** Registers a trader with payloads for names, with a confirmed address. */
  async function newTrader() {
    const person: Person = {
      firstname: into('POST /auth/register firstname'),
      lastname: into('POST /auth/register lastname'),
      phone: into('POST /auth/register phone'),
      email: `qz-${randomUUID().slice(0, 12)}@example.org`,
      password: 'analytical engine',
    }
    const { session } = await visitor('POST', '/auth/register', { ...person, confirmPassword: person.password })
    const mail = await mailTo(desk, person.email, /Confirm/i)
    await visitor('POST', '/auth/verify-email', { hash: new URL(mail.links[0]!).searchParams.get('hash') })
    await visitor('POST', '/auth/complete-profile', {
      ...{ gender: 'female', date_of_birth: '1985-12-10', country: 'France', session },
      address: into('POST /auth/complete-profile address'),
      city: into('POST /auth/complete-profile city'),
      state: into('POST /auth/complete-profile state'),
    })
    const { data, tokens } = await visitor('POST', '/auth/login', { email: person.email, password: person.password })
    const { token } = (tokens as { access: { token: string } }).access
    return { person, id: (data as { id: string }).id, token, ask: api(token), session: { user_data: data, tokens } }
  }
  const newest = async (queue: string, status = 'Pending') =>
    ((await asDesk('GET', `/${queue}?status=${status}`)).data as { id: string }[]).at(-1)!.id

  // A trader whose requests are rejected, and one whose requests are approved.
  const refused = await newTrader()
  const { ask, person, token, id, session } = await newTrader()
  for (const one of [refused.ask, ask])
    await one('POST', '/profile/user-verification', form({ method: 'national_id' }, 'id_file'))
  const checks = (await asDesk('GET', '/identity-checks?status=Pending')).data as { id: string; user_id: string }[]
  for (const check of checks)
    if (check.user_id === id) await asDesk('POST', `/identity-checks/${check.id}/approve`)
    else
      await asDesk('POST', `/identity-checks/${check.id}/reject`, {
        reason: into('POST /desk/identity-checks/{id}/reject reason'),
      })
  await fund(person.email, 20_000, dataDir)

  await ask('PATCH', '/users/chart', {
    layouts: [
      { name: into('PATCH /users/chart layouts[].name'), interval: '1m', kind: 'candles', log: false, indicators: [] },
    ],
  })

  // Money.
  const deposit = async () =>
    ((await ask('POST', '/deposit', form({ usd_amount: '100' }, 'receipt'))).data as { deposit_id: string }).deposit_id
  const [rejected, approved, complained] = [await deposit(), await deposit(), await deposit()]
  await asDesk('POST', `/deposits/${rejected}/reject`, { reason: into('POST /desk/deposits/{id}/reject reason') })
  await withServerDatabase((db) => arrive(db, must(parsePublicId(approved))), dataDir)
  await asDesk('POST', `/deposits/${approved}/approve`, { amount: 100 })
  await withServerDatabase(
    (db) =>
      sql`insert into uncredited_payments (payment, deposit_id, amount) values ('pi_late', ${parsePublicId(approved)}, 10000)`.execute(
        db,
      ),
    dataDir,
  )
  await asDesk('POST', `/deposits/${approved}/close-payments`, {
    reason: into('POST /desk/deposits/{id}/close-payments reason'),
  })
  const reversal = { amount: 10, reference: into('POST /desk/deposits/{id}/reverse reference') }
  const reversed = idOf(
    await asSecond('POST', `/deposits/${approved}/reverse`, {
      ...reversal,
      reason: into('POST /desk/deposits/{id}/reverse reason'),
    }),
  )
  await asDesk('POST', `/reversals/${reversed}/reject`, { reason: into('POST /desk/reversals/{id}/reject reason') })
  const bank = async (name: string) =>
    (
      (
        await ask('POST', '/withdraw/bank', {
          ...{
            bank_name: name,
            type: 'Checking',
            account_number: '000123456789',
            routing_number: '021000021',
            amount: 20,
          },
        })
      ).data as { withdraw_id: string }
    ).withdraw_id
  const strategy = {
    rule: {
      buy: { join: 'all', conditions: [{ left: { price: 'close' }, is: 'above', right: { number: '1' } }] },
      sell: { join: 'all', conditions: [] },
    },
    ...{ duration: 60, symbols: ['BTCUSDT'], zone: 'UTC' },
  }
  await ask('POST', '/strategies', { ...strategy, name: into('POST /strategies name') })
  const renamed = idOf(await ask('POST', '/strategies', { ...strategy, name: 'Renamed' }))
  await ask('PUT', `/strategies/${renamed}`, { ...strategy, name: into('PUT /strategies/{id} name'), version: 1 })
  const outside = idOf(
    await ask('POST', '/strategies/webhook', {
      ...{ name: into('POST /strategies/webhook name'), duration: 60, symbols: ['BTCUSDT'] },
    }),
  )
  await ask('POST', `/strategies/${outside}/publish`, { name: into('POST /strategies/{id}/publish name') })
  const withdrawn = idOf(
    await ask('POST', '/strategies/webhook', { name: 'Withdrawn', duration: 60, symbols: ['BTCUSDT'] }),
  )
  await ask('POST', `/strategies/${withdrawn}/publish`, { name: 'Withdrawn' })
  await asDesk('POST', `/published-strategies/${withdrawn}/withdraw`, {
    reason: into('POST /desk/published-strategies/{id}/withdraw reason'),
  })
  await ask('POST', '/withdraw/addresses', {
    name: into('POST /withdraw/addresses name'),
    wallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    beneficiary: into('POST /withdraw/addresses beneficiary'),
    hosted_by: into('POST /withdraw/addresses hosted_by'),
    password: person.password,
  })
  await ask('POST', '/withdraw/addresses/bank', {
    name: into('POST /withdraw/addresses/bank name'),
    bank_name: into('POST /withdraw/addresses/bank bank_name'),
    beneficiary: into('POST /withdraw/addresses/bank beneficiary'),
    account_number: '000123456789',
    routing_number: '021000021',
    password: person.password,
  })
  const bankWithdrawal = await bank(into('POST /withdraw/bank bank_name'))
  const paid = await bank('Bank')
  // The first operator approved this trader's deposit.
  await asSecond('POST', `/withdrawals/${paid}/approve`)
  await asDesk('POST', `/withdrawals/${paid}/paid`, { reference: into('POST /desk/withdrawals/{id}/paid reference') })
  const no = await bank('Bank')
  await asDesk('POST', `/withdrawals/${no}/reject`, { reason: into('POST /desk/withdrawals/{id}/reject reason') })

  // Complaints.
  const complain = async (item: string, item_id: string) =>
    idOf(await ask('POST', '/complaints', { item, item_id, reason: 'other', text: into('POST /complaints text') }))
  const complaint = await complain('deposit', complained)

  // Plans, passkeys, chat, contact.
  await ask('POST', '/users/set-plan', { trading_plan: 'Beginner-3000' })
  await ask('POST', '/users/request-plan-update', { trading_plan: 'Gold-7600' })
  await asDesk('POST', `/plan-requests/${await newest('plan-requests')}/reject`, {
    reason: into('POST /desk/plan-requests/{id}/reject reason'),
  })
  await visitor('POST', '/public/contact', {
    name: into('POST /public/contact name'),
    email: person.email,
    message: into('POST /public/contact message'),
  })
  await asDesk('POST', `/messages/${await newest('messages', 'Open')}/reply`, {
    text: into('POST /desk/messages/{id}/reply text'),
  })
  for (const speaker of [token, undefined]) {
    const talking = await talk({ origin: server.origin.replace('localhost', '127.0.0.1') }, speaker)
    await talking.say({ text: into('chat text') })
    talking.leave()
  }
  const chats = (await asDesk('GET', '/chats?status=Open')).data as { id: string; user_id: string | null }[]
  for (const chat of chats)
    await asDesk('POST', `/chats/${chat.id}/reply`, { text: into('POST /desk/chats/{id}/reply text') })
  const options = await ask('POST', '/auth/2fa/passkeys/options', { password: person.password })
  await ask('POST', '/auth/2fa/passkeys', {
    name: into('POST /auth/2fa/passkeys name'),
    response: softwareKey(server.origin).create(options.data as { challenge: string }),
  })

  // The desk.
  await asDesk('POST', `/users/${id}/notes`, { text: into('POST /desk/users/{id}/notes text') })
  await asDesk('POST', `/users/${refused.id}/locks`, {
    trading: true,
    reason: into('POST /desk/users/{id}/locks reason'),
  })
  const adjust = async () =>
    idOf(
      await asSecond('POST', `/users/${id}/adjustments`, {
        ...{ book: 'real', amount: 1 },
        reason: into('POST /desk/users/{id}/adjustments reason'),
      }),
    )
  await adjust()
  await asDesk('POST', `/adjustments/${await adjust()}/reject`, {
    reason: into('POST /desk/adjustments/{id}/reject reason'),
  })
  const reset = idOf(
    await asSecond('POST', `/users/${id}/factor-resets`, {
      reason: into('POST /desk/users/{id}/factor-resets reason'),
    }),
  )
  await asDesk('POST', `/factor-resets/${reset}/reject`, {
    reason: into('POST /desk/factor-resets/{id}/reject reason'),
  })
  const { data: trade } = await ask('POST', '/trading/submit', {
    ...{ symbol: 'BTCUSDT', trading_type: 'Cryptocurrency', trade_mode: 'Buy', amount: 10, duration: 3600 },
    ...{ strike_rate: '75/3', mode: 'demo' },
  })
  const tradeId = (trade as { trade_id: string }).trade_id
  await ask('PUT', `/trading/${tradeId}/note`, { note: into('PUT /trading/{trade_id}/note note'), tags: ['<i>\'"&'] })
  await asDesk('POST', `/trades/${tradeId}/void`, { reason: into('POST /desk/trades/{id}/void reason') })
  await asSecond('POST', `/trades/${tradeId}/void`, { reason: into('POST /desk/trades/{id}/void reason') })
  const terms = { trading_type: 'Cryptocurrency', scale: 4, min_sources: 2, largest_spread_bps: 500 }
  const add = async (base: string) =>
    idOf(
      await asSecond('POST', '/instruments', {
        ...{ base, quote: 'USDT', ...terms, largest_deviation_bps: 100 },
        reason: into('POST /desk/instruments reason'),
      }),
    )
  await asDesk('POST', `/instrument-changes/${await add('QZA')}/reject`, {
    reason: into('POST /desk/instrument-changes/{id}/reject reason'),
  })
  const close = idOf(
    await asSecond('POST', '/instruments/close', {
      symbol: 'LTCUSDT',
      closed_reason: into('POST /desk/instruments/close closed_reason'),
      reason: into('POST /desk/instruments/close reason'),
    }),
  )
  await asDesk('POST', `/instrument-changes/${close}/approve`)
  await asDesk('POST', '/feeds/venues/kraken', {
    out: true,
    reason: into('POST /desk/feeds/venues/{venue} reason'),
  })
  await asDesk('POST', '/automatic/switch-off', {
    strategy: 'trend',
    reason: into('POST /desk/automatic/switch-off reason'),
  })
  const { data: levers } = await asDesk('POST', '/levers', {
    kind: 'maintenance',
    notice: into('POST /desk/levers notice'),
    reason: into('POST /desk/levers reason'),
  })
  const release = idOf(
    await asSecond('POST', '/lever-releases', {
      lever_id: (levers as { id: string }[])[0]!.id,
      reason: into('POST /desk/lever-releases reason'),
    }),
  )
  await asDesk('POST', `/lever-releases/${release}/reject`, {
    reason: into('POST /desk/lever-releases/{id}/reject reason'),
  })
  const capital = (reference: string) => ({ amount: 5, reference, reason: into('POST /desk/capital-moves reason') })
  const move = idOf(await asSecond('POST', '/capital-moves', capital('wire 42')))
  await asDesk('POST', `/capital-moves/${move}/reject`, {
    reason: into('POST /desk/capital-moves/{id}/reject reason'),
  })
  // One that is pending is shown with its reference.
  await asSecond('POST', '/capital-moves', capital(into('POST /desk/capital-moves reference')))
  const restart = idOf(
    await asSecond('POST', '/strategy-restarts', {
      strategy: 'trend',
      reason: into('POST /desk/strategy-restarts reason'),
    }),
  )
  await asDesk('POST', `/strategy-restarts/${restart}/reject`, {
    reason: into('POST /desk/strategy-restarts/{id}/reject reason'),
  })
  // The first list stays as it is, and no rule names the second.
  const lists = (pair: string) => ({
    document: {
      lists: [
        { name: 'Standard', pairs: ['75/3', '12/5', '11/13', '1/18', '1/61'] },
        { name: 'Not in use', pairs: [pair] },
      ],
      rules: [],
    },
    reason: into('POST /desk/price-lists reason'),
  })
  const listChange = idOf(await asSecond('POST', '/price-lists', lists('50/50')))
  await asDesk('POST', `/price-lists/${listChange}/reject`, {
    reason: into('POST /desk/price-lists/{id}/reject reason'),
  })
  const edged = idOf(await asSecond('POST', '/price-lists', lists('100/1')))
  await asDesk('POST', `/price-lists/${edged}/approve`, {
    acknowledged: into('POST /desk/price-lists/{id}/approve acknowledged'),
  })
  const publicKey = randomBytes(32)
  await withServerDatabase(
    (db) => sql`insert into waiting_proof_keys (id, public_key) values (${keyId(publicKey)}, ${publicKey})`.execute(db),
    dataDir,
  )
  const key = idOf(
    await asSecond('POST', '/proof-keys', { key: keyId(publicKey), reason: into('POST /desk/proof-keys reason') }),
  )
  await asDesk('POST', `/proof-keys/${key}/reject`, { reason: into('POST /desk/proof-keys/{id}/reject reason') })
  const settings = idOf(
    await asSecond('PATCH', '/settings', { stake_max: 9_000, reason: into('PATCH /desk/settings reason') }),
  )
  await asDesk('POST', `/settings/changes/${settings}/reject`, {
    reason: into('POST /desk/settings/changes/{id}/reject reason'),
  })
  await asSecond('POST', '/instruments/reopen', {
    symbol: 'LTCUSDT',
    reason: into('POST /desk/instruments/reopen reason'),
  })
  const changed = { symbol: 'XRPUSDT', min_sources: 2, largest_spread_bps: 400, largest_deviation_bps: 90 }
  await asSecond('POST', '/instruments/change', {
    ...{ ...changed, depth_usd: 1_000, stale_after_ms: 9_000 },
    reason: into('POST /desk/instruments/change reason'),
  })
  await asDesk('POST', `/instrument-changes/${await add('QZB')}/approve`)
  await asSecond('POST', '/instruments/withdraw', {
    symbol: 'QZBUSDT',
    reason: into('POST /desk/instruments/withdraw reason'),
  })
  await asDesk('POST', `/users/${refused.id}/exclusion`, {
    ...{ kind: 'time_out', days: 1 },
    reason: into('POST /desk/users/{id}/exclusion reason'),
  })
  await asDesk('POST', `/users/${refused.id}/locks`, { deposits: true, reason: 'r' })
  const unlock = idOf(
    await asSecond('POST', `/users/${refused.id}/unlocks`, {
      locks: ['deposits'],
      reason: into('POST /desk/users/{id}/unlocks reason'),
    }),
  )
  await asDesk('POST', `/account-changes/${unlock}/reject`, {
    reason: into('POST /desk/account-changes/{id}/reject reason'),
  })
  const found = idOf(
    await asDesk('POST', '/unknown-deposits', {
      ...{
        currency: 'BTC',
        transaction_id: transactionId(),
        coin_amount: '0.01',
        arrived_at: new Date().toISOString(),
      },
      address: into('POST /desk/unknown-deposits address'),
    }),
  )
  await asDesk('POST', `/unknown-deposits/${found}/send-back`, {
    reason: into('POST /desk/unknown-deposits/{id}/send-back reason'),
  })
  const exclusion = await withServerDatabase((db) => carriedExclusion(db, refused.id), dataDir)
  await asSecond('POST', `/users/${refused.id}/match-lifts`, {
    exclusion,
    reason: into('POST /desk/users/{id}/match-lifts reason'),
  })
  await asDesk('POST', `/exclusion-matches/${exclusion}/keep`, {
    reason: into('POST /desk/exclusion-matches/{id}/keep reason'),
  })
  const invited = idOf(await asSecond('POST', '/operators', { email: 'invited@desk.example', roles: ['risk'] }))
  await asDesk('POST', `/operator-changes/${invited}/reject`, {
    reason: into('POST /desk/operator-changes/{id}/reject reason'),
  })
  await (await operatorIn(desk.context().browser()!, 'third@desk.example', 'support', at)).context().close()
  const operators = (await asDesk('GET', '/operators')).data as { id: string; email: string }[]
  const third = operators.find(({ email }) => email === 'third@desk.example')!.id
  await asSecond('POST', `/operators/${third}/roles`, {
    roles: ['risk'],
    reason: into('POST /desk/operators/{id}/roles reason'),
  })
  await asDesk('POST', `/operators/${third}/end`, { reason: into('POST /desk/operators/{id}/end reason') })
  await untilChecked(complaint)
  const ruling = { finding: 'within_rules', reason: into('POST /desk/complaints/{id}/propose reason') }
  await asSecond('POST', `/complaints/${complaint}/propose`, ruling)
  await asDesk('POST', `/complaints/${complaint}/send-back`, {
    reason: into('POST /desk/complaints/{id}/send-back reason'),
  })
  await withServerDatabase(async (db) => {
    await haltPayouts(db, [])
    await noteCleanBooks(db)
  }, dataDir)
  const resumption = idOf(
    await asSecond('POST', '/payout-resumptions', { reason: into('POST /desk/payout-resumptions reason') }),
  )
  await asDesk('POST', `/payout-resumptions/${resumption}/reject`, {
    reason: into('POST /desk/payout-resumptions/{id}/reject reason'),
  })

  /** A ruling needs the records of the complaint, which a loop checks. */
  async function untilChecked(id: string): Promise<void> {
    for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 200) {
      const { data } = (await asDesk('GET', '/complaints?status=Open')) as { data: { id: string; evidence: unknown }[] }
      if (data.find((one) => one.id === id)?.evidence) return
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    throw new Error('the records of the complaint were not checked')
  }

  return { fields, payload: payloadOf(99), session, traderIds: [id, refused.id], bankWithdrawal, asDesk }
}

/** Carries an exclusion of another trader over to one, and returns its id. */
async function carriedExclusion(db: Db, userId: string): Promise<string> {
  const { rows } = await sql<{ id: bigint }>`
    with own as (
      insert into exclusions (user_id, kind, ends_at, email_key, name_key)
      select min(id), 'exclusion', null, 'a', 'a' from users where id <> ${userId} returning id
    )
    insert into exclusions (user_id, kind, ends_at, carried_from, email_key, name_key)
    select ${userId}, 'exclusion', null, id, 'b', 'b' from own returning id`.execute(db)
  return String(rows[0]!.id)
}
