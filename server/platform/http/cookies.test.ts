import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { hostCookies } from './cookies.ts'

async function open(tls: boolean) {
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(cookie)
  const jar = hostCookies(tls)
  const options = { path: '/api/auth' }
  app.get('/read', async (request) => jar.read(request.cookies))
  app.get('/set', async (_request, reply) => jar.set(reply, 'renewal', 'new', { ...options, maxAgeSeconds: 60 }))
  app.get('/clear', async (_request, reply) => jar.clear(reply, 'renewal', options))
  return async (url: string, sent = '') => {
    const { headers, body } = await app.inject({ url, headers: { cookie: sent } })
    return { body, cookies: [headers['set-cookie'] ?? []].flat() }
  }
}
const GONE = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'

test('over TLS, cookies have the prefix that ties them to this host', async () => {
  const get = await open(true)
  expect((await get('/set')).cookies).toEqual([
    '__Host-renewal=new; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict',
  ])
  expect(JSON.parse((await get('/read', '__Host-renewal=new')).body)).toMatchObject({ renewal: 'new' })
})

test('a cookie of a version before is read until its successor replaces it', async () => {
  const get = await open(true)
  expect(JSON.parse((await get('/read', 'renewal=old')).body)).toEqual({ renewal: 'old' })
  expect((await get('/set', 'renewal=old')).cookies).toEqual([
    expect.stringMatching(/^__Host-renewal=new; /),
    expect.stringContaining(`renewal=; Max-Age=0; Path=/api/auth; ${GONE}`),
  ])
  for (const sent of ['renewal=planted; __Host-renewal=new', '__Host-renewal=new; renewal=planted'])
    expect(JSON.parse((await get('/read', sent)).body), 'another host of the domain set one').toMatchObject({
      renewal: 'new',
    })
})

test('clearing removes both names', async () => {
  const get = await open(true)
  expect((await get('/clear')).cookies).toEqual([
    expect.stringContaining(`renewal=; Max-Age=0; Path=/api/auth; ${GONE}`),
    expect.stringContaining(`__Host-renewal=; Max-Age=0; Path=/; ${GONE}`),
  ])
})

test('without TLS, where browsers refuse the prefix, the names are bare', async () => {
  const get = await open(false)
  expect((await get('/set')).cookies).toEqual(['renewal=new; Max-Age=60; Path=/api/auth; HttpOnly; SameSite=Strict'])
  expect(JSON.parse((await get('/read', '__Host-renewal=planted; renewal=own')).body)).toMatchObject({ renewal: 'own' })
  expect((await get('/clear')).cookies).toHaveLength(1)
})
