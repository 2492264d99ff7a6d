import { afterAll, beforeAll, expect, test } from 'vitest'
import { FAVOURITES_MAX } from '#contract/terms.ts'
import { sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'

let app: WholeApp
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const write = (trader: Trader, body: unknown) => app.send('PATCH', '/api/users/screen', { token: trader.token, body })
const read = async (trader: Trader) => (await app.send('GET', '/api/users/screen', { token: trader.token })).json!.data

test('keeps what a trader chose on the trading screen, and nothing of anyone else', async () => {
  const [ada, eve] = [await app.trader(), await app.trader()]
  expect(await read(ada)).toEqual({})
  const order = { symbol: 'ETHUSDT', duration: 300, strike_rate: 'best', amount: 250.25 }
  expect((await write(ada, order)).json!.data).toEqual(order)
  // What is omitted stays.
  expect((await write(ada, { duration: 60, favourites: ['BTCUSDT', 'DOGEBTC'] })).json!.data).toEqual({
    ...order,
    duration: 60,
    favourites: ['BTCUSDT', 'DOGEBTC'],
  })
  await write(ada, { favourites: [] })
  expect(await read(ada)).toEqual({ ...order, duration: 60, favourites: [] })
  const presets = [{ symbol: 'BTCUSDT', duration: 300, strike_rate: '11/13', amount: 25.5 }]
  await write(ada, { presets })
  expect(await read(ada)).toEqual({ ...order, duration: 60, favourites: [], presets })
  expect(await read(eve)).toEqual({})
})

test('keeps a time zone that is one, until the browser’s is chosen again', async () => {
  const trader = await app.trader()
  await write(trader, { time_zone: 'Asia/Kolkata' })
  for (const wrong of ['Mars/Base', '+05:30', "Europe/Paris'", 5, null])
    expect((await write(trader, { time_zone: wrong })).status, String(wrong)).toBe(422)
  await write(trader, { symbol: 'BTCUSDT' })
  expect(await read(trader)).toEqual({ symbol: 'BTCUSDT', time_zone: 'Asia/Kolkata' })
  await write(trader, { time_zone: '' })
  expect(await read(trader)).toEqual({ symbol: 'BTCUSDT' })
})

test('sign-in returns the mode that was chosen last, on any device; none until there is one', async () => {
  const trader = await app.trader()
  const signIn = async () =>
    (await app.send('POST', '/api/auth/login', { body: { email: trader.email, password: trader.password } })).json!
  expect(await signIn()).not.toHaveProperty('mode')
  await write(trader, { mode: 'demo' })
  expect(await signIn()).toMatchObject({ status: true, mode: 'demo' })
  await write(trader, { mode: 'real' })
  expect(await signIn()).toMatchObject({ status: true, mode: 'real' })
})

test('a refused choice changes nothing, and the lists are bounded', async () => {
  const trader = await app.trader()
  await write(trader, { symbol: 'BTCUSDT' })
  const many = Array.from({ length: FAVOURITES_MAX + 1 }, (_, n) => `S${n}`)
  for (const body of [
    { symbol: 'ETHUSDT', favourites: many },
    { symbol: 'ETHUSDT', recents: many.slice(0, 9) },
    { symbol: 'ETHUSDT', presets: Array(7).fill({ symbol: 'BTCUSDT', duration: 60, strike_rate: 'best', amount: 5 }) },
    { symbol: 'ETHUSDT', presets: [{ symbol: 'BTCUSDT', duration: 61, strike_rate: 'best', amount: 5 }] },
    { symbol: 'ETHUSDT', amount: 0.99 },
    { symbol: 'ETHUSDT', amount: 1e30 },
    { symbol: 'ETHUSDT', user_id: '1' },
    { symbol: '<b>' },
  ])
    expect((await write(trader, body)).status, JSON.stringify(body)).toBe(422)
  expect(await read(trader)).toEqual({ symbol: 'BTCUSDT' })
  expect((await write(trader, { favourites: many.slice(1), amount: 9_999_999.99 })).status).toBe(200)
})
