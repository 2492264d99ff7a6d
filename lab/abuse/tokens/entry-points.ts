import { createHmac, randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'
import { multipart } from '#tests/support/calls.ts'
import type { softwareKey } from '#tests/support/outside/authenticator.ts'
import { talk } from '#tests/support/people/chat.ts'
import { DESK_PASSWORD, type DeskOperator } from '#tests/support/people/desk.ts'
import type { Reply, Trader, WholeApp } from '#tests/support/servers/app.ts'
import { totpCode } from '#tests/support/totp-code.ts'

/** The people that a token is tried with. It belongs to one of them. */
export interface Holder {
  trader: Trader
  /** A passkey of the trader. */
  key: ReturnType<typeof softwareKey>
  /** Returns a new key in the trader's browser. */
  newKey(): ReturnType<typeof softwareKey>
  /** Unused recovery codes of the trader. */
  codes: string[]
  /** Whether the trader has a second factor. */
  hasFactor: boolean
  operator: DeskOperator
  /** The trader's strategy that takes signals from outside. */
  strategy?: string
}

/** A place that accepts one kind of token. */
export interface EntryPoint {
  /** Presents a value; returns status and code. */
  present(value: string, holder: Holder): Promise<[status: number, code: string | undefined]>
  /** The response to a token of another kind. */
  refusal: [status: number, code: string | undefined]
}

/** A card provider's event, of a type that has no effect. */
export const WEBHOOK_EVENT = {
  id: 'evt_1',
  object: 'event',
  type: 'customer.created',
  data: { object: { id: 'cus_1', object: 'customer' } },
}
const DAY = '1985-12-10'
const OPENED: [number, string | undefined] = [200, undefined]

/** Returns a signal from outside: no two are alike, as the same one counts once. */
const newSignal = () => ({ symbol: 'BTCUSDT', side: 'buy', time: new Date().toISOString(), comment: randomUUID() })

interface Places {
  app: WholeApp
  /** The address of a node with rate limits, where sign-in needs a link by now. */
  limited: string
  picture: Buffer
  /** A strategy that takes signals from outside, for holders who have none. */
  strategy: string
}

/** Returns every entry point. */
export function entryPointsOf({ app, limited, picture, strategy: another }: Places) {
  const result = ({ status, json }: Reply): [number, string | undefined] => [status, json?.code]
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    result(await app.send('POST', `/api${path}`, { body, headers }))

  /** Signs in from a new network, with the right password. */
  async function signIn(
    path: string,
    body: object,
    headers: Record<string, string>,
  ): Promise<[number, string | undefined]> {
    const response = await fetch(`${limited}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': newNetwork(), ...headers },
      body: JSON.stringify(body),
    })
    const { code } = (await response.json()) as { code?: string }
    return [response.status, code]
  }
  const traderIn = ({ trader, codes }: Holder, more: object, headers: Record<string, string> = {}) =>
    signIn(
      '/auth/login',
      { email: trader.email, password: trader.password, code: codes.pop() ?? '000000', ...more },
      headers,
    )
  const operatorIn = ({ operator }: Holder, more: object, headers: Record<string, string> = {}) => {
    const code = totpCode(operator.secret, Date.now() + 30_000)
    return signIn('/desk/auth/login', { email: operator.email, password: DESK_PASSWORD, code, ...more }, headers)
  }
  const bearer = (path: string) => async (value: string) => result(await app.send('GET', path, { token: value }))
  const NOT_PROVEN: [number, string] = [422, 'invalid_credentials']
  const NO_SESSION: [number, string] = [401, 'unauthenticated']
  const NO_LINK: [number, string] = [422, 'invalid_hash']
  const LINK_NEEDED: [number, string] = [428, 'sign_in_link_required']

  return {
    "a trader's call": { present: bearer('/api/users/me'), refusal: NO_SESSION },
    "the desk's call": { present: bearer('/api/desk/auth/me'), refusal: NO_SESSION },
    'the socket': {
      async present(value) {
        const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/api/stream`)
        const opened = new Promise<boolean>((resolve) => {
          socket.on('message', (data) => {
            if (JSON.parse(String(data)).op === 'ready') resolve(true)
          })
          socket.on('close', () => resolve(false))
        })
        socket.on('open', () => socket.send(JSON.stringify({ op: 'auth', token: value })))
        const isOpen = await opened
        socket.terminate()
        return isOpen ? OPENED : [401, 'closed']
      },
      refusal: [401, 'closed'],
    },
    'the renewal cookie': {
      present: async (value) =>
        result(await app.send('POST', '/api/auth/refresh', { headers: { cookie: `renewal=${value}` } })),
      refusal: NO_SESSION,
    },
    'the profile': {
      present: (value) =>
        post('/auth/complete-profile', {
          ...{ gender: 'female', date_of_birth: DAY, address: 'a', city: 'b', state: 'c', country: 'France' },
          session: value,
        }),
      refusal: [422, 'invalid_session'],
    },
    'the sign-in once': {
      present: (value) => post('/auth/login/onboarding', { session: value }),
      refusal: [422, 'invalid_session'],
    },
    'the ID': {
      present: async (value) =>
        result(
          await app.send('POST', '/api/users/user-identification', {
            body: multipart({ method: 'national_id', session: value }, picture),
          }),
        ),
      refusal: [422, 'invalid_session'],
    },
    'the confirmation': { present: (value) => post('/auth/verify-email', { hash: value }), refusal: NO_LINK },
    'the closing': { present: (value) => post('/auth/disown-email', { hash: value }), refusal: NO_LINK },
    "the reset's address": {
      present: async (value) =>
        result(await app.send('GET', `/api/auth/reset-password/details?hash=${encodeURIComponent(value)}`)),
      refusal: NO_LINK,
    },
    'the new password': {
      present: (value) =>
        post('/auth/reset-password', { hash: value, password: 'a new engine', confirmPassword: 'a new engine' }),
      refusal: NO_LINK,
    },
    "the change's details": {
      present: async (value) =>
        result(await app.send('GET', `/api/auth/email-change/details?hash=${encodeURIComponent(value)}`)),
      refusal: NO_LINK,
    },
    'the change of address': {
      present: (value) => post('/auth/email-change/confirm', { hash: value }),
      refusal: NO_LINK,
    },
    'the cancelled change': {
      present: (value) => post('/auth/email-change/disown', { hash: value }),
      refusal: NO_LINK,
    },
    'the kept account': { present: (value) => post('/auth/closure/keep', { hash: value }), refusal: NO_LINK },
    'the disowned sign-in': { present: (value) => post('/auth/sign-in/disown', { hash: value }), refusal: NO_LINK },
    'the stop of a reset': { present: (value) => post('/auth/2fa/reset/stop', { hash: value }), refusal: NO_LINK },
    'the step-up': {
      present: async (value, { trader }) =>
        result(
          await app.send('POST', '/api/auth/2fa/recovery-codes', {
            token: trader.token,
            headers: { 'x-step-up': value },
          }),
        ),
      refusal: [428, 'step_up_required'],
    },
    // Each is a valid signature by the trader's passkey, with the value as its challenge.
    "a passkey's enrolment": {
      present: async (value, { trader, newKey }) =>
        result(
          await app.send('POST', '/api/auth/2fa/passkeys', {
            token: trader.token,
            body: { name: 'Another key', response: newKey().create({ challenge: value }) },
          }),
        ),
      refusal: NOT_PROVEN,
    },
    'a passkey at the sign-in': {
      present: (value, { trader: { email, password }, key }) =>
        post('/auth/login', { email, password, passkey: key.get({ challenge: value }) }),
      refusal: NOT_PROVEN,
    },
    'a passkey for a step-up': {
      present: async (value, { trader, key }) =>
        result(
          await app.send('POST', '/api/auth/step-up', {
            token: trader.token,
            body: { passkey: key.get({ challenge: value }) },
          }),
        ),
      refusal: NOT_PROVEN,
    },
    'the card webhook': {
      async present(value) {
        const { status, json } = await app.send('POST', '/api/deposit/card/webhook', {
          body: WEBHOOK_EVENT,
          headers: { 'stripe-signature': value },
        })
        return [status, json?.code]
      },
      refusal: [400, 'malformed'],
    },
    'the secret address of signals': {
      present: (value) => post(`/webhooks/${encodeURIComponent(value)}`, newSignal()),
      refusal: [404, 'not_found'],
    },
    'a signature of signals': {
      present(value, { strategy = another }) {
        const signal = newSignal()
        const nonce = randomUUID()
        const signature = createHmac('sha256', value)
          .update(`${nonce}.${JSON.stringify(signal)}`)
          .digest('hex')
        return post(`/webhooks/${strategy}/signed`, signal, { 'x-nonce': nonce, 'x-signature': signature })
      },
      refusal: [404, 'not_found'],
    },
    "a code at the trader's sign-in": {
      present: async (value, { trader: { email, password } }) =>
        result(await app.send('POST', '/api/auth/login', { body: { email, password, code: value } })),
      refusal: [422, 'validation_failed'],
    },
    "a code at the desk's sign-in": {
      present: (value, { operator: { email } }) =>
        post('/desk/auth/login', { email, password: DESK_PASSWORD, code: value }),
      refusal: [422, 'validation_failed'],
    },
    "the trader's sign-in link": {
      present: (value, holder) => traderIn(holder, { link: value }),
      refusal: LINK_NEEDED,
    },
    "the trader's device": {
      present: (value, holder) => traderIn(holder, {}, { cookie: `device=${value}` }),
      refusal: LINK_NEEDED,
    },
    "the operator's sign-in link": {
      present: (value, holder) => operatorIn(holder, { link: value }),
      refusal: LINK_NEEDED,
    },
    "the operator's device": {
      present: (value, holder) => operatorIn(holder, {}, { cookie: `desk_device=${value}` }),
      refusal: LINK_NEEDED,
    },
    'the invitation': {
      present: (value) => post('/desk/auth/join', { token: value, password: DESK_PASSWORD }),
      refusal: NO_LINK,
    },
    'the enrolment': {
      async present(value) {
        const joined = await app.send('POST', '/api/desk/auth/join', {
          body: { token: value, password: DESK_PASSWORD },
        })
        const { secret = 'JBSWY3DPEHPK3PXP' } = (joined.json?.data ?? {}) as { secret?: string }
        return post('/desk/auth/join/confirm', { token: value, code: totpCode(secret) })
      },
      refusal: NO_LINK,
    },
    'the chat': {
      async present(value) {
        const visitor = await talk(app)
        const { messages } = await visitor.say({ token: value })
        visitor.leave()
        return messages.length > 0 ? OPENED : [404, 'nothing said']
      },
      refusal: [404, 'nothing said'],
    },
    'the shared receipt': {
      present: async (value) => result(await app.send('GET', `/api/proof/receipt/${encodeURIComponent(value)}`)),
      refusal: [404, 'not_found'],
    },
    'the metrics': {
      async present(value) {
        const headers = { 'x-forwarded-for': '203.0.113.9' }
        const { status } = await app.send('GET', '/metrics', { token: value, headers })
        return [status, undefined]
      },
      refusal: [404, undefined],
    },
  } satisfies Record<string, EntryPoint>
}

export type EntryPointName = keyof ReturnType<typeof entryPointsOf>

let networks = 0
/** Returns an IP address that no request has come from. */
export const newNetwork = (): string => `203.0.${100 + Math.floor(networks / 250)}.${1 + (networks++ % 250)}`
