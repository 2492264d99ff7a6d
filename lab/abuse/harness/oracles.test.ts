import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type OpenApiDocument, operationsOf, router } from './document.ts'
import { type Asked, type Canary, judge, LONGEST_MS } from './oracles.ts'
import { findingsOf } from './report.ts'
import { attack } from './run.ts'
import type { WireReply } from './wire.ts'

const problem = { type: 'object', properties: { code: { type: 'string' } } }
const schema = {
  type: 'object',
  properties: { status: { const: true }, data: { type: 'number' } },
  required: ['status', 'data'],
  additionalProperties: false,
}
const answers = (...statuses: number[]) =>
  Object.fromEntries([
    ['200', { content: { 'application/json': { schema } } }],
    ...statuses.map((status) => [String(status), { content: { 'application/json': { schema: problem } } }]),
  ])
/** A document with one call for each of these paths. */
const documentOf = (paths: readonly string[]): OpenApiDocument => ({
  components: { schemas: {} },
  paths: Object.fromEntries(
    paths.map((path) => [
      `/api/${path}`,
      {
        get: {
          parameters: /\{(\w+)\}/.test(path) ? [{ name: /\{(\w+)\}/.exec(path)![1]!, in: 'path', schema: {} }] : [],
          security: [{ access: [] }],
          responses: answers(400, 401, 404, 422, 503),
        },
      },
    ]),
  ),
})

const CANARIES: Canary[] = [
  { what: 'a name', text: 'Qzname', for: 'operators' },
  { what: 'a token', text: 'qztoken', for: 'owner' },
]
const SAFE: [string, string][] = [
  ['content-type', 'application/json; charset=utf-8'],
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'"],
  ['cache-control', 'no-store'],
]
const [operation] = operationsOf(documentOf(['things/{thing_id}']))

function rules(reply: Partial<WireReply> & { json?: unknown; text?: string }, asked: Partial<Asked> = {}): string[] {
  const body = Buffer.from(reply.text ?? JSON.stringify(reply.json ?? { status: true, data: 1 }))
  const whole = { status: 200, headers: SAFE, extra: 0, ms: 5, ...reply, body }
  const request = {
    method: 'GET',
    text: '',
    operation,
    isApi: true,
    viewer: 'trader',
    stolen: undefined,
    isUnframed: false,
  }
  return judge({ ...request, ...asked } as Asked, whole, CANARIES).map(({ oracle }) => oracle)
}
const refusal = { status: false, code: 'not_found', message: 'Not found.' }

describe('a response', () => {
  test('breaks no rule if it is as documented', () => {
    expect(rules({})).toEqual([])
    expect(rules({ status: 404, json: refusal })).toEqual([])
    expect(rules({ status: 503, json: { ...refusal, code: 'unavailable' } })).toEqual([])
  })

  test('breaks a rule if it is missing, unless the request is unframed', () => {
    const asked = { method: 'GET', text: '', operation, isApi: true, viewer: 'visitor', stolen: undefined } as const
    expect(judge({ ...asked, isUnframed: false }, undefined, [])).toMatchObject([{ oracle: 'answered' }])
    expect(judge({ ...asked, isUnframed: true }, undefined, [])).toEqual([])
  })

  test.each<[string, Parameters<typeof rules>[0], string]>([
    ['an internal error', { status: 500, json: { status: false, code: 'internal', message: 'x' } }, 'no-5xx'],
    ['a bad gateway', { status: 502, json: { ...refusal, code: 'unavailable' } }, 'no-5xx'],
    [
      'a status that is not documented',
      { status: 409, json: { ...refusal, code: 'wrong_state' } },
      'documented-status',
    ],
    ['a redirect', { status: 302 }, 'documented-status'],
    ['another type', { json: { status: true, data: '1' } }, 'response-schema'],
    ['an extra field', { json: { status: true, data: 1, password_hash: 'x' } }, 'response-schema'],
    ['a truncated body', { text: '{"status":true,' }, 'response-schema'],
    ['an error without a code', { status: 404, json: { status: false, message: 'x' } }, 'problem-shape'],
    ['a code of another status', { status: 422, json: refusal }, 'problem-shape'],
    ['an error page', { status: 404, text: '<h1>Not found</h1>', headers: SAFE.slice(1) }, 'problem-shape'],
    ['an error with details', { status: 404, json: { ...refusal, stack: [] } }, 'problem-shape'],
    ['a stack trace', { json: { status: true, data: 'at run (/srv/app/x.js:1:2)' } }, 'no-internals'],
    ['the text of a query', { json: { status: true, data: 'select a from users where id = $1' } }, 'no-internals'],
    [
      'an error of the database',
      { status: 422, json: { ...refusal, message: 'invalid input syntax for bigint' } },
      'no-internals',
    ],
    ['a path on the server', { status: 404, json: { ...refusal, message: "no such file '/work/x'" } }, 'no-internals'],
    ["someone else's name", { json: { status: true, data: 'Qzname' } }, 'no-leak'],
    ['a token in a header', { headers: [...SAFE, ['x-debug', 'qztoken']] }, 'no-leak'],
    ['a header that a request injected', { headers: [...SAFE, ['injected', '1']] }, 'headers'],
    ['a cookie that scripts can read', { headers: [...SAFE, ['set-cookie', 'a=b; Path=/']] }, 'headers'],
    ['permission for other sites', { headers: [...SAFE, ['access-control-allow-origin', '*']] }, 'headers'],
    ['no security headers', { headers: SAFE.slice(0, 1) }, 'headers'],
    ['a second response', { extra: 90 }, 'one-response'],
    ['a late response', { ms: LONGEST_MS + 1 }, 'in-time'],
  ])('with %s breaks a rule', (_what, reply, rule) => {
    expect(rules(reply)).toContain(rule)
  })

  test("breaks a rule if it accepts someone else's id", () => {
    expect(rules({}, { stolen: 'ABC' })).toEqual(['no-foreign-object'])
    expect(rules({ status: 404, json: refusal }, { stolen: 'ABC' })).toEqual([])
  })

  test('may repeat what was sent, and show operators what they may read', () => {
    expect(
      rules({ json: { status: true, data: 1 }, headers: [...SAFE, ['x', 'Qzname']] }, { text: 'GET /?q=Qzname' }),
    ).toEqual([])
    const named = { headers: [...SAFE, ['x', 'Qzname']] as [string, string][] }
    expect(rules(named, { viewer: 'operator' })).toEqual([])
    const token = { headers: [...SAFE, ['x', 'qztoken']] as [string, string][] }
    expect(rules(token, { viewer: 'operator' })).toEqual(['no-leak'])
  })
})

