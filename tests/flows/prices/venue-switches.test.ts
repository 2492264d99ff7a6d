import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeskFeeds } from '#contract/desk/markets/feeds.ts'
import { sql } from '#server/platform/database/db.ts'
import { type QuotingExchanges, startExchanges } from '#tests/support/exchanges/quoting.ts'
import { type DeskOperator, operator } from '#tests/support/people/desk.ts'
import { startWholeApp, type WholeApp } from '#tests/support/servers/app.ts'

let exchanges: QuotingExchanges
let app: WholeApp
let ann: DeskOperator
let bob: DeskOperator

beforeAll(async () => {
  exchanges = await startExchanges({ 'BTC/USDT': 61_837.63 })
  const { VENUE_ADDRESSES } = exchanges
  app = await startWholeApp({ FEED: 'live:binance,kraken,coinbase,bitstamp', VENUE_ADDRESSES })
  ann = await operator(app, ['risk'])
  bob = await operator(app, ['risk', 'auditor'])
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  await exchanges.stop()
  expect(broken).toEqual([])
})

async function bitcoin(): Promise<{ status: string; sources?: number }> {
  const { json } = await app.send('GET', '/api/prices/instruments?symbols=BTCUSDT')
  return (json!.data as [{ status: string; sources?: number }])[0]
}
const sources = async () => (await bitcoin()).sources
const feeds = async () => (await ann.ask('GET', '/feeds')).json!.data as DeskFeeds
const venue = async (id: string) => (await feeds()).venues.find((one) => one.venue === id)!
const inQueue = async () => (await ann.ask('GET', '/venue-switches?status=Pending')).json!.data
const decide = (who: DeskOperator, id: string, decision: 'approve' | 'reject') =>
  who.ask(
    'POST',
    `/venue-switches/${id}/${decision}`,
    decision === 'reject' ? { body: { reason: 'It is right.' } } : {},
  )
const put = (who: DeskOperator, id: string, out: boolean) =>
  who.ask('POST', `/feeds/venues/${id}`, { body: { out, reason: 'It reports old prices.' } })

test('one risk operator takes an exchange out and puts it back, immediately and audited', async () => {
  await expect.poll(sources).toBe(4)
  expect(await venue('kraken')).toMatchObject({ name: 'Kraken', condition: 'good', symbols_lost: 0 })
  expect((await put(ann, 'kraken', true)).json).toMatchObject({ message: 'Kraken is out.' })
  await expect.poll(sources).toBe(3)
  expect((await venue('kraken')).condition).toBe('out')
  expect(await put(bob, 'kraken', true)).toMatchObject({ status: 409, json: { code: 'wrong_state' } })
  expect((await put(ann, 'kraken', false)).json).toMatchObject({ message: 'Kraken is in use again.' })
  await expect.poll(sources).toBe(4)
  expect((await put(ann, 'kraken', false)).status).toBe(409)
  const { json } = await bob.ask('GET', '/audit?item_kind=venues&item_id=kraken')
  expect((json!.data as { action: string }[]).map(({ action }) => action)).toEqual(['put-back', 'take-out'])
})

test('an exchange that symbols cannot do without takes two operators', async () => {
  await put(ann, 'kraken', true)
  await put(ann, 'binance', true)
  await expect.poll(sources).toBe(2)
  expect((await venue('coinbase')).symbols_lost).toBe(1)
  expect((await put(ann, 'coinbase', true)).json).toMatchObject({
    message: 'Proposed. 1 symbol would have no price, so another risk operator must approve it.',
  })
  expect(await put(ann, 'coinbase', true)).toMatchObject({ status: 409 })
  expect(await put(bob, 'coinbase', true), 'decided in the queue only').toMatchObject({ status: 409 })
  expect(await sources()).toBe(2)
  const { id, reason } = (await venue('coinbase')).pending!
  expect(reason).toBe('It reports old prices.')
  expect(await inQueue()).toMatchObject([{ id, name: 'Take coinbase out', symbols_lost: 1, status: 'Pending' }])
  expect(await decide(ann, id, 'approve')).toMatchObject({ status: 409, json: { code: 'second_person_required' } })
  expect(await sources()).toBe(2)
  expect(await decide(bob, id, 'approve')).toMatchObject({ status: 200 })
  expect(await decide(bob, id, 'reject')).toMatchObject({ status: 409, json: { code: 'wrong_state' } })
  await expect.poll(async () => (await bitcoin()).sources).toBeUndefined()
  // Without enough exchanges there is no price, and no new trades.
  await expect.poll(async () => (await bitcoin()).status).toBe('stale')
  const { json } = await bob.ask('GET', `/audit?item_kind=venue-switches&item_id=${id}`)
  expect((json!.data as { action: string }[]).map(({ action }) => action)).toEqual(['approve', 'propose'])

  for (const id of ['kraken', 'binance', 'coinbase']) await put(ann, id, false)
  await expect.poll(bitcoin).toMatchObject({ status: 'open', sources: 4 })
})

