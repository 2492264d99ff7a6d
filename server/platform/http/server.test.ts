import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log.ts'
import { createHttp } from './server.ts'

/** A connection that has sent this, and times out as Node's check reports it. Returns what it's answered. */
async function timedOut(sent: string): Promise<string> {
  const http = await createHttp({
    ...{ log: createLog('silent'), trustProxy: undefined, insecureCookies: true, rateFactor: undefined },
    ...{ authenticate: async () => undefined, authenticateOperator: async () => undefined, checkReplies: true },
  })
  onTestFinished(() => http.app.close())
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
  expect(await timedOut('GET / HTTP/1.1\r\n')).toMatch(/^HTTP\/1.1 400 Bad Request/)
})
