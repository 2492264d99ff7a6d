import { expect, test } from 'vitest'
import { api, type CallName } from '#contract/api.ts'
import { type Endpoint, WRITES } from '#contract/endpoint.ts'
import { createLog } from '../../process/log.ts'
import type { Handlers } from '../handler.ts'
import { createHttp } from '../server.ts'

const rows: [CallName, Endpoint][] = Object.entries(api) as never
const writes = rows.filter(([name, { access }]) => access !== 'visitor' && !name.startsWith('GET '))
const limitedReads = rows.filter(
  ([name, { access, limit }]) => access !== 'visitor' && name.startsWith('GET ') && limit,
)

const http = await createHttp({
  ...{ log: createLog('silent'), trustProxy: undefined, insecureCookies: true, rateFactor: 1 },
  authenticate: async (token) => ({ userId: BigInt(token), sessionId: 1n }) as never,
  authenticateOperator: async (token) =>
    ({ operatorId: BigInt(token), roles: ['admin', 'finance', 'compliance', 'risk', 'support'] }) as never,
})
const handler = async () => ({ status: true })
http.serve({ hasStandby: false, choose: () => undefined } as never, new Proxy({}, { get: () => handler }) as Handlers)

/** Calls as this trader or operator, with nothing in the request. */
async function call(name: CallName, token: string): Promise<{ status: number; retryAfter: unknown }> {
  const [method, path] = name.split(' ') as ['POST', string]
  const url = `/api${path.replaceAll(/:\w+/g, 'x')}`
  const { statusCode, headers } = await http.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token.padStart(43, '0')}` },
  })
  return { status: statusCode, retryAfter: headers['retry-after'] }
}

/** Makes calls until one is refused; returns how many weren't. */
async function callsBeforeRefusal(name: CallName, token: string): Promise<number> {
  for (let n = 0; n < 10_000; n++) {
    const { status, retryAfter } = await call(name, token)
    if (status !== 429) continue
    expect(Number(retryAfter)).toBeGreaterThan(0)
    return n
  }
  throw new Error(`${name} has no limit`)
}

test.each([...writes, ...limitedReads])('%s is limited by trader or operator', async (name, { limit = WRITES }) => {
  const made = await callsBeforeRefusal(name, '1')
  // A slow machine may begin another second on the way.
  if (limit.per === 'second') expect(made).toBeGreaterThanOrEqual(limit.max)
  else expect(made).toBe(limit.max)
  expect((await call(name, '2')).status, 'another caller has their own').not.toBe(429)
})

const limitedVisitors = rows.filter(([, { access, limit }]) => access === 'visitor' && limit)
test.each(limitedVisitors)('%s is limited by network', async (name, { limit }) => {
  const [method, path] = name.split(' ') as ['POST', string]
  const from = async (remoteAddress: string) => {
    const { statusCode } = await http.app.inject({ method, url: `/api${path}`, remoteAddress })
    return statusCode
  }
  let made = 0
  while ((await from('192.0.2.1')) !== 429 && made < 10_000) made++
  expect(made).toBe(limit?.max)
  expect(await from('192.0.2.2')).not.toBe(429)
})

test('the token of an ended session gets a few calls past the budget of its network, and no page or unknown path ever', async () => {
  const sessions = new Set<string>()
  const { app, serve } = await createHttp({
    ...{ log: createLog('silent'), trustProxy: undefined, insecureCookies: true, rateFactor: 0.005 },
    authenticate: async (used) => (sessions.has(used) ? ({ userId: 1n, sessionId: 1n } as never) : undefined),
    authenticateOperator: async () => undefined,
  })
  serve({ hasStandby: false, choose: () => undefined } as never, new Proxy({}, { get: () => handler }) as Handlers)
  const token = 't'.repeat(43)
  const get = async (url: string, bearer?: string) =>
    (await app.inject({ url, headers: bearer ? { authorization: `Bearer ${bearer}` } : {} })).statusCode
  sessions.add(token)
  expect(await get('/api/users/me', token)).not.toBe(429)
  while ((await get('/api/nothing')) !== 429);

  for (let n = 0; n < 50; n++) expect(await get('/api/users/me', token)).toBe(200)
  expect(await get('/api/nothing', token)).toBe(429)
  sessions.delete(token)
  const statuses: number[] = []
  for (let n = 0; n < 30; n++) statuses.push(await get('/api/users/me', token))
  expect(statuses.filter((status) => status === 401)).toHaveLength(20)
  expect(statuses.slice(20)).toEqual(Array(10).fill(429))
})