test('a proposal is withdrawn by its operator, and rejected by another', async () => {
  await put(ann, 'kraken', true)
  await put(ann, 'binance', true)
  await expect.poll(sources).toBe(2)
  await put(ann, 'bitstamp', true)
  const { id } = (await venue('bitstamp')).pending!
  expect((await put(bob, 'bitstamp', false)).status, 'it is not hers').toBe(409)
  expect((await put(ann, 'bitstamp', false)).json).toMatchObject({ message: 'Withdrawn. Bitstamp stays in use.' })
  expect((await venue('bitstamp')).pending).toBeUndefined()
  expect(await decide(bob, id, 'approve'), 'too late').toMatchObject({ status: 409 })
  expect(await sources()).toBe(2)

  await put(bob, 'bitstamp', true)
  const again = (await venue('bitstamp')).pending!.id
  expect(await decide(ann, again, 'reject')).toMatchObject({ status: 200, json: { data: { status: 'Rejected' } } })
  expect((await venue('bitstamp')).pending).toBeUndefined()
  expect(await sources()).toBe(2)
  for (const venueId of ['kraken', 'binance']) await put(ann, venueId, false)
})

test('an operator who takes out three exchanges at the same time needs a second operator for the third', async () => {
  await expect.poll(sources).toBe(4)
  const replies = await Promise.all(['binance', 'kraken', 'coinbase'].map((id) => put(ann, id, true)))
  const messages = replies.map(({ json }) => String(json!.message))
  expect(messages.filter((message) => message.startsWith('Proposed.'))).toHaveLength(1)
  expect(messages.filter((message) => message.endsWith('is out.'))).toHaveLength(2)
  for (const id of ['binance', 'kraken', 'coinbase']) await put(ann, id, false)
  await expect.poll(sources).toBe(4)
})

test('the database rejects a switch without an approval, and a change of one', async () => {
  await expect(sql`insert into venue_switches (venue, is_out) values ('kraken', true)`.execute(app.db)).rejects.toThrow(
    /not approved by two/,
  )
  for (const statement of ['update venue_switches set is_out = false', 'delete from venue_switches'])
    await expect(sql.raw(statement).execute(app.db), statement).rejects.toThrow(/permission denied/)
})

test('an exchange whose prices open real trades use is switched by two, once the trades that end soon have ended', async () => {
  await expect.poll(sources).toBe(4)
  const trader = await app.trader()
  await app.fund(trader, 100)
  const trade = await app.submit(trader, { symbol: 'BTCUSDT', mode: 'real', amount: 10, duration: 60 })
  expect((await put(ann, 'kraken', true)).json).toMatchObject({
    message: 'Proposed. 1 open real trade uses its prices, so another risk operator must approve it.',
  })
  const { id } = (await venue('kraken')).pending!
  expect(await inQueue()).toMatchObject([{ id, symbols_lost: null, open_trades: 1 }])
  expect(await decide(ann, id, 'approve')).toMatchObject({ status: 409, json: { code: 'second_person_required' } })
  const approved = await decide(bob, id, 'approve')
  expect(approved).toMatchObject({ status: 200, json: { data: { status: 'Approved' } } })
  const countsFrom = Date.parse((approved.json!.data as { counts_from: string }).counts_from)
  expect(countsFrom).toBe(Date.parse(trade.end_time) + 3_001)
  expect(await sources(), 'not before they have ended').toBe(4)
  expect(await put(bob, 'kraken', true), 'it is on its way').toMatchObject({ status: 409 })
  expect((await put(ann, 'kraken', false)).json, 'putting it back takes two as well').toMatchObject({
    message: expect.stringMatching(/^Proposed. 1 open real trade uses/),
  })
  expect((await put(ann, 'kraken', true)).json).toMatchObject({ message: 'Withdrawn. Kraken stays out.' })
})
