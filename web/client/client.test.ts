import { expect, onTestFinished, test, vi } from 'vitest'
import { type AccessTokens, CallError, createClient, messageOf } from './client.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const tokens = (token: string, livesMs = 900_000): AccessTokens => ({
  access: { token, expires: new Date(NOW + livesMs).toISOString() },
})
const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
const user = () => json(200, { status: true, data: { id: '1' } })
const unauthenticated = () => json(401, { status: false, code: 'unauthenticated', message: 'No session' })
const trade = {
  symbol: 'BTCUSDT',
  trading_type: 'Cryptocurrency',
  trade_mode: 'Buy',
  amount: 1,
  duration: 60,
  strike_rate: '75/3',
  mode: 'demo',
} as const

/** A client on a scripted server: `answer` sees the path, token and key of each request. */
function setUp(held: AccessTokens | undefined, answer: (path: string, token: string, key: string) => Response | Error) {
  const seen: string[] = []
  const keys: string[] = []
  const pauses: number[] = []
  let passed = 0
  const session = { held, ended: 0 }
  const client = createClient({
    session: {
      tokens: () => session.held,
      renewed: (next) => {
        session.held = next
      },
      signedOut: () => {
        session.held = undefined
        session.ended++
      },
    },
    now: () => NOW + passed,
    wait: async (ms) => {
      pauses.push(ms)
      passed += ms
    },
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers)
      const token = headers.get('authorization')?.replace('Bearer ', '') ?? ''
      const path = String(url).replace('/api', '')
      const key = headers.get('idempotency-key') ?? ''
      seen.push(`${init?.method ?? 'GET'} ${path} ${token}`.trim())
      keys.push(key)
      await Promise.resolve()
      const said = answer(path, token, key)
      if (said instanceof Error) throw said
      return said
    },
  })
  const pass = (ms: number) => {
    passed += ms
  }
  return { ...client, seen, keys, pauses, session, pass }
}

test('on 401, renews the token once for all callers and repeats each call', async () => {
  const { call, seen, session } = setUp(tokens('old'), (path, token) => {
    if (path === '/auth/refresh') return json(200, { status: true, tokens: tokens('new') })
    return token === 'new' ? user() : unauthenticated()
  })
  await Promise.all([call('GET /users/me'), call('GET /users/me'), call('GET /users/me')])
  expect(seen.filter((line) => line.includes('refresh'))).toHaveLength(1)
  expect(seen.filter((line) => line === 'GET /users/me new')).toHaveLength(3)
  expect(session).toMatchObject({ held: tokens('new'), ended: 0 })
})

test('signs out if still 401 after the renewal', async () => {
  const { call, session } = setUp(tokens('old'), (path) =>
    path === '/auth/refresh' ? json(200, { status: true, tokens: tokens('new') }) : unauthenticated(),
  )
  await expect(call('GET /users/me')).rejects.toMatchObject({ status: 401, message: 'No session' })
  expect(session.ended).toBe(1)
})

test("a rejected renewal signs out; a server that is down doesn't", async () => {
  const refused = setUp(tokens('old'), unauthenticated)
  await expect(refused.call('GET /users/me')).rejects.toMatchObject({ status: 401 })
  expect(refused.session.ended).toBe(1)

  const down = setUp(tokens('old'), (path) =>
    path === '/auth/refresh' ? new TypeError('Failed to fetch') : unauthenticated(),
  )
  await expect(down.call('GET /users/me')).rejects.toThrow('Failed to fetch')
  expect(down.session.ended).toBe(0)
})

test.each([402, 403])('%i signs out immediately, without a renewal', async (status) => {
  const { call, session, seen } = setUp(tokens('t'), () =>
    json(status, { status: false, code: 'forbidden', message: 'Suspended' }),
  )
  await expect(call('GET /users/me')).rejects.toMatchObject({ status, message: 'Suspended' })
  expect(session.ended).toBe(1)
  expect(seen).toEqual(['GET /users/me t'])
})

test('a visitor never asks for a renewal', async () => {
  const { call, seen } = setUp(undefined, unauthenticated)
  await expect(call('GET /users/me')).rejects.toMatchObject({ status: 401 })
  expect(seen).toEqual(['GET /users/me'])
})

test('renews a token that is about to expire before using it', async () => {
  const { call, seen } = setUp(tokens('old', 30_000), (path) =>
    path === '/auth/refresh' ? json(200, { status: true, tokens: tokens('new') }) : user(),
  )
  await call('GET /users/me')
  expect(seen, 'with the old token, by which the server knows the trader').toEqual([
    'POST /auth/refresh old',
    'GET /users/me new',
  ])
})

