import { openQueue, operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, type Locator, test } from '../support/test.ts'

/** Types until the other side sees it: a key press is reported at most every two seconds, and shown for four. */
async function typeUntilSeen(field: Locator, log: Locator): Promise<void> {
  await expect(async () => {
    await field.press('x')
    await expect(log.getByText(/is typing/)).toBeVisible({ timeout: 2_500 })
  }).toPass({ timeout: 60_000 })
}

test('a visitor and an operator chat and see each other typing', async ({ page, browser }) => {
  const desk = await operatorIn(browser, `chat-${Date.now()}@desk.example`, 'support')
  const words = `Is it free? ${Date.now()} <img src=x onerror=alert(1)>`

  await page.goto('/pricing')
  await page.getByRole('link', { name: 'Live Chat' }).click()
  const chat = page.getByRole('dialog', { name: 'Live Chat' })
  const log = chat.getByRole('log')
  await expect(chat.getByText("We're online")).toBeVisible()
  await expectAccessible(page)
  const field = chat.getByLabel('Your message')
  await expect(field).toBeFocused()
  await field.fill(words)
  await page.keyboard.press('Enter')
  await expect(log).toContainText(words)
  await expect(field).toHaveValue('')

  await openQueue(desk, 'chats')
  await desk.getByRole('button').filter({ hasText: words }).click()
  const said = desk.getByRole('log')
  await expect(said).toContainText(words)
  await typeUntilSeen(field, said)
  await typeUntilSeen(desk.getByLabel('Reply'), log)
  await desk.getByLabel('Reply').fill('The demo is free.')
  await desk.keyboard.press('Enter')
  await expect(log).toContainText('The demo is free.')
  await expect(said).toContainText('The demo is free.')
  // An answered chat is no longer marked as waiting, in the list and above the conversation.
  const chats = desk.getByRole('region', { name: 'Chats' })
  await expect(chats.getByRole('button').filter({ hasText: 'The demo is free.' })).toContainText('answered')
  await expect(desk.getByRole('region', { name: 'Selected chat' }).getByText(/^waiting/)).toHaveCount(0)
  await expect(log).toContainText('Support')
  await expect(log).not.toContainText('desk.example')
  await expectAccessible(desk)

  // The panel is there on the next page, with the whole conversation.
  await page.goto('/about-us')
  await expect(chat).toBeVisible()
  await expect(log).toContainText('The demo is free.')
  await expect(field).not.toBeFocused()
  await field.press('Escape')
  await expect(chat).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Live Chat' })).toBeFocused()

  // A badge shows messages that arrive while it's closed, on this page and the next.
  await desk.getByLabel('Reply').fill('Anything else?')
  await desk.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Live Chat, 1 unread' })).toBeVisible()
  await page.goto('/contact-us')
  await page.getByRole('link', { name: 'Live Chat, 1 unread' }).click()
  await expect(log).toContainText('Anything else?')
  await expect(page.locator('[data-unread]')).toHaveCount(0)

  await desk.getByRole('button', { name: /^Close/ }).click()
  await expect(log).toContainText('This conversation is closed')
  await desk.context().close()
})

test('Live Chat opens from the sign-in screen and in the user area, where it knows the trader', async ({ page }) => {
  await page.goto('/auth/signin')
  await page.getByRole('link', { name: 'Live Chat' }).click()
  const chat = page.getByRole('dialog', { name: 'Live Chat' })
  await expect(chat.getByLabel('Your message')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await signedIn(page)
  await page.goto('/user/home')
  await page.getByRole('button', { name: 'Live Chat' }).click()
  const words = `Where is my deposit? ${Date.now()}`
  await chat.getByLabel('Your message').fill(words)
  await chat.getByRole('button', { name: 'Send' }).click()
  await expect(chat.getByRole('log')).toContainText(words)
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('button', { name: 'Live Chat' }).click()
  await expect(chat.getByRole('log')).toContainText(words)
})
