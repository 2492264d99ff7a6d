import { afterAll, expect, test } from 'vitest'
import type { DeskInboxItem } from '#contract/desk/inbox.ts'
import { operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'

const { app, items, admin, finance, risk, asSuper, stop } = await startDesk()
afterAll(stop)

const inbox = async (who = finance[0]!, query = '') => data<DeskInboxItem[]>(await who.ask('GET', `/inbox${query}`))
const ids = (list: readonly DeskInboxItem[]) => list.map(({ id }) => id)

test('lists pending work of all queues by due time, of those that the operator sees', async () => {
  const withdrawal = await items.withdrawals(300)
  const deposit = await items.deposits(50)
  const check = await items['identity-checks']()
  const complaint = await items.complaints()
  const chat = await items.chats()
  const listed = await inbox()
  expect(listed.map(({ queue, id }) => [queue, id])).toEqual(
    expect.arrayContaining([
      ['deposits', deposit.id],
      ['withdrawals', withdrawal.id],
      ['complaints', complaint.id],
    ]),
  )
  expect(ids(listed), 'another role decides these').not.toEqual(expect.arrayContaining([check.id, chat.id]))
  expect(listed.map(({ due_at }) => due_at)).toEqual(listed.map(({ due_at }) => due_at).sort())
  expect(listed.find(({ id }) => id === withdrawal.id)).toMatchObject({
    ...{ amount: 300, email: withdrawal.trader.email, second: false, overdue: false, claimed_by: null },
    what: expect.stringMatching(/^to BTC 1\w+…\w{4}$/),
  })
  const all = await operator(app, ['support', 'compliance', 'finance', 'risk', 'admin'])
  const [first] = await inbox(all)
  expect(first, 'a chat is due within an hour').toMatchObject({ queue: 'chats' })
})

test('selects a queue, what the operator has claimed, what a second person completes, and what is overdue', async () => {
  const { id } = await items.withdrawals(40)
  const large = await items.deposits(5_000)
  data(await finance[0]!.ask('POST', `/deposits/${large.id}/approve`, { body: { amount: 5_000 } }))
  data(await finance[0]!.ask('POST', `/withdrawals/${id}/claim`))
  expect(new Set((await inbox(finance[0], '?queue=withdrawals')).map(({ queue }) => queue))).toEqual(
    new Set(['withdrawals']),
  )
  expect(await inbox(finance[0], '?only=mine')).toMatchObject([{ id, claimed_by: { mine: true } }])
  expect(await inbox(finance[1], '?only=mine')).toEqual([])
  expect((await inbox(finance[1])).find((item) => item.id === id)?.claimed_by).toMatchObject({ mine: false })
  expect(await inbox(finance[1], '?only=second')).toMatchObject([{ id: large.id, second: true }])
  expect(await inbox(finance[0], '?only=overdue')).toEqual([])
  await asSuper(
    `set session_replication_role = 'replica'`,
    `update complaints set filed_at = filed_at - interval '8 days' where closed_at is null`,
  )
  const overdue = await inbox(risk[0], '?only=overdue')
  expect(overdue.length).toBeGreaterThan(0)
  expect(overdue.every((item) => item.overdue && item.queue === 'complaints')).toBe(true)
  expect(await inbox(risk[0], '?queue=withdrawals'), 'a queue of another role').toEqual([])
  expect(refusal(await risk[0]!.ask('GET', '/inbox?only=all'))).toEqual([422, 'validation_failed'])
  expect((await finance[0]!.ask('GET', '/inbox?format=csv')).text).toMatch(/^queue,id,due_at \(UTC\),overdue,/)
})

test('lists invitations for the second admin, and for no one who may not see operators', async () => {
  const invitation = { email: 'new@desk.example', roles: ['support'] }
  const { id } = data<{ id: string }>(await admin[0]!.ask('POST', '/operators', { body: invitation }))
  const waiting = (list: readonly DeskInboxItem[]) => list.filter(({ queue }) => queue === 'operator-changes')
  expect(waiting(await inbox(admin[1], '?only=second'))).toMatchObject([{ id, second: true, email: null }])
  expect(waiting(await inbox(finance[0]))).toEqual([])
})