test('a machine with a fast clock renews once, not before every call', async () => {
  const { call, seen } = setUp(tokens('old', -1), (path) =>
    path === '/auth/refresh' ? json(200, { status: true, tokens: tokens('new', -1) }) : user(),
  )
  await call('GET /users/me')
  await call('GET /users/me')
  expect(seen.filter((line) => line.includes('refresh'))).toHaveLength(1)
})

test('signing out during a renewal stays signed out', async () => {
  const { call, session } = setUp(tokens('old', 30_000), (path) => {
    if (path !== '/auth/refresh') return unauthenticated()
    session.held = undefined
    return json(200, { status: true, tokens: tokens('new') })
  })
  await expect(call('GET /users/me')).rejects.toBeInstanceOf(CallError)
  expect(session.held).toBeUndefined()
})

test('while the session is ended, nothing else is sent, and a 401 renews nothing', async () => {
  const { call, leave, seen, session } = setUp(tokens('old'), (path) =>
    path === '/auth/logout' ? json(200, { status: true }) : unauthenticated(),
  )
  const underWay = call('GET /users/me').catch((error: CallError) => error.status)
  await Promise.resolve()
  const left = leave()
  const later = call('GET /trading/limits', { query: { mode: 'demo', symbol: 'BTCUSDT' } })
  await expect(later).rejects.toBeInstanceOf(CallError)
  await left
  expect(await underWay).toBe(401)
  expect(seen).toEqual(['GET /users/me old', 'POST /auth/logout old'])
  expect(session.held).toBeUndefined()
})

test('signing out ends the session in the browser although the server is down', async () => {
  const { leave, session } = setUp(tokens('old'), () => new TypeError('Failed to fetch'))
  await leave()
  expect(session.held).toBeUndefined()
})

test('resends a submission whose response is lost under the same key', async () => {
  let attempt = 0
  const { call, keys, pauses } = setUp(tokens('t'), () => {
    attempt++
    if (attempt === 1) return new TypeError('Failed to fetch')
    if (attempt === 2) return json(503, { status: false, code: 'unavailable', message: 'Down' })
    return json(200, { status: true, message: 'Trade placed', data: {} })
  })
  await call('POST /trading/submit', { body: trade, key: 'k1' })
  expect(keys).toEqual(['k1', 'k1', 'k1'])
  expect(pauses).toHaveLength(2)
})

test('a rejection after a lost request is asked for again until the lost one can no longer take effect', async () => {
  const answers = [
    () => new TypeError('Failed to fetch'),
    () => json(422, { status: false, code: 'price_unavailable', message: 'No price' }),
    () => json(200, { status: true, message: 'Trade placed', data: {} }),
  ]
  const { call, keys, pauses } = setUp(tokens('t'), () => answers.shift()!())
  const input = { body: { ...trade, pressed_at: 7 }, key: 'k1', finalAfterMs: 2_500 }
  await expect(call('POST /trading/submit', input)).resolves.toMatchObject({ message: 'Trade placed' })
  expect(keys).toEqual(['k1', 'k1', 'k1'])
  expect(pauses).toEqual([400, 2_100])
})

test('a rejection is final if no request was lost, or once none can take effect', async () => {
  const rejected = () => json(422, { status: false, code: 'price_unavailable', message: 'No price' })
  const first = setUp(tokens('t'), rejected)
  const input = { body: trade, key: 'k', finalAfterMs: 2_500 }
  await expect(first.call('POST /trading/submit', input)).rejects.toMatchObject({ code: 'price_unavailable' })
  expect(first.seen).toHaveLength(1)

  let attempt = 0
  const late = setUp(tokens('t'), () => {
    if (++attempt === 1) return new TypeError('Failed to fetch')
    late.pass(2_500)
    return rejected()
  })
  await expect(late.call('POST /trading/submit', input)).rejects.toMatchObject({ code: 'price_unavailable' })
  expect(late.seen).toHaveLength(2)
})

test('gives up eventually, and retries neither rejections nor calls without a key', async () => {
  const dead = setUp(tokens('t'), () => new TypeError('Failed to fetch'))
  await expect(dead.call('POST /trading/submit', { body: trade, key: 'k' })).rejects.toThrow('Failed to fetch')
  expect(dead.seen).toHaveLength(4)

  const refused = setUp(tokens('t'), () => json(422, { status: false, code: 'insufficient_balance', message: 'No' }))
  await expect(refused.call('POST /trading/submit', { body: trade, key: 'k' })).rejects.toMatchObject({
    code: 'insufficient_balance',
  })
  expect(refused.seen).toHaveLength(1)

  const unkeyed = setUp(tokens('t'), () => new TypeError('Failed to fetch'))
  await expect(unkeyed.call('GET /users/me')).rejects.toThrow('Failed to fetch')
  expect(unkeyed.seen).toHaveLength(1)
})

