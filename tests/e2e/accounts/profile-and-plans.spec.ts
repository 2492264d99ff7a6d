import { rootOf, signedIn } from '../support/people.ts'
import { largeImage, photo } from '../support/pictures.ts'
import { errorsOn, expect, expectAccessible, test, typeInto } from '../support/test.ts'

test('editing the profile with an avatar updates the store', async ({ page }) => {
  const { email } = await signedIn(page)
  await page.goto('/user/edit-profile')
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email)
  await expect(page.getByLabel('Email', { exact: true })).not.toBeEditable()
  await expect(page.getByRole('button', { name: 'Copy referral code' })).toBeVisible()
  await typeInto(page, 'Firstname', 'Al')
  await typeInto(page, 'Lastname', '')
  await page.getByRole('button', { name: 'Update Profile' }).click()
  expect(await errorsOn(page)).toEqual([
    'Firstname must be at least 3 characters long',
    'Lastname is required',
    'Gender must not be empty',
    'Country must not be empty',
    'State/Region must not be empty',
    'City must not be empty',
    'Address must not be empty',
  ])
  await expectAccessible(page)

  await typeInto(page, 'Firstname', 'Augusta')
  await typeInto(page, 'Lastname', 'King')
  await expect(page.getByLabel('Gender').getByRole('option')).toHaveText(['Choose', 'Male', 'Female'])
  await page.getByLabel('Gender').selectOption('Female')
  await page.getByLabel('Country').selectOption('France')
  await typeInto(page, 'State/Region', 'Bretagne')
  await typeInto(page, 'City', 'Brest')
  await typeInto(page, 'Address', '1 rue de Siam')
  await page.getByLabel('Avatar').setInputFiles(largeImage(2_097_153))
  await expect(page.getByAltText('Your new avatar')).toBeHidden()
  await page.getByLabel('Avatar').setInputFiles(await photo('me.png'))
  await expect(page.getByAltText('Your new avatar')).toBeVisible()
  await page.getByRole('button', { name: 'Update Profile' }).click()
  await expect(page.getByText('Profile updated successfully!')).toBeVisible()
  await expect(page.getByAltText('Your avatar')).toHaveJSProperty('naturalWidth', 512)
  await expectAccessible(page)
  const before = (await rootOf(page)).state.auth.user_data!
  expect(before).toMatchObject({ firstname: 'Augusta', country: 'France', avatar: expect.stringMatching(/^\/api\/av/) })

  await typeInto(page, 'Phone', '')
  await page.getByRole('button', { name: 'Update Profile' }).click()
  await expect.poll(async () => (await rootOf(page)).state.auth.user_data!.phone).toBe('')
  await page.reload()
  await expect(page.getByLabel('Firstname')).toHaveValue('Augusta')
  await expect(page.getByLabel('Phone')).toHaveValue('')
})

test('a plan above the balance leads to the deposit screen', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/plan')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText([
    'BEGINNER ATS',
    'GOLD ATS',
    'PLATINUM ATS',
    'DIAMOND ATS (VIP)',
  ])
  await expect(page.getByText('14 trades/day')).toBeVisible()
  await page.getByRole('button', { name: 'Request Plan: GOLD' }).click()
  const dialog = page.getByRole('dialog', { name: 'Gold plan' })
  await expect(dialog.getByText('You need $7,600.00 more in your live balance to buy this plan.')).toBeVisible()
  await expect(dialog.getByRole('button', { name: /^Buy/ })).toHaveCount(0)
  await expectAccessible(page)
  await dialog.getByRole('link', { name: 'Deposit fund' }).click()
  await expect(page).toHaveURL('/user/deposit')
})

test('the daily trades of the beginner plan are blank on phones', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  for (const place of ['/user/plan', '/pricing']) {
    await page.goto(place)
    for (const [width, isShown] of [
      [390, false],
      [700, false],
      [769, true],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await expect(page.getByText('5 trades/day')).toBeVisible()
      await expect(page.getByText('1 trade/day')).toBeVisible({ visible: isShown })
    }
  }
})

test('earnings show an empty state', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/earnings')
  await expect(page.getByRole('heading', { name: 'Your Earnings From Trade' })).toBeVisible()
  await expect(page.getByText('You have not Earned Yet')).toBeVisible()
  await expectAccessible(page)
})
