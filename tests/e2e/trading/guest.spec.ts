import { mailTo, newPerson, rootOf } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Locator, typeInto } from '../support/test.ts'
import { balanceShown, isPhone } from '../support/trading.ts'

/** Whether two elements overlap. */
async function covers(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()]
  if (!a || !b) throw new Error('not on the screen')
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

tapeTest(
  'a guest gets from the home page to the first result in two taps, and keeps the account',
  async ({ page, tape }) => {
    await tape.toNextDayWithin(600_000)
    const opened: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/auth/guest')) opened.push(request.url())
    })
    let taps = 0
    await page.exposeFunction('countTap', () => taps++)
    await page.addInitScript(() => {
      addEventListener('click', () => void (globalThis as never as { countTap(): void }).countTap(), { capture: true })
    })
    await page.goto('/')
    await page.getByRole('link', { name: 'Try the demo' }).first().click()
    await expect(page).toHaveURL('/user/home')
    const buy = page.getByRole('button', { name: /^Buy pays/ })
    await expect(buy).toBeEnabled()
    await expect.poll(() => balanceShown(page)).toBe('$10,000.00')
    for (const [hint, title] of [
      'This is the price',
      'Choose a time and an amount',
      'Your trade appears here',
    ].entries()) {
      const card = page.getByRole('region', { name: `Hint ${hint + 1} of 3` })
      await expect(card).toContainText(title)
      await expectAccessible(page)
      expect(await covers(card, buy), 'no hint covers Buy').toBe(false)
      if (hint < 2) await card.getByRole('button', { name: 'Next' }).press('Enter')
    }
    await expectNoSidewaysScroll(page)
    expect(opened, 'looking opens no account').toEqual([])

    // The hints are optional: only the way to the demo counts.
    taps = 1
    await buy.click()
    await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
    expect(opened).toHaveLength(1)
    await tape.advance(62_000)
    await tape.advance(2_000)
    await expect(page.getByRole('tab', { name: 'Closed today 1' })).toBeVisible()
    expect(taps).toBeLessThan(4)
    await expect(page.getByRole('region', { name: /^Hint/ })).toHaveCount(0)
    await page.getByRole('button', { name: 'See the proof' }).click()
    await expect(page.getByRole('dialog').getByText('Prove it')).toBeVisible()
    await page.keyboard.press('Escape')

    // Signing in to another account would lose this one.
    await page.goto('/auth/signin')
    await expect(page.getByRole('status').filter({ hasText: 'leaves your guest demo' })).toBeVisible()
    await expectAccessible(page)

    // What needs an account leads to keeping it, and leaves the guest signed in.
    await page.goto('/user/security')
    await page.getByRole('link', { name: 'Keep this account' }).click()
    await expect(page.getByRole('heading', { name: 'Keep this account' })).toBeVisible()
    await expectAccessible(page)
    const person = newPerson()
    await typeInto(page, 'Firstname', person.firstname)
    await typeInto(page, 'Lastname', person.lastname)
    await typeInto(page, 'Email', person.email)
    await typeInto(page, 'Phone', person.phone)
    await typeInto(page, 'Password', person.password)
    await typeInto(page, 'Confirm password', person.password)
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page).toHaveURL('/user/home')
    await expect(page.getByRole('dialog')).toContainText('Please check your mailbox and confirm your email!')
    await page.getByRole('dialog').getByRole('button', { name: 'Continue', exact: true }).click()
    await expect(page.getByRole('tab', { name: 'Closed today 1' })).toBeVisible()
    expect((await rootOf(page)).state.auth.user_data?.email).toBe(person.email)
    expect((await mailTo(page, person.email, /Confirm/i)).links.length).toBeGreaterThan(0)
  },
)

tapeTest('a guest has the demo only, with Send Link and Trade Live leading to an account', async ({ page }) => {
  await page.goto('/user/home')
  await expect(page, 'without the demo, the area is for signed-in traders').toHaveURL('/auth/signin')
  await page.goto('/user/home?demo')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await page.reload()
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await page.getByRole('button', { name: /open the wallet/ }).click()
  await expect(page.getByRole('button', { name: 'Send Link' })).toHaveCount(0)
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Keep this account' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  if (isPhone(page)) await page.goto('/auth/signup')
  else await page.getByRole('banner').getByRole('button', { name: 'Trade Live' }).click()
  await expect(page.getByRole('heading', { name: 'Keep this account' })).toBeVisible()
  await page.goto('/auth/signin')
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await expect(page.getByText('leaves your guest demo'), 'nothing to lose yet').toHaveCount(0)
  await page.goto('/user/deposit')
  await expect(page).toHaveURL(/\/auth\/signin|\/user\/home/)
})
