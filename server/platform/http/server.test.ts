import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../process/log.ts'
import { createHttp } from './server.ts'

async function open(options: { insecureCookies?: boolean; rateFactor?: number } = {}) {
  const http = await createHttp({
    ...{ log: createLog('silent'), trustProxy: undefined, insecureCookies: true, rateFactor: undefined, ...options },
    ...{ authenticate: async () => undefined, authenticateOperator: async () => undefined, checkReplies: true },
  })
  onTestFinished(() => http.app.close())
  return http
}

/** A connection that has sent this, and times out as Node's check reports it. Returns what it's answered. */
async function timedOut(sent: string): Promise<string> {
  const http = await open()
  const connected = once(http.app.server, 'connection') as Promise<[Socket]>
  const client = connect(await http.listen('127.0.0.1', 0), '127.0.0.1')
  const [socket] = await connected
  if (sent !== '') {
    client.write(sent)
    await expect.poll(() => socket.bytesRead).toBe(sent.length)
  }
  const answer = text(client)
  http.app.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  return answer
}

test('closes a connection that was never used without a reply, which a browser would take for that of its first request', async () => {
  expect(await timedOut('')).toBe('')
})

test('answers a request that never became complete', async () => {
  const answer = await timedOut('GET / HTTP/1.1\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request/)
  expect(answer).toContain("content-security-policy: default-src 'none'")
})

test('sends the security headers with every response, with refusals too', async () => {
  const usual = await open({ insecureCookies: false })
  usual.app.get('/api/anything', async () => 'done')
  const spent = await open({ insecureCookies: false, rateFactor: 0.000_001 })
  const cases = [
    [usual, '/api/anything', 200],
    [usual, '/api/nothing', 404],
    [usual, '/%zz', 400],
    [spent, '/api/nothing', 429],
  ] as const
  for (const [{ app }, url, status] of cases) {
    const { statusCode, headers } = await app.inject(url)
    expect({ url, status: statusCode, headers }).toMatchObject({
      url,
      status,
      headers: {
        'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
      },
    })
  }
})

test('what cannot be read after a request never gets into its response', async () => {
  const http = await open()
  http.app.get('/api/slow', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/csv' })
    reply.raw.write('first line')
  })
  http.app.get('/api/fast', async () => 'done')
  const port = await http.listen('127.0.0.1', 0)
  const answerTo = async (path: string, begins: string) => {
    const client = connect(port, '127.0.0.1')
    let answer = ''
    client.on('data', (bytes) => (answer += String(bytes)))
    const closed = once(client, 'close')
    client.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    await expect.poll(() => answer).toContain(begins)
    client.write('this is no request\r\n\r\n')
    await closed
    return answer
  }
  expect(await answerTo('/api/slow', 'first line')).not.toContain('400 Bad Request')
  expect(await answerTo('/api/fast', 'done')).toContain('HTTP/1.1 400 Bad Request')
})

test('the rejection of an upgrade says that the connection ends', async () => {
  const http = await open()
  const client = connect(await http.listen('127.0.0.1', 0), '127.0.0.1')
  const answer = text(client)
  client.write('DELETE /api/nothing HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n')
  expect(await answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n(.*\r\n)*connection: close\r\n/i)
})
