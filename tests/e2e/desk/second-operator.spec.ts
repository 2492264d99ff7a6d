import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { DeskOverview } from '#contract/desk/overview.ts'
import { openQueue, operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

const EVERY_ROLE = 'support,compliance,finance,risk,admin,auditor'

const name = () => `${randomUUID().slice(0, 13)}@desk.example`

/** Has the desk know only the people that `keeps` chooses. */
async function withPeople(desk: Page, keeps: (person: DeskOverview['people'][number]) => boolean): Promise<void> {
  await desk.route('**/api/desk/overview', async (route) => {
    const answer = (await (await route.fetch()).json()) as { data: DeskOverview }
    answer.data.people = answer.data.people.filter(keeps)
    return route.fulfill({ json: answer })
  })
}

/** Returns the operator who is signed in on this page, and what makes calls of the desk as them. */
async function signedInOn(desk: Page) {
  const stored = await desk.evaluate(() => sessionStorage.getItem('desk'))
  const { operator, tokens } = (
    JSON.parse(stored!) as { state: { operator: { id: string }; tokens: { access: { token: string } } } }
  ).state
  const ask = async (method: 'GET' | 'POST', path: string, data?: object) => {
    const headers = { authorization: `Bearer ${tokens.access.token}`, 'idempotency-key': randomUUID() }
    const reply = await desk.request.fetch(`/api/desk${path}`, { method, headers, ...(data ? { data } : {}) })
    expect(reply.ok(), await reply.text()).toBe(true)
    return ((await reply.json()) as { data: { id: string }[] }).data
  }
  return { id: operator.id, ask }
}

test('a proposal says that there is no second operator, and offers the invitation', async ({ page, browser }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  const desk = await operatorIn(browser, name(), EVERY_ROLE)
  const { id, ask } = await signedInOn(desk)
  const isMe = ({ operators }: { operators: string[] }) => operators.includes(id)
  await withPeople(desk, isMe)
  const [user] = await ask('GET', `/users?q=${encodeURIComponent(email)}`)
  await ask('POST', `/users/${user!.id}/adjustments`, { book: 'real', amount: 5, reason: 'A fee that is ours.' })
  await openQueue(desk, 'adjustments')
  await desk.getByRole('region', { name: 'Adjustments' }).getByRole('button', { name: email }).click()
  const item = desk.getByRole('region', { name: 'Selected adjustment' })
  const lacks = (role: string) => `Needs a second operator: no other person has the ${role} role.`
  await expect(item.getByText(lacks('finance'))).toBeVisible()
  // Inviting at the desk would take a second admin.
  await expect(item.getByText('Invite one from the host: npm run desk -- invite EMAIL finance')).toBeVisible()
  await expect(item.getByRole('link', { name: 'Invite an operator' })).toHaveCount(0)
  for (const width of [390, 1366]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    await expectAccessible(desk)
  }

  await desk.unrouteAll({ behavior: 'wait' })
  await withPeople(desk, (person) => isMe(person) || (person.roles.length === 1 && person.roles[0] === 'admin'))
  const admin = await operatorIn(browser, name(), 'admin')
  await desk.reload()
  await expect(item.getByRole('link', { name: 'Invite an operator' })).toBeVisible()

  await desk.unrouteAll({ behavior: 'wait' })
  const second = await operatorIn(browser, name(), 'finance')
  await desk.reload()
  await expect(item.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()
  await expect(item.getByText(lacks('finance'))).toHaveCount(0)
  for (const one of [desk, admin, second]) await one.context().close()
})

test('a change of operators says so on its card', async ({ browser }) => {
  const desk = await operatorIn(browser, name(), 'admin')
  const invited = name()
  const { ask } = await signedInOn(desk)
  await ask('POST', '/operators', { email: invited, roles: ['risk'] })
  await withPeople(desk, () => false)
  await desk.goto('/desk/operators')
  const card = desk
    .locator('section')
    .filter({ has: desk.getByRole('heading', { name: `Invite ${invited}` }) })
    .last()
  await expect(card.getByText('Needs a second operator: no other person has the admin role.')).toBeVisible()
  await desk.unrouteAll({ behavior: 'wait' })
  await desk.context().close()
})