test('matches requests with their calls as the server does', () => {
  const find = router(operationsOf(documentOf(['a/b', 'a/{id}', 'a/{id}/c'])))
  expect(find('GET', '/api/a/b?x=1')?.name).toBe('GET /api/a/b')
  expect(find('GET', '/api/a/%62')?.name).toBe('GET /api/a/b')
  expect(find('GET', 'http://evil.example/api/a/%00')?.name).toBe('GET /api/a/{id}')
  expect(find('GET', '/api/a/1/c')?.name).toBe('GET /api/a/{id}/c')
  expect(find('POST', '/api/a/b')).toBeUndefined()
  expect(find('GET', '/api/a/b/')).toBeUndefined()
})

/** Handlers with one bug each. */
const PLANTED: Record<string, (response: ServerResponse, authorization: string) => void> = {
  sound: (response) => reply(response, 200, { status: true, data: 1 }),
  crash: (response) => reply(response, 500, { status: false, code: 'internal', message: 'x' }),
  teapot: (response) => reply(response, 418, { ...refusal }),
  leak: (response) => reply(response, 200, { status: true, data: 1, owner: 'Qzname' }),
  trace: (response) => reply(response, 422, { ...refusal, message: 'at f (/srv/app/x.ts:3:1)' }),
  'things/{thing_id}': (response) => reply(response, 200, { status: true, data: 1 }),
  silent: (response) => void response.socket!.destroy(),
}

function reply(response: ServerResponse, status: number, json: object) {
  response.writeHead(status, SAFE.flat())
  response.end(JSON.stringify(json))
}

async function attackPlanted(seed: number) {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]!
    const call =
      request.method === 'GET' &&
      Object.keys(PLANTED).find((one) => new RegExp(`^/api/${one.replace(/\{\w+\}/, '[^/]+')}$`).test(path))
    if (call) PLANTED[call]!(response, request.headers.authorization ?? '')
    else reply(response, 404, refusal)
  })
  // Bytes that aren't HTTP.
  server.on('clientError', (_error, socket) => {
    const body = JSON.stringify({ status: false, code: 'malformed', message: 'x' })
    const head = SAFE.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(`HTTP/1.1 400 Bad Request\r\n${head}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return attack(
    {
      port: (server.address() as AddressInfo).port,
      document: documentOf(Object.keys(PLANTED)),
      good: async () => ({ token: 'x'.repeat(43), params: { thing_id: 'mine' } }),
      tokenOf: async () => 'y'.repeat(43),
      canaries: CANARIES,
      loot: { thing_id: ['theirs'] },
      breathe: async () => undefined,
    },
    { requests: 900, seed, findingsMost: 10_000 },
  )
}

test('an attack finds the bug of each planted handler, and none in the correct one', async () => {
  const { findings } = await attackPlanted(7)
  const found = new Map<string, Set<string>>()
  for (const { what, verdicts } of findings) {
    const call = /^GET \/api\/(\S+) as/.exec(what)![1]!
    for (const { oracle } of verdicts) found.set(call, (found.get(call) ?? new Set()).add(oracle))
  }
  expect([...found.get('crash')!]).toEqual(['no-5xx'])
  expect([...found.get('teapot')!]).toContain('documented-status')
  expect([...found.get('leak')!]).toContain('no-leak')
  expect([...found.get('trace')!]).toContain('no-internals')
  expect([...found.get('things/{thing_id}')!]).toEqual(['no-foreign-object'])
  expect([...found.get('silent')!]).toEqual(['answered'])
  expect(findings.filter(({ what }) => what.includes('/sound as'))).toEqual([])
})

test('the same seed sends the same requests, and a report shows how to repeat one', async () => {
  const [one, again, other] = [await attackPlanted(7), await attackPlanted(7), await attackPlanted(8)]
  const requests = (result: typeof one) => result.findings.map(({ number, what }) => `${number} ${what}`).sort()
  expect(requests(again)).toEqual(requests(one))
  expect(requests(other)).not.toEqual(requests(one))
  expect(findingsOf(one, 7)).toContain(`npm run abuse -- --seed 7 --only ${one.findings[0]!.number}`)
})
