import { signedIn } from './support/people.ts'
import { expect, expectAccessible, test } from './support/test.ts'

test('the menu of a phone opens, names its places, and closes with Escape', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/edit-profile')
  const opener = page.getByRole('button', { name: 'Open the menu' })
  await opener.click()
  const menu = page.getByRole('dialog', { name: 'Menu' })
  for (const name of ['Quick trading', 'Trade history', 'Deposit fund', 'Withdraw history', 'KYC verification'])
    await expect(menu.getByRole('link', { name })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(opener).toBeFocused()
  const bottom = page.getByRole('navigation', { name: 'Quick places' })
  await expect(bottom.getByRole('link')).toHaveText([
    'Quick Trading',
    'Profits',
    'Deposit',
    'Withdraw',
    'Trading Plans',
  ])
})
