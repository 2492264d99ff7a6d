import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedApp, type WholeApp } from '#tests/support/servers/app.ts'

let app: WholeApp
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

/** Sends a request with any Host header, which `fetch` doesn't allow: a DNS rebinding attack sends another host. */
const ask = (path: string, host: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ port: app.port, host: '127.0.0.1', path, headers: { ...headers, host } }, (reply) => {
      let text = ''
      reply.on('data', (part: Buffer) => {
        text += part
      })
      reply.on('end', () => resolve({ status: reply.statusCode!, text }))
    })
    sent.on('error', reject)
    sent.end()
  })

test("the mailbox responds only to this machine's host names", async () => {
  const { email } = await app.register()
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    const own = await ask(`/mailbox.json?to=${email}`, `${name}:${app.port}`)
    expect([own.status, own.text.includes('/verify-email?hash=')], name).toEqual([200, true])
  }
  for (const path of [`/mailbox.json?to=${email}`, '/mailbox', '/mailbox.css']) {
    for (const host of ['rebound.example', `rebound.example:${app.port}`, 'localhost', `127.0.0.1:${app.port + 1}`]) {
      const other = await ask(path, host)
      expect([other.status, other.text.includes(email)], `${path} as ${host}`).toEqual([404, false])
    }
    const proxied = await ask(path, `localhost:${app.port}`, { 'x-forwarded-for': '127.0.0.1' })
    expect([proxied.status, proxied.text.includes(email)], `${path} through a proxy`).toEqual([404, false])
  }
})
