import { randomUUID } from 'node:crypto'
import { operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { expect, type Page, test } from '../support/test.ts'

/** Has the server refuse a field that the form's own rules accept. */
const refuse = (page: Page, path: string, field: string): Promise<unknown> =>
  page.route(path, (route) =>
    route.request().method() === 'GET' && !path.includes('reset-password')
      ? route.continue()
      : route.fulfill({
          status: 422,
          json: {
            status: false,
            code: 'validation_failed',
            message: 'Check what you entered.',
            errors: [{ field, message: 'is refused by the server' }],
          },
        }),
  )

test('a field that the server refuses is marked, focused, and free again once it changes', async ({
  page,
  trouble,
}) => {
  trouble.expect('answered 422')
  await signedIn(page, { mode: 'real' })
  await refuse(page, '**/api/users', 'city')
  await page.goto('/user/edit-profile')
  await page.getByLabel('Gender').selectOption('Female')
  await page.getByLabel('Country').selectOption('France')
  for (const label of ['State', 'City', 'Address']) await page.getByLabel(label).fill('Paris')
  await page.getByRole('button', { name: 'Update Profile' }).click()
  const city = page.getByLabel('City')
  await expect(page.getByText('City is refused by the server')).toBeVisible()
  await expect(city).toBeFocused()
  await expect(city).toHaveAttribute('aria-invalid', 'true')
  await city.fill('Lyon')
  await expect(city).toHaveAttribute('aria-invalid', 'false')
})

test('on a phone, a refusal above the fold scrolls into view', async ({ page, trouble }) => {
  trouble.expect('answered 409')
  await page.setViewportSize({ width: 390, height: 700 })
  await signedIn(page, { mode: 'real' })
  await page.route('**/api/users', (route) =>
    route.request().method() === 'GET'
      ? route.continue()
      : route.fulfill({ status: 409, json: { status: false, code: 'conflict', message: 'Not now, please.' } }),
  )
  await page.goto('/user/edit-profile')
  await page.getByLabel('Gender').selectOption('Female')
  await page.getByLabel('Country').selectOption('France')
  for (const label of ['State', 'City', 'Address']) await page.getByLabel(label).fill('Paris')
  await page.getByRole('button', { name: 'Update Profile' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Not now, please.' })).toBeInViewport()
})

test('also where the message is a toast, as it is when a password is forgotten', async ({ page, trouble }) => {
  trouble.expect('answered 422')
  await refuse(page, '**/api/auth/reset-password?**', 'email')
  await page.goto('/auth/forgot-password')
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.getByText('Email is refused by the server')).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true')
})

test('also at the desk, in forms with and without rules', async ({ browser }) => {
  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, 'admin')
  await refuse(desk, '**/api/desk/operators', 'email')
  await desk.goto('/desk/operators')
  await desk.getByRole('button', { name: 'Invite an operator' }).click()
  await desk.getByLabel('Email').fill('eve@example.org')
  await desk.getByRole('checkbox', { name: /^support/ }).check()
  await desk.getByRole('button', { name: 'Propose the invitation' }).click()
  await expect(desk.getByText('Email is refused by the server')).toBeVisible()

  await refuse(desk, '**/api/desk/instruments', 'min_sources')
  await desk.goto('/desk/instruments')
  await desk.getByRole('button', { name: 'Add an instrument' }).click()
  await desk.getByLabel('Base').fill('LTC')
  await desk.getByLabel('Quote').fill('ETH')
  await desk.getByLabel('Reason').fill('Asked for.')
  await desk.getByRole('button', { name: 'Propose the instrument' }).click()
  await expect(desk.getByText('Exchanges needed is refused by the server')).toBeVisible()
  await desk.context().close()
})
