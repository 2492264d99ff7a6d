import { expect, vi } from 'vitest'
import type { Instrument } from '#contract/prices/prices.ts'
import { type Ask, type Case, withBody, withQuery } from '#tests/support/calls.ts'
import { type DeskOperator, deskItems, operator, type Waiting } from '#tests/support/people/desk.ts'
import { ORDER, startWholeApp, type WholeApp } from '#tests/support/servers/app.ts'

export type Office = Awaited<ReturnType<typeof startOffice>>

export const noSuch = (id: string): Case['refused'][number] => [
  'what is not there',
  (good) => ({ ...good, params: { id } }),
  404,
  'not_found',
]
export const noReason: Case['refused'][number] = ['no reason', withBody({ reason: ' ' }), 422, 'validation_failed']
export const reasons = { body: { reason: 'r' } }

/** Starts the whole server with a trader and two operators, and returns what the requests of the desk's tests need. */
export async function startOffice() {
  // Exchanges that don't answer: prices are simulated, and there are venues to switch on and off.
  const nobody = ['binance', 'kraken', 'coinbase', 'bitstamp'].map((id) => `${id}=http://127.0.0.1:9`)
  const app = await startWholeApp({ FEED: 'auto', VENUE_ADDRESSES: nobody.join(',') })
  const items = deskItems(app)
  const trader = await app.trader()
  const everything = ['support', 'compliance', 'finance', 'risk', 'admin', 'auditor'] as const
  /** Has every role. Actions that take two operators also use `other`. */
  const boss = await operator(app, [...everything])
  const other = await operator(app, [...everything])
  // Prices are simulated once no exchange has answered.
  await vi.waitUntil(async () => (await statusOf(app, ORDER.symbol)) === 'open', { timeout: 60_000 })
  await app.submit(trader)

  const mine = async (more: Ask = {}): Promise<Ask> => ({ token: boss.token, ...more })
  const on =
    (make: () => Promise<Waiting>, more: Ask = {}) =>
    async () =>
      mine({ params: { id: (await make()).id }, ...more })
  const data = async (asked: ReturnType<DeskOperator['ask']>): Promise<{ id: string }> => {
    const { status, text, json } = await asked
    if (status !== 200) throw new Error(text)
    return json!.data as { id: string }
  }
  const list = (more: Ask = {}): Case => ({
    good: () => mine({ query: { limit: '2', ...more.query } }),
    refused: [
      ['no rows', withQuery({ limit: '0' }), 422, 'validation_failed'],
      ['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed'],
      ['a file of another kind', withQuery({ format: 'pdf' }), 422, 'validation_failed'],
    ],
  })
  const withStatus = (): Case => {
    const { good, refused } = list()
    return {
      good,
      refused: [...refused, ['a state that is none', withQuery({ status: 'Odd' }), 422, 'validation_failed']],
    }
  }
  const claimed = async (queue: string, make: () => Promise<Waiting>) => {
    const { id } = await make()
    await data(boss.ask('POST', `/${queue}/${id}/claim`))
    return mine({ params: { id } })
  }

  async function stop(): Promise<void> {
    const broken = await app.broken()
    await app.stop()
    expect(broken, 'the money and the records add up after all of it').toEqual([])
  }

  return { app, items, trader, boss, other, mine, on, data, list, withStatus, claimed, stop }
}

async function statusOf(app: WholeApp, symbol: string): Promise<Instrument['status'] | undefined> {
  const { json } = await app.send('GET', '/api/prices/instruments')
  return (json!.data as Instrument[]).find((instrument) => instrument.symbol === symbol)?.status
}
