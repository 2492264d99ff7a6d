import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { draws } from '#tests/support/random.ts'
import type { Entry, Journal, Operation, Outcome } from './journal.ts'
import { operatorLogin } from './people.ts'
import type { Product } from './world.ts'

interface Request {
  method: string
  path: string
  token?: string
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

interface Response {
  status: number
  json: { code?: string; message?: string; data?: Record<string, unknown>; [field: string]: unknown }
}

/** Acts as the traders' browsers, the desk and the card provider for the load. */
export interface Client {
  /** Sends or resends an operation, and returns what its client can conclude. */
  perform(entry: Entry): Promise<Outcome>
  ask(request: Request): Promise<Response>
  tokenOf(trader: number): Promise<string>
  operatorToken(who: number): Promise<string>
}

const TIMEOUT_MS = 15_000
const PERIOD_MS = 30_000
/** Codes with which an operation may be rejected even without faults. */
const USUAL: Partial<Record<Operation['kind'], string[]>> = {
  trade: ['insufficient_balance', 'price_unavailable', 'limit_reached', 'order_expired'],
  // Sold already, in its last ten seconds, or ended meanwhile.
  sell: ['wrong_state', 'price_unavailable', 'order_expired'],
  wait: ['limit_reached', 'price_unavailable'],
  withdraw: ['insufficient_balance'],
  deposit: ['price_unavailable'],
}

export function openClient(world: Product, journal: Journal): Client {
  const { people, stripe } = world
  const tokens = new Map<number, Promise<string>>()
  const operators: (Promise<string> | undefined)[] = []
  const lastCodesAt: number[] = []

  async function ask({ method, path, token, key, body, headers = {} }: Request): Promise<Response> {
    const isRaw = typeof body === 'string' || body instanceof FormData
    const response = await fetch(`${world.origin}/api${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: response.status, json: (await response.json()) as Response['json'] }
  }

  async function signIn(path: string, body: object): Promise<string> {
    const { status, json } = await ask({ method: 'POST', path, body })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    return (json.tokens as { access: { token: string } }).access.token
  }

  function tokenOf(trader: number): Promise<string> {
    const { email, password } = people.traders[trader]!
    const token = tokens.get(trader) ?? signIn('/auth/login', { email, password })
    tokens.set(trader, token)
    token.catch(() => tokens.delete(trader))
    return token
  }

  function operatorToken(who: number): Promise<string> {
    const signedIn =
      operators[who] ??
      (async () => {
        // Each code works once, and only until the next period begins.
        const leftMs = PERIOD_MS - (Date.now() % PERIOD_MS)
        const waitMs = Math.max((lastCodesAt[who] ?? 0) + PERIOD_MS - Date.now(), 0)
        if (waitMs > 0 || leftMs < PERIOD_MS / 3) await sleep(Math.max(waitMs, leftMs + 50))
        lastCodesAt[who] = Date.now()
        return signIn('/desk/auth/login', operatorLogin(people.operators[who]!, lastCodesAt[who]))
      })()
    operators[who] = signedIn
    signedIn.catch(() => {
      operators[who] = undefined
    })
    return signedIn
  }

  /** Discards a rejected token, unless another operation has already replaced it. */
  async function forget(operation: Operation, refused: string | undefined): Promise<void> {
    const who = operatorOf(operation)
    const heldNow = () => ('trader' in operation ? tokens.get(operation.trader) : operators[who])
    const held = heldNow()
    if ((await held?.catch(() => refused)) !== refused || heldNow() !== held) return
    if ('trader' in operation) tokens.delete(operation.trader)
    else operators[who] = undefined
  }

  /** Returns the id of the item that an earlier operation created. */
  function idOf(n: number): string {
    const { outcome } = journal.entries[n]!
    if (outcome.kind !== 'acknowledged') throw new Error(`entry ${n} has no id`)
    return outcome.id
  }

  async function requestOf(operation: Operation, key: string, n: number): Promise<Request> {
    const desk = (path: string, body?: object): Promise<Request> =>
      operatorToken(operatorOf(operation)).then((token) => ({
        method: 'POST',
        path: `/desk/${path}`,
        token,
        key,
        ...(body ? { body } : {}),
      }))
    const own = (path: string, body?: object): Promise<Request> =>
      tokenOf((operation as { trader: number }).trader).then((token) => ({
        method: 'POST',
        path,
        token,
        key,
        ...(body ? { body } : {}),
      }))
    switch (operation.kind) {
      case 'trade':
        return own('/trading/submit', tradeBody(operation))
      case 'sell':
        return own(`/trading/${idOf(operation.of)}/sell`, { minimum: operation.cents / 100 })
      case 'wait':
        return own('/waiting-orders', waitingBody(operation))
      case 'withdraw':
        return own('/withdraw', { amount: operation.cents / 100, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' })
      case 'cancel':
        return own(`/withdraw/${idOf(operation.of)}/cancel`)
      case 'approve':
        return desk(`withdrawals/${idOf(operation.of)}/approve`)
      case 'pay':
        return desk(`withdrawals/${idOf(operation.of)}/paid`, {
          reference: createHash('sha256').update(String(operation.of)).digest('hex'),
        })
      case 'reject':
        return desk(`withdrawals/${idOf(operation.of)}/reject`, { reason: 'The bank returned it.' })
      case 'card':
        return own('/deposit/card', { amount: operation.cents / 100 })
      case 'event': {
        const { payload, header } = stripe.event(
          'checkout.session.completed',
          {
            id: `cs_of_${operation.of}`,
            client_reference_id: idOf(operation.of),
            payment_status: 'paid',
            currency: 'usd',
            amount_total: operation.cents,
            payment_intent: `pi_${operation.of}`,
          },
          { id: `evt_${key}` },
        )
        return {
          method: 'POST',
          path: '/deposit/card/webhook',
          body: payload,
          headers: { 'stripe-signature': header },
        }
      }
      case 'deposit': {
        const form = new FormData()
        form.set('usd_amount', String(operation.cents / 100))
        form.set('receipt', new Blob([new Uint8Array(await picture(n))], { type: 'image/png' }), 'receipt.png')
        return { method: 'POST', path: '/deposit', token: await tokenOf(operation.trader), key, body: form }
      }
      case 'credit':
        // What arrived, more than enough. Once a first try has approved it, this changes nothing.
        await ask(
          await desk(`deposits/${idOf(operation.of)}/arrival`, {
            transaction_id: createHash('sha256').update(`arrival of ${operation.of}`).digest('hex'),
            coin_amount: '1000',
            arrived_at: new Date().toISOString(),
          }),
        )
        return desk(`deposits/${idOf(operation.of)}/approve`, { amount: operation.cents / 100 })
    }
  }

  async function perform(entry: Entry): Promise<Outcome> {
    const { operation, key, n } = entry
    entry.sent++
    entry.sentAt ??= Date.now()
    const began = performance.now()
    try {
      const request = await requestOf(operation, key, n)
      const { status, json } = await ask(request)
      entry.tookMs ??= performance.now() - began
      if (status === 200) return { kind: 'acknowledged', id: doneId(operation, json) }
      if (status === 401) {
        await forget(operation, request.token)
        return { kind: 'unknown', why: 'signed out' }
      }
      if (status === 500) journal.complaints.push(`${operation.kind} ${key} failed with 500`)
      if (status >= 500 || status === 429) return { kind: 'unknown', why: `${status} ${json.message}` }
      const code = json.code ?? ''
      if (entry.outcome.kind === 'unknown' && isDoneAlready(operation, json)) return { kind: 'acknowledged', id: '' }
      // The provider resends an event until it's accepted.
      if (operation.kind === 'event') return { kind: 'unknown', why: `${status} ${code}` }
      if (!USUAL[operation.kind]?.includes(code) && !isOverdue(operation, json))
        journal.complaints.push(`${operation.kind} ${key} was rejected: ${status} ${code} ${json.message}`)
      return { kind: 'rejected', status, code }
    } catch (error) {
      entry.tookMs ??= performance.now() - began
      return { kind: 'unknown', why: String(error) }
    }
  }

  return { perform, ask, tokenOf, operatorToken }
}

/** One operator credits deposits and the other approves withdrawals: both of a trader would take two people. */
const operatorOf = ({ kind }: Operation): number => (kind === 'credit' ? 1 : 0)

export const tradeBody = ({ symbol, side, cents, mode }: Extract<Operation, { kind: 'trade' }>) => ({
  symbol,
  trading_type: 'Cryptocurrency',
  trade_mode: side,
  amount: cents / 100,
  duration: 60,
  strike_rate: '75/3',
  mode,
})

const waitingBody = ({ symbol, side, cents, mode, at }: Extract<Operation, { kind: 'wait' }>) => ({
  ...{ symbol, trade_mode: side, amount: cents / 100, duration: 60, strike_rate: '75/3', mode },
  ...{ condition: 'at_time', at: new Date(at).toISOString() },
})

/** Whether an order is refused because the time that it waits for was over when it arrived. */
const isOverdue = ({ kind }: Operation, { code, errors }: Response['json']): boolean =>
  kind === 'wait' &&
  code === 'validation_failed' &&
  Array.isArray(errors) &&
  errors.every(({ field }: { field: string }) => field === 'at')

/**
 * Whether the desk reports an action under this key as already done, without replaying the first response: the response
 * is stored after the action, and a crash can happen in between.
 */
const isDoneAlready = ({ kind }: Operation, { code, message }: Response['json']): boolean =>
  ['approve', 'pay', 'reject', 'credit'].includes(kind) &&
  code === 'wrong_state' &&
  message === 'This has already been done. Reload to see the result.'

/** Returns the id of the created or changed item. */
function doneId({ kind }: Operation, { data = {} }: Response['json']): string {
  switch (kind) {
    case 'trade':
      return String(data.trade_id)
    case 'sell':
      return `${data.trade_id} ${data.at}`
    case 'wait':
      return String(data.id)
    case 'card':
    case 'deposit':
      return String(data.deposit_id)
    case 'withdraw':
    case 'cancel':
      return String(data.withdraw_id)
    default:
      // No later operation needs its id, and the response to a retry may lack it.
      return ''
  }
}

/** Each entry's picture: unique, and the same each time it's sent. */
const pictures = new Map<number, Promise<Buffer>>()
const PICTURES_MOST = 200
function picture(n: number): Promise<Buffer> {
  const side = 48
  const { below } = draws(n * 7_919 + 1)
  const make = () =>
    sharp(Buffer.from(Array.from({ length: side * side * 3 }, () => below(256))), {
      raw: { width: side, height: side, channels: 3 },
    })
      .png()
      .toBuffer()
  const known = pictures.get(n) ?? make()
  pictures.set(n, known)
  if (pictures.size > PICTURES_MOST) pictures.delete(pictures.keys().next().value!)
  return known
}
