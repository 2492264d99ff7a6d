import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'

interface Checkout {
  fields: URLSearchParams
  idempotencyKey: string | undefined
  authorization: string | undefined
}

/** A fake Stripe: checkout sessions, and events signed as Stripe signs them. */
export async function fakeStripe() {
  const checkouts: Checkout[] = []
  let down = false
  const statuses = new Map<string, 'open' | 'complete' | 'expired'>()
  const named = new Map<string, string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (down) {
        response.statusCode = 500
        return response.end('{"error":{"message":"down"}}')
      }
      const [, id, verb] = /^\/v1\/checkout\/sessions\/(\w+)(?:\/(expire))?$/.exec(request.url ?? '') ?? []
      const session = (name: string) =>
        JSON.stringify({
          id: name,
          object: 'checkout.session',
          status: statuses.get(name) ?? 'open',
          url: 'https://pay.example/cs',
        })
      if (id !== undefined) {
        if (verb === 'expire') {
          if ((statuses.get(id) ?? 'open') !== 'open') {
            response.statusCode = 400
            return response.end('{"error":{"type":"invalid_request_error","message":"not open"}}')
          }
          statuses.set(id, 'expired')
        }
        return response.end(session(id))
      }
      const idempotencyKey = request.headers['idempotency-key'] as string | undefined
      checkouts.push({
        fields: new URLSearchParams(Buffer.concat(chunks).toString()),
        idempotencyKey,
        authorization: request.headers.authorization,
      })
      const name = (idempotencyKey && named.get(idempotencyKey)) || `cs_${checkouts.length}`
      if (idempotencyKey) named.set(idempotencyKey, name)
      response.end(session(name))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const secret = 'whsec_test_of_the_webhook'
  let events = 0
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    checkouts,
    statuses,
    goDown(isDown: boolean) {
      down = isDown
    },
    /** Returns an event as it would arrive: its body and the signature header. */
    event(type: string, object: object, more: { id?: string; secret?: string; at?: number } = {}) {
      const payload = JSON.stringify({
        id: more.id ?? `evt_${++events}`,
        object: 'event',
        type,
        data: { object },
      })
      const header = new Stripe('sk_test_unused').webhooks.generateTestHeaderString({
        payload,
        secret: more.secret ?? secret,
        ...(more.at === undefined ? {} : { timestamp: more.at }),
      })
      return { payload, header }
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