test("shows the response's message, else the transport's, else the fallback", async () => {
  const page = setUp(undefined, () => new Response('<h1>Bad gateway</h1>', { status: 502 }))
  const error = await page.call('GET /health').catch((cause: unknown) => cause)
  expect(messageOf(error)).toBe('Something Went Wrong!')
  expect(messageOf(new CallError('Wrong code', 422))).toBe('Wrong code')
  expect(messageOf(new TypeError('Failed to fetch'))).toBe('Failed to fetch')
  expect(messageOf('?')).toBe('Something Went Wrong!')
})

test('builds paths, queries and uploads as the contract defines them', async () => {
  const answer = vi.fn(() => json(200, { status: true, message: 'ok' }))
  const { call, seen } = setUp(tokens('t'), answer)
  await call('DELETE /auth/sessions/:id', { params: { id: 'a/b' } })
  await call('GET /trading', { query: { mode: 'demo', symbol: undefined } })
  await call('POST /profile/user-verification', { form: { method: 'others' }, files: { id_file: new File([], 'x') } })
  expect(seen).toEqual([
    'DELETE /auth/sessions/a%2Fb t',
    'GET /trading?mode=demo t',
    'POST /profile/user-verification t',
  ])
})

test('resends the same call with its key after confirming the second factor', async () => {
  const headers: Headers[] = []
  const asked = vi.fn<() => Promise<string | undefined>>().mockResolvedValueOnce('proof')
  const { call } = createClient({
    session: { tokens: () => tokens('one'), renewed: () => {}, signedOut: () => {} },
    now: () => NOW,
    askStepUp: asked,
    fetch: async (_, init) => {
      headers.push(new Headers(init?.headers))
      if (headers.length !== 2) return json(428, { status: false, code: 'step_up_required', message: 'Please confirm' })
      return json(200, { status: true, message: 'Done', data: {} })
    },
  })
  await call('POST /trading/submit', { body: trade, key: 'k1' })
  expect(headers.map((each) => [each.get('idempotency-key'), each.get('x-step-up')])).toEqual([
    ['k1', null],
    ['k1', 'proof'],
  ])
  // A declined step-up returns the server's message, and nothing is sent again.
  await expect(call('POST /trading/submit', { body: trade, key: 'k2' })).rejects.toThrow('Please confirm')
  expect(asked).toHaveBeenCalledTimes(2)
  expect(headers).toHaveLength(3)
})

test('reads ask for the newest while there is news, and nothing else does', async () => {
  let hasNews = false
  const sent: [string, string | null][] = []
  const { call } = createClient({
    session: { tokens: () => tokens('one'), renewed: () => {}, signedOut: () => {} },
    now: () => NOW,
    hasNews: () => hasNews,
    fetch: async (_, init) => {
      sent.push([init!.method!, new Headers(init?.headers).get('cache-control')])
      return json(200, { status: true, message: 'Done', data: [] })
    },
  })
  await call('GET /notices', { query: {} })
  hasNews = true
  await call('GET /notices', { query: {} })
  await call('POST /trading/submit', { body: trade, key: 'k1' })
  expect(sent).toEqual([
    ['GET', null],
    ['GET', 'no-cache'],
    ['POST', null],
  ])
})

test('gives up a read and a keyed call that get no response, and sends the keyed one again with its key', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const keys: (string | null)[] = []
  const client = createClient({
    session: { tokens: () => undefined, renewed: () => {}, signedOut: () => {} },
    wait: async () => {},
    fetch: (_, init) =>
      new Promise((resolve, reject) => {
        const key = new Headers(init?.headers).get('idempotency-key')
        if (init?.method !== 'GET') keys.push(key)
        if (keys.length === 2) return resolve(json(200, { status: true, data: {} }))
        init?.signal?.addEventListener('abort', () => reject(init.signal!.reason))
      }),
  })
  const read = client.call('GET /users/me').catch(messageOf)
  const placed = client.call('POST /trading/submit', { body: trade, key: 'k' })
  await vi.advanceTimersByTimeAsync(19_999)
  expect(keys).toEqual(['k'])
  await vi.advanceTimersByTimeAsync(1)
  expect(await read).toBe('The server took too long to answer.')
  await placed
  expect(keys).toEqual(['k', 'k'])
})

test('a read that its caller cancels is cancelled', async () => {
  const stop = new AbortController()
  const client = createClient({
    session: { tokens: () => undefined, renewed: () => {}, signedOut: () => {} },
    fetch: (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal!.reason))
        if (init?.signal?.aborted) reject(init.signal.reason)
      }),
  })
  const read = client.call('GET /users/me', { signal: stop.signal })
  stop.abort(new Error('left the screen'))
  await expect(read).rejects.toThrow('left the screen')
  await expect(client.call('GET /users/me', { signal: stop.signal })).rejects.toThrow('left the screen')
})
