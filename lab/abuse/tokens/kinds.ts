import Stripe from 'stripe'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import type { SignalAddress } from '#contract/trading/webhooks.ts'
import { inviteFromHost } from '#server/desk/index.ts'
import type { ContractScene } from '#tests/support/contract.ts'
import { tradingCases } from '#tests/support/contract-cases/trading.ts'
import { softwareKey } from '#tests/support/outside/authenticator.ts'
import { talk } from '#tests/support/people/chat.ts'
import { DESK_PASSWORD, type DeskOperator, operator } from '#tests/support/people/desk.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import { confirmAddress } from '#tests/support/trades/money.ts'
import { type EntryPointName, type Holder, newNetwork, WEBHOOK_EVENT } from './entry-points.ts'

export const WEBHOOK_SECRET = 'whsec_of_this_test_0123456789'
export const METRICS_TOKEN = 'metrics-token-of-this-test-0123456789'

/** A kind of secret that the server gives out. */
export interface Kind {
  /** Where it's created in the source: `file` or `file#purpose`. */
  madeIn: string
  issue(): Promise<{ value: string; holder: Holder }>
  /** The entry points it opens, in the order to try them. */
  opens: readonly EntryPointName[]
  /** Whether the last of these opens only once. */
  /** Other places that take the same token, each of which ends it. */
  also?: EntryPointName[]
  isSingleUse: boolean
}

