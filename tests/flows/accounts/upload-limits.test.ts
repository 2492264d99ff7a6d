import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { photo } from '#tests/support/pictures.ts'
import { type Reply, startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'

let app: WholeApp
let picture: Buffer
beforeAll(async () => {
  app = await startWholeApp({ RATE_LIMITS: 'on' })
  picture = await photo()
})
afterAll(() => app.stop())

function upload(trader: Trader, path: string, file: string, fields: Record<string, string>, key?: string) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set(file, new Blob([new Uint8Array(picture), randomBytes(8)], { type: 'image/jpeg' }), 'a.jpg')
  return app.send('POST', path, {
    token: trader.token,
    body: form,
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  })
}
const deposit = (trader: Trader, key?: string) => upload(trader, '/api/deposit', 'receipt', { usd_amount: '10' }, key)
const submit = (trader: Trader) =>
  upload(trader, '/api/profile/user-verification', 'id_file', { method: 'national_id' })
const show = (trader: Trader) => upload(trader, '/api/users/update', 'avatar', { city: 'London' })

/** Repeats a call until it's rejected. Returns how often it succeeded, and the rejection. */
async function untilRefused(work: () => Promise<Reply>): Promise<{ count: number; refusal: Reply }> {
  for (let count = 0; ; count++) {
    const refusal = await work()
    if (refusal.status !== 200) return { count, refusal }
    if (count > 200) throw new Error('no call was rejected')
  }
}
const later = {
  code: 'too_many_requests',
  message: expect.stringMatching(/Try again in (an hour|\d\d minutes)\.$/),
}

test('allows thirty deposits an hour, then reports the wait, without affecting others', async () => {
  const [trader, other] = [await app.trader(), await app.trader()]
  for (const one of [trader, other]) await app.verify(one)
  const { count, refusal } = await untilRefused(() => deposit(trader))
  expect(count).toBe(30)
  expect(refusal).toMatchObject({ status: 429, json: later })
  expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(60)
  const rows = await app.db.selectFrom('deposits').select('id').where('user_id', '=', BigInt(trader.id)).execute()
  expect(rows).toHaveLength(30)
  expect((await deposit(other)).status).toBe(200)
})

test('replays a repeated key without counting it', async () => {
  const trader = await app.trader()
  await app.verify(trader)
  const key = randomBytes(8).toString('hex')
  const first = await deposit(trader, key)
  expect(first.status).toBe(200)
  const { count } = await untilRefused(() => deposit(trader))
  expect(count).toBe(29)
})

test('allows thirty avatars an hour, and still saves a profile without one', async () => {
  const trader = await app.trader()
  const { count, refusal } = await untilRefused(() => show(trader))
  expect(count).toBe(30)
  expect(refusal).toMatchObject({ status: 429, json: later })
  const form = new FormData()
  form.set('city', 'Paris')
  expect((await app.send('POST', '/api/users/update', { token: trader.token, body: form })).status).toBe(200)
})

test('allows twenty ID uploads an hour', async () => {
  const trader = await app.trader()
  const { count, refusal } = await untilRefused(async () => {
    const reply = await submit(trader)
    await app.db
      .updateTable('identity_checks')
      .set({ status: 'Rejected', reason: 'Not sharp.', decided_at: new Date() })
      .where('user_id', '=', BigInt(trader.id))
      .where('status', '=', 'Pending')
      .execute()
    return reply
  })
  expect(count).toBe(20)
  expect(refusal).toMatchObject({ status: 429, json: later })
})
