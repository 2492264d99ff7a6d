import { afterAll, expect, test } from 'vitest'
import type { DeskPublishedStrategy } from '#contract/desk/markets/published-strategies.ts'
import type { Automation } from '#contract/trading/automatic.ts'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import { automationOf } from '#tests/support/automatic-settings.ts'
import { type DeskOperator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'

const { app, risk, admin, auditor, auditOf, stop } = await startDesk()
afterAll(stop)

const published = async (name: string, who: DeskOperator = auditor) =>
  data<DeskPublishedStrategy[]>(await who.ask('GET', `/published-strategies?name=${encodeURIComponent(name)}`))
const withdraw = (id: string, who = risk[0]!) =>
  who.ask('POST', `/published-strategies/${id}/withdraw`, { body: { reason: 'The name insults people.' } })

/** Publishes a strategy of a new trader under this name. */
async function author(name: string) {
  const trader = await app.confirmedTrader()
  const { token } = trader
  const body = { name: 'Mine', duration: 60, symbols: ['BTCUSDT'] }
  const { id, key } = data<OwnStrategy>(await app.send('POST', '/api/strategies/webhook', { token, body }))
  data(await app.send('POST', `/api/strategies/${id}/publish`, { token, body: { name } }))
  return { trader, id, key }
}

test('a risk operator withdraws what a trader has published: followers stop, and the author reads why', async () => {
  const { trader, id, key } = await author('Rude Word')
  const { token } = await app.trader()
  const body = automationOf({ strategy: key, duration: 60, symbols: ['BTCUSDT'] })
  data(await app.send('PUT', '/api/automatic', { token, body }))
  data(await app.send('POST', '/api/automatic/start', { token, body: { mode: 'demo' } }))
  expect(await published('rude')).toEqual([
    expect.objectContaining({ id, name: 'Rude Word', email: trader.email, followers_real: 0, followers_demo: 1 }),
  ])

  expect((await withdraw(id)).status).toBe(200)
  expect(await published('rude')).toEqual([])
  const follower = data<Automation>(await app.send('GET', '/api/automatic?mode=demo', { token }))
  expect(follower).toMatchObject({
    state: 'Stopped',
    stop_reason: 'An operator has withdrawn the strategy that you follow.',
  })
  const mine = data<OwnStrategy[]>(await app.send('GET', '/api/strategies', { token: trader.token }))
  expect(mine).toMatchObject([{ published: { name: 'Rude Word', withdrawn_at: expect.any(String) }, version: 3 }])
  const notices = data<{ title: string; text: string }[]>(
    await app.send('GET', '/api/notices', { token: trader.token }),
  )
  expect(notices[0]).toMatchObject({
    title: 'Your strategy Rude Word is no longer public',
    text: expect.stringContaining('The name insults people.'),
  })
  expect((await auditOf('published-strategies', id))[0]).toMatchObject({
    operator: risk[0]!.email,
    action: 'withdraw',
    before: { name: 'Rude Word' },
    why: 'The name insults people.',
  })
  expect(refusal(await withdraw(id)), 'once').toEqual([404, 'not_found'])
})

test('of an author and operators who withdraw it at once, one does, and no call fails otherwise', async () => {
  const { trader, id } = await author('Raced Name')
  const replies = await Promise.all([
    ...Array.from({ length: 4 }, () => withdraw(id)),
    ...Array.from({ length: 4 }, () => app.send('DELETE', `/api/strategies/${id}/publish`, { token: trader.token })),
  ])
  const statuses = replies.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status !== 200 && status !== 404 && status !== 409)).toEqual([])
})

test('admins and auditors see what is published, and only risk operators withdraw it', async () => {
  const { id } = await author('Quiet Name')
  for (const who of [admin[0]!, auditor]) {
    expect(await published('QUIET', who)).toHaveLength(1)
    expect(refusal(await withdraw(id, who))).toEqual([403, 'forbidden'])
  }
  expect(await published('%'), 'a name is no pattern').toEqual([])
})
