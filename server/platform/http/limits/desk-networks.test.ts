import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { excludesNobody, limitDesk, readNetwork } from './desk-networks.ts'

const networks = (list: string) => list.split(',').map((one) => readNetwork(one)!)

test.each(['10.0.0.0/8', '192.168.1.5', '2001:db8::/32', '::1'])('reads %s', (text) => {
  expect(readNetwork(text)).toBeDefined()
})

test.each(['', '10.0.0.0/33', '10.0.0/8', '300.1.1.1', '2001:db8::/129', 'desk.example', '10.0.0.0/8/8', '10.0.0.0/x'])(
  'refuses %j',
  (text) => {
    expect(readNetwork(text)).toBeUndefined()
  },
)

test.each([
  ['0.0.0.0/0', true],
  ['128.0.0.0/1', true],
  ['::/0', true],
  ['10.0.0.0/8', false],
  ['2001:db8::/32', false],
] as const)('excludes nobody: %s %s', (text, expected) => {
  expect(excludesNobody(readNetwork(text)!)).toBe(expected)
})

/** Answers each path from an address. Returns the statuses. */
async function ask(list: string | undefined, ip: string, paths: string[]): Promise<number[]> {
  const app = Fastify({ trustProxy: true })
  app.setErrorHandler((error: { code?: string }, _request, reply) =>
    reply.status(error.code === 'forbidden' ? 403 : 500).send({}),
  )
  limitDesk(app, list === undefined ? undefined : networks(list))
  for (const path of ['/api/desk/auth/login', '/api/desk/users/:id', '/api/prices', '/desk', '/desk/assets/a.js', '/*'])
    app.get(path, async () => ({}))
  const replies = await Promise.all(paths.map((url) => app.inject({ url, headers: { 'x-forwarded-for': ip } })))
  await app.close()
  return replies.map(({ statusCode }) => statusCode)
}

const DESK = [
  '/api/desk/auth/login',
  '/api/%64esk/auth/login',
  '/api/desk/users/1?x=1',
  '/desk',
  '/desk/users',
  '/%64esk/',
  '/desk/assets/a.js',
]
const OTHERS = ['/api/prices', '/', '/deskill', '/user/desk']

test('answers the desk to its networks only, however the path is written', async () => {
  for (const ip of ['203.0.113.9', '10.1.2.3', '2001:db8:1::1']) {
    const list = '10.1.0.0/16,2001:db8::/32'
    const isInside = ip !== '203.0.113.9'
    expect(await ask(list, ip, DESK), ip).toEqual(DESK.map(() => (isInside ? 200 : 403)))
    expect(await ask(list, ip, OTHERS), ip).toEqual(OTHERS.map(() => 200))
  }
  expect(await ask('10.1.0.0/16', '::ffff:10.1.2.3', DESK)).toEqual(DESK.map(() => 200))
  expect(await ask('10.1.0.0/16', '::ffff:10.2.2.3', DESK)).toEqual(DESK.map(() => 403))
  expect(await ask(undefined, '203.0.113.9', DESK)).toEqual(DESK.map(() => 200))
})
