import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servePages } from './pages.ts'
import { addSecurityHeaders } from './security-headers.ts'

const build = mkdtempSync(join(tmpdir(), 'cleartick-pages-'))
const app = fastify()
const LONG = 'word '.repeat(500)
let notice: string | undefined

beforeAll(async () => {
  const files = {
    'client/index.html': '<style>h1 { color: red }</style><h1>WHO</h1><script>let a = "WHO"</script>',
    'client/about-us/index.html': `<body class="a"><h1>About WHO</h1>${LONG}</body>`,
    'client/404/index.html': '<h1>Nothing here</h1>',
    'client/__spa-fallback.html': '<h1>App</h1>',
    'client/assets/app-1234.js': LONG,
    'client/favicon.svg': '<svg/>',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(build, name, '..'), { recursive: true })
    writeFileSync(join(build, name), text)
  }
  writeFileSync(join(build, 'client/assets/app-1234.js.br'), brotliCompressSync(LONG))
  addSecurityHeaders(app, false)
  await servePages(app, build, {
    fill: (html) => html.replaceAll('WHO', 'Northwind'),
    notice: () => notice,
    frames: (address) => (address === '/about-us' ? ['https://charts.example'] : []),
  })
})
afterAll(async () => {
  await app.close()
  rmSync(build, { recursive: true, force: true })
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

test('hashes scripts and styles after filling the page, so that the policy allows exactly those', async () => {
  const page = await get('/')
  expect(page.body).toBe('<style>h1 { color: red }</style><h1>Northwind</h1><script>let a = "Northwind"</script>')
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = page.headers['content-security-policy']
  expect(policy).toContain(`script-src 'self' ${hash('let a = "Northwind"')};`)
  expect(policy).toContain(`style-src 'self' ${hash('h1 { color: red }')};`)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
})

test('sends the security headers with every response, also with errors', async () => {
  for (const path of ['/', '/nowhere', '/favicon.svg', '/api/nothing']) {
    expect((await get(path)).headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'strict-origin-when-cross-origin',
    })
    expect((await get(path)).headers, path).not.toHaveProperty('strict-transport-security')
  }
})

test('allows frames only where they are turned on', async () => {
  const policyOf = async (path: string) => (await get(path)).headers['content-security-policy']
  expect(await policyOf('/about-us')).toContain('frame-src https://charts.example;')
  for (const path of ['/', '/nowhere', '/user/home']) expect(await policyOf(path)).toContain("frame-src 'none';")
})

test('serves pages in the encoding that the browser accepts', async () => {
  const plain = await get('/about-us')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers.vary).toContain('accept-encoding')
  const brotli = await get('/about-us', { 'accept-encoding': 'gzip, deflate, br' })
  expect(brotli.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body)
  expect(brotli.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
  const gzip = await get('/about-us', { 'accept-encoding': 'gzip' })
  expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body)
})

test('answers 304 for an unchanged page', async () => {
  const { headers } = await get('/about-us', { 'accept-encoding': 'br' })
  const again = await get('/about-us', { 'accept-encoding': 'br', 'if-none-match': String(headers.etag) })
  expect(again.statusCode).toBe(304)
  expect(again.body).toBe('')
  const otherwise = await get('/about-us', { 'accept-encoding': 'gzip', 'if-none-match': String(headers.etag) })
  expect(otherwise.statusCode).toBe(200)
})

test("answers unknown URLs with the 404 page, except in the app's areas", async () => {
  for (const path of ['/nowhere', '/404', '/about-us/team', '/__spa-fallback']) {
    const page = await get(path)
    expect([path, page.statusCode, page.body]).toEqual([path, 404, '<h1>Nothing here</h1>'])
  }
  for (const path of [
    '/user/home',
    '/auth',
    '/verify-email?hash=1',
    '/stop-factor-reset?hash=1',
    '/not-my-account?hash=1',
    '/change-email?hash=1',
    '/not-my-change?hash=1',
    '/not-my-sign-in?hash=1',
    '/keep-account?hash=1',
  ]) {
    const page = await get(path)
    expect([path, page.statusCode, page.body]).toEqual([path, 200, '<h1>App</h1>'])
  }
  expect((await get('/about-us/')).statusCode).toBe(200)
})

test('answers unknown URLs below /auth or /user with the app and 404', async () => {
  for (const path of ['/user/no-such', '/auth/no-such', '/user/home/no-such', '/auth/no-such?session=1']) {
    const page = await get(path)
    expect([path, page.statusCode, page.body]).toEqual([path, 404, '<h1>App</h1>'])
  }
  for (const path of ['/user', '/user/', '/user/home/', '/auth/', '/auth/signin', '/user/verify?from=1'])
    expect([path, (await get(path)).statusCode]).toEqual([path, 200])
})

test('serves hashed files precompressed and cached for a year', async () => {
  const file = await get('/assets/app-1234.js', { 'accept-encoding': 'br' })
  expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(file.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(file.rawPayload).toString()).toBe(LONG)
  expect((await get('/assets/app-1234.js')).body).toBe(LONG)
  expect((await get('/favicon.svg')).headers['cache-control']).toBe('public, max-age=3600')
})

test('puts the notice into every page while there is one, as text, under another tag', async () => {
  const before = await get('/about-us')
  notice = `Back at 18:00 <script>alert(1)</script> $& WHO`
  const shown = await get('/about-us', { 'if-none-match': String(before.headers.etag) })
  expect(shown.statusCode).toBe(200)
  expect(shown.body).toContain(
    '<body class="a"><p role="status" data-maintenance>Back at 18:00 &lt;script&gt;alert(1)&lt;/script&gt; $&amp; WHO</p><h1>',
  )
  expect(shown.headers['content-security-policy']).toBe(before.headers['content-security-policy'])
  notice = undefined
  expect((await get('/about-us')).headers.etag).toBe(before.headers.etag)
})
