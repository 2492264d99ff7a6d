import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHART_LIMITS } from '#contract/trading/chart-terms.ts'
import { sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'

let app: WholeApp
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const write = (trader: Trader, body: unknown) => app.send('PATCH', '/api/users/chart', { token: trader.token, body })
const read = async (trader: Trader) => (await app.send('GET', '/api/users/chart', { token: trader.token })).json!.data

const ema = { indicator: 'ema', inputs: [20], colours: ['blue'], pane: false }
const line = (id: string) => ({ id, kind: 'horizontal', colour: 'gold', points: [{ time: 1, price: 70_000.5 }] })
const layout = { name: 'Scalping', interval: '5s', kind: 'heikin', log: true, indicators: [ema] }

test('keeps indicators, layouts and the drawings of each symbol, and nothing of anyone else', async () => {
  const [ada, eve] = [await app.trader(), await app.trader()]
  expect(await read(ada)).toEqual({})
  expect((await write(ada, { indicators: [ema], drawings: { BTCUSDT: [line('a')] } })).status).toBe(200)
  // Two screens draw on different symbols: both stay.
  await Promise.all([
    write(ada, { drawings: { ETHUSDT: [line('b'), line('c')] } }),
    write(ada, { layouts: [layout] }),
    write(ada, { drawings: { BCHBTC: [] } }),
  ])
  expect(await read(ada)).toEqual({
    indicators: [ema],
    layouts: [layout],
    drawings: { BTCUSDT: [line('a')], ETHUSDT: [line('b'), line('c')], BCHBTC: [] },
  })
  await write(ada, { indicators: [], drawings: { BTCUSDT: [] } })
  expect(await read(ada)).toMatchObject({ indicators: [], drawings: { BTCUSDT: [], ETHUSDT: [line('b'), line('c')] } })
  expect(await read(eve)).toEqual({})
})

test('refuses what is no part of a chart, and changes nothing', async () => {
  const trader = await app.trader()
  await write(trader, { indicators: [ema] })
  for (const body of [
    {},
    { indicators: [{ ...ema, inputs: [0] }] },
    { indicators: [{ ...ema, inputs: [20.5] }] },
    { indicators: [{ ...ema, indicator: 'constructor' }] },
    // The tape has no volume.
    { indicators: [{ ...ema, indicator: 'vwma' }] },
    { indicators: [{ ...ema, colours: [] }] },
    { indicators: Array(CHART_LIMITS.indicators + 1).fill(ema) },
    { drawings: { BTCUSDT: [line('a'), line('a')] } },
    { drawings: { BTCUSDT: [{ ...line('a'), kind: 'trend' }] } },
    { drawings: { '__proto__ ': [line('a')] } },
    { drawings: { BTCUSDT: Array.from({ length: CHART_LIMITS.drawings + 1 }, (_, n) => line(`d${n}`)) } },
    { layouts: [layout, layout] },
    { layouts: [{ ...layout, balance: 1 }] },
  ])
    expect((await write(trader, body)).status, JSON.stringify(body).slice(0, 200)).toBe(422)
  expect(await read(trader)).toEqual({ indicators: [ema], drawings: {} })
})

test('a full chart takes no more until something is deleted', async () => {
  const trader = await app.trader()
  const many = Array.from({ length: CHART_LIMITS.drawings }, (_, n) => ({
    id: `d${n}`,
    kind: 'trend',
    colour: 'orange',
    points: [
      { time: 1_798_000_000_000 + n, price: 70_123.456789 },
      { time: 1_798_000_100_000 + n, price: 70_123.456789 },
    ],
  }))
  let symbols = 0
  while ((await write(trader, { drawings: { [`S${symbols}`]: many } })).status === 200) symbols++
  expect(symbols).toBeGreaterThan(3)
  expect(symbols).toBeLessThan(30)
  expect((await write(trader, { drawings: { S0: [] } })).status).toBe(200)
  expect((await write(trader, { drawings: { NEW: many } })).status).toBe(200)
})