/** Every kind of secret that the server gives out. `limited`: the address of a node with limits. */
export async function kindsOf(scene: ContractScene, limited: string) {
  const { app } = scene
  const shared = await operator(app, ['support'])

  const newKey = () => softwareKey(scene.pageOrigin())

  /** Creates a trader with an authenticator app, recovery codes and a passkey. */
  async function holder(): Promise<Holder> {
    const { trader, codes } = await scene.withTotp()
    return { trader, codes, hasFactor: true, operator: shared, newKey, key: await enrolled(trader, codes.pop()) }
  }

  /** Requests the options for a passkey, with a step-up if the account has a factor. */
  async function enrolment(trader: Trader, code: string | undefined): Promise<string> {
    const call = { body: { password: trader.password } }
    const name = 'POST /auth/2fa/passkeys/options'
    const { json } = await scene.ask(
      name,
      code === undefined ? { token: trader.token, ...call } : await scene.steppedUp(trader, name, call, code),
    )
    return (json!.data as { challenge: string }).challenge
  }

  async function enrolled(trader: Trader, code: string | undefined) {
    const key = newKey()
    const response = key.create({ challenge: await enrolment(trader, code) })
    const { status, text } = await scene.ask('POST /auth/2fa/passkeys', {
      token: trader.token,
      body: { name: 'k', response },
    })
    if (status !== 200) throw new Error(text)
    return key
  }

  const wrongSignIns = async (path: string, body: object, networks: number) => {
    for (let n = 0; n < networks; n++) {
      const network = newNetwork()
      await Promise.all(
        Array.from({ length: 10 }, () =>
          fetch(`${limited}/api${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-forwarded-for': network },
            body: JSON.stringify(body),
          }),
        ),
      )
    }
  }
  const pressTrader = ({ trader: { email } }: Holder) => wrongSignIns('/auth/login', { email, password: 'a guess' }, 11)
  const pressOperator = ({ email }: DeskOperator) =>
    wrongSignIns('/desk/auth/login', { email, password: 'a guess', code: '000000' }, 6)
  await pressOperator(shared)

  /** Issues the secret for a new trader whose sign-in needs a link. */
  const forTrader = (make: (holder: Holder) => Promise<string>) => async () => {
    const whose = await holder()
    await pressTrader(whose)
    return { value: await make(whose), holder: whose }
  }
  /** Issues the secret for a new operator whose sign-in needs a link. */
  const forOperator = (make: (operator: DeskOperator) => Promise<string>) => async () => {
    const whose = await holder()
    await pressTrader(whose)
    const one = await operator(app, ['support'])
    await pressOperator(one)
    return { value: await make(one), holder: { ...whose, operator: one } }
  }
  const cookieOf = (headers: Headers, name: string) =>
    headers
      .getSetCookie()
      .find((line) => line.startsWith(`${name}=`))!
      .slice(name.length + 1)
      .split(';')[0]!
  /** Signs in with the right password and a code where no link is needed. */
  const signedIn = ({ trader: { email, password }, codes }: Holder) =>
    app.send('POST', '/api/auth/login', { body: { email, password, code: codes.pop() } })
  const operatorSignsIn = async ({ id, email, secret }: DeskOperator) => {
    const code = totpCode(secret, Date.now() + 30_000)
    const reply = await app.send('POST', '/api/desk/auth/login', { body: { email, password: DESK_PASSWORD, code } })
    // The test needs the same code again.
    await app.db.updateTable('operators').set({ totp_step: 0n }).where('id', '=', BigInt(id)).execute()
    return reply
  }

  /** A link of a change of address: to the address that `mailbox` returns, for this entry point. */
  const changeLink = (
    purpose: string,
    mailbox: (trader: Trader, email: string) => string,
    last: 'the change of address' | 'the cancelled change',
  ): Kind => ({
    madeIn: `server/identity/passwords/one-time-token.ts#${purpose}`,
    async issue() {
      const trader = await app.confirmedTrader()
      const whose = { trader, codes: [], hasFactor: false, operator: shared, newKey, key: newKey() }
      const email = `moved-${trader.email}`
      const { token, password } = trader
      await scene.ask('POST /auth/email-change', { token, body: { email, password } })
      await pressTrader(whose)
      return { value: await app.hashFor(mailbox(trader, email), /e-mail address/), holder: whose }
    },
    opens: ["the change's details", last],
    also: ['the change of address', 'the cancelled change'],
    isSingleUse: true,
  })

  return {
    'access token': {
      madeIn: 'server/identity/sessions/session-store.ts#access',
      issue: forTrader(async ({ trader }) => trader.token),
      opens: ["a trader's call", 'the socket'],
      isSingleUse: false,
    },
    'renewal cookie': {
      madeIn: 'server/identity/sessions/session-store.ts#renewal',
      issue: forTrader(async (whose) => cookieOf((await signedIn(whose)).headers, 'renewal')),
      opens: ['the renewal cookie'],
      // A client that lost the response gets the same successor. tests/flows/accounts/sign-in/sessions.test.ts covers reuse.
      isSingleUse: false,
    },
    "trader's device": {
      madeIn: 'server/identity/sessions/known-device.ts#rememberDevice',
      issue: forTrader(async (whose) => cookieOf((await signedIn(whose)).headers, 'device')),
      opens: ["the trader's device"],
      isSingleUse: false,
    },
    'onboarding session': {
      madeIn: 'server/identity/passwords/one-time-token.ts#onboarding',
      async issue() {
        const account = await app.register()
        const trader = await app.trader(account)
        const whose = { trader, codes: [], hasFactor: false, operator: shared, newKey, key: newKey() }
        await pressTrader(whose)
        return { value: account.session, holder: whose }
      },
      opens: ['the profile', 'the ID'],
      also: ['the sign-in once'],
      isSingleUse: true,
    },
    'confirmation link': {
      madeIn: 'server/identity/passwords/one-time-token.ts#confirm_email',
      async issue() {
        const trader = await app.trader()
        const whose = { trader, codes: [], hasFactor: false, operator: shared, newKey, key: newKey() }
        await pressTrader(whose)
        return { value: await app.hashFor(trader.email, /Confirm/i), holder: whose }
      },
      opens: ['the confirmation'],
      also: ['the closing'],
      isSingleUse: true,
    },
    'closing link': {
      madeIn: 'server/identity/passwords/one-time-token.ts#confirm_email',
      async issue() {
        const trader = await app.trader()
        const whose = { trader, codes: [], hasFactor: false, operator: shared, newKey, key: newKey() }
        await pressTrader(whose)
        return { value: await app.hashFor(trader.email, /Confirm/i), holder: whose }
      },
      opens: ['the closing'],
      also: ['the confirmation'],
      isSingleUse: true,
    },
    'reset link': {
      madeIn: 'server/identity/passwords/one-time-token.ts#reset_password',
      issue: forTrader(async ({ trader: { email } }) => {
        await app.send('GET', `/api/auth/reset-password?email=${encodeURIComponent(email)}`)
        return app.hashFor(email, /reset/i)
      }),
      opens: ["the reset's address", 'the new password'],
      isSingleUse: true,
    },
    'link to stop a reset': {
      madeIn: 'server/identity/passwords/one-time-token.ts#stop_factor_reset',
      async issue() {
        const trader = await scene.resetApproved()
        const whose = { trader, codes: [], hasFactor: true, operator: shared, newKey, key: newKey() }
        await pressTrader(whose)
        return { value: await app.hashFor(whose.trader.email, /second factor/), holder: whose }
      },
      opens: ['the stop of a reset'],
      isSingleUse: true,
    },
    'link to the old address of a change': changeLink('change_email', ({ email }) => email, 'the change of address'),
    'link to the new address of a change': changeLink('new_email', (_, email) => email, 'the change of address'),
    'link that cancels a change': changeLink('change_email', ({ email }) => email, 'the cancelled change'),
    'link that keeps an account': {
      madeIn: 'server/identity/passwords/one-time-token.ts#keep_account',
      async issue() {
        const trader = await app.confirmedTrader()
        const whose = { trader, codes: [], hasFactor: false, operator: shared, newKey, key: newKey() }
        await scene.ask('POST /auth/closure', { token: trader.token, body: { password: trader.password } })
        await pressTrader(whose)
        return { value: await app.hashFor(trader.email, /will be closed/), holder: whose }
      },
      opens: ['the kept account'],
      isSingleUse: true,
    },
    'link that disowns a sign-in': {
      madeIn: 'server/identity/passwords/one-time-token.ts#disown_sign_in',
      async issue() {
        const trader = await app.confirmedTrader()
        const whose = { trader, codes: [], hasFactor: false, operator: shared, newKey, key: newKey() }
        const value = await app.hashOfNewSignIn(trader)
        await pressTrader(whose)
        return { value, holder: whose }
      },
      opens: ['the disowned sign-in'],
      isSingleUse: true,
    },
    "trader's sign-in link": {
      madeIn: 'server/identity/sessions/known-device.ts#issueSignInLink',
      issue: forTrader(async ({ trader: { email, password } }) => {
        const headers = { 'content-type': 'application/json', 'x-forwarded-for': newNetwork() }
        await fetch(`${limited}/api/auth/login`, { method: 'POST', headers, body: JSON.stringify({ email, password }) })
        return linkIn(app, email)
      }),
      opens: ["the trader's sign-in link"],
      isSingleUse: true,
    },
    'step-up token': {
      madeIn: 'server/identity/sessions/step-up.ts#stepUp',
      issue: forTrader(async ({ trader, codes }) => {
        const { headers } = await scene.steppedUp(trader, 'POST /auth/2fa/recovery-codes', {}, codes.pop()!)
        return headers!['x-step-up']!
      }),
      opens: ['the step-up'],
      isSingleUse: true,
    },
    "challenge of a passkey's enrolment": {
      madeIn: 'server/identity/factors/passkeys.ts#enrol',
      issue: forTrader(({ trader, codes }) => enrolment(trader, codes.pop())),
      opens: ["a passkey's enrolment"],
      isSingleUse: true,
    },
    'challenge of a sign-in with a passkey': {
      madeIn: 'server/identity/factors/passkeys.ts#sign_in',
      issue: forTrader(async ({ trader: { email, password } }) => {
        const { json } = await scene.ask('POST /auth/login/passkey-options', { body: { email, password } })
        return (json!.data as { challenge: string }).challenge
      }),
      opens: ['a passkey at the sign-in'],
      isSingleUse: true,
    },
    'challenge of a step-up with a passkey': {
      madeIn: 'server/identity/factors/passkeys.ts#step_up',
      issue: forTrader(async ({ trader: { token } }) => {
        const { json } = await scene.ask('POST /auth/step-up/passkey-options', { token })
        return (json!.data as { challenge: string }).challenge
      }),
      opens: ['a passkey for a step-up'],
      isSingleUse: true,
    },
    "signature of the card provider's event": {
      madeIn: 'server/config/config.ts#webhook',
      issue: forTrader(async () =>
        new Stripe('sk_test_unused').webhooks.generateTestHeaderString({
          payload: JSON.stringify(WEBHOOK_EVENT),
          secret: WEBHOOK_SECRET,
        }),
      ),
      opens: ['the card webhook'],
      // The provider resends an event until it's accepted. tests/flows/money/card.test.ts checks that each is credited once.
      isSingleUse: false,
    },
    'recovery code': {
      madeIn: 'server/identity/factors/recovery-codes.ts',
      issue: forTrader(async ({ codes }) => codes.pop()!),
      opens: ["a code at the trader's sign-in"],
      isSingleUse: true,
    },
    'desk session': {
      madeIn: 'server/desk/access/sign-in.ts#beginSession',
      issue: forOperator(async ({ token }) => token),
      opens: ["the desk's call"],
      isSingleUse: false,
    },
    "operator's device": {
      madeIn: 'server/identity/sessions/known-device.ts#rememberDevice',
      issue: forOperator(async (one) => cookieOf((await operatorSignsIn(one)).headers, 'desk_device')),
      opens: ["the operator's device"],
      isSingleUse: false,
    },
    "operator's sign-in link": {
      madeIn: 'server/identity/sessions/known-device.ts#issueSignInLink',
      issue: forOperator(async ({ email }) => {
        const headers = { 'content-type': 'application/json', 'x-forwarded-for': newNetwork() }
        const body = JSON.stringify({ email, password: DESK_PASSWORD, code: '000000' })
        await fetch(`${limited}/api/desk/auth/login`, { method: 'POST', headers, body })
        return linkIn(app, email)
      }),
      opens: ["the operator's sign-in link"],
      isSingleUse: true,
    },
    invitation: {
      madeIn: 'server/desk/access/invite.ts',
      issue: forTrader(async () => {
        const email = `invited-${Math.random().toString(36).slice(2)}@desk.example`
        return (await inviteFromHost(app.db, { email, roles: ['support'] })).token
      }),
      opens: ['the invitation', 'the enrolment'],
      isSingleUse: true,
    },
    "visitor's chat": {
      madeIn: 'server/support/chat/receive.ts',
      issue: forTrader(async () => {
        const visitor = await talk(app)
        const { token } = await visitor.say({ text: 'Hello.' })
        visitor.leave()
        return token!
      }),
      opens: ['the chat'],
      isSingleUse: false,
    },
    'secret address of signals': {
      madeIn: 'server/signals/webhooks/address.ts#secret',
      async issue() {
        const whose = await holder()
        const { strategy, secret } = await takesSignals(scene, whose.trader)
        await pressTrader(whose)
        return { value: secret, holder: { ...whose, strategy } }
      },
      opens: ['the secret address of signals'],
      // tests/flows/automatic/traders-signals.test.ts checks that the same message counts once.
      isSingleUse: false,
    },
    'key of signals': {
      madeIn: 'server/signals/webhooks/address.ts#key',
      async issue() {
        const whose = await holder()
        const { strategy, key } = await takesSignals(scene, whose.trader)
        await pressTrader(whose)
        return { value: key, holder: { ...whose, strategy } }
      },
      opens: ['a signature of signals'],
      isSingleUse: false,
    },
    "receipt's link": {
      madeIn: 'server/proof/receipts/receipt-links.ts',
      issue: forTrader(async () => (await tradingCases(scene)['GET /proof/receipt/:token'].good()).params!.token!),
      opens: ['the shared receipt'],
      isSingleUse: false,
    },
    'metrics token': {
      madeIn: 'server/config/config.ts',
      issue: forTrader(async () => METRICS_TOKEN),
      opens: ['the metrics'],
      isSingleUse: false,
    },
  } satisfies Record<string, Kind>
}

/** Makes a strategy of the trader that takes signals from outside. */
export async function takesSignals({ app, ask }: ContractScene, { id, token }: Trader) {
  await confirmAddress(app.db, BigInt(id))
  const body = { name: 'Outside', duration: 60, symbols: ['BTCUSDT'] }
  const { json } = await ask('POST /strategies/webhook', { token, body })
  const { id: strategy } = json!.data as OwnStrategy
  const params = { id: strategy }
  await ask('PUT /strategies/:id/signals', { token, params, body: { on: true } })
  const { url, key } = (await ask('POST /strategies/:id/address', { token, params })).json!.data as SignalAddress
  return { strategy, secret: url.split('/').at(-1)!, key }
}

async function linkIn(app: ContractScene['app'], email: string): Promise<string> {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 50) {
    const { text } = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(email)}`)
    const mail = (JSON.parse(text) as { subject: string; links: string[] }[]).find(({ subject }) =>
      /^Sign in/.test(subject),
    )
    if (mail) return new URL(mail.links[0]!).searchParams.get('link')!
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no sign-in link for ${email}`)
}
