import { mailTo, register, signedIn } from '../support/people.ts'
import { errorsOn, expect, test, typeInto } from '../support/test.ts'

test('a forgotten password is replaced by an e-mailed link, and the old one stops working', async ({
  page,
  trouble,
}) => {
  const account = await register(page)
  await page.goto('/auth/signin')
  await page.getByRole('link', { name: /forgot password/i }).click()
  await expect(page).toHaveURL('/auth/forgot-password')
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Email must not be empty'])
  await typeInto(page, 'Email', account.email)
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  const said = await page.getByRole('dialog').textContent()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('')

  // An unknown address gets the same response.
  await typeInto(page, 'Email', `not-${account.email}`)
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(await page.getByRole('dialog').textContent()).toBe(said)

  const { links } = await mailTo(page, account.email, /reset/i)
  await page.goto(links[0]!)
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(account.email)
  await expect(page.getByLabel('Email', { exact: true })).toHaveAttribute('readonly')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Password is required', 'Confirm password is required'])
  await typeInto(page, 'Password', '12345')
  await expect.poll(() => errorsOn(page)).toContain('Password must be at least 8 characters long')
  await typeInto(page, 'Password', 'difference engine')
  await typeInto(page, 'Confirm password', 'difference')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('Password and Confirm Password does not match')).toBeVisible()
  await typeInto(page, 'Confirm password', 'difference engine')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page).toHaveURL('/auth/signin')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()

  trouble.expect('answered 422: POST /api/auth/login')
  await typeInto(page, 'Email', account.email)
  await typeInto(page, 'Password', account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(async () => (await errorsOn(page)).length).toBeGreaterThan(0)
  await typeInto(page, 'Password', 'difference engine')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/user/home')
})

test('an invalid reset link shows a toast and offers a new one', async ({ page, trouble }) => {
  await page.goto('/auth/reset-password')
  await expect(page).toHaveURL('/auth/signin')
  trouble.expect('answered 422: GET /api/auth/reset-password/details')
  await page.goto('/auth/reset-password?hash=made-up')
  await expect(page.getByRole('alert').first()).toBeVisible()
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await expect(page).toHaveURL('/auth/forgot-password')
})

test('a confirmation link shows a thank-you on the home page, once; without a hash it just leads there', async ({
  page,
  trouble,
}) => {
  const account = await register(page)
  const { links } = await mailTo(page, account.email, /Confirm/i)
  await page.goto(links[0]!)
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.getByRole('dialog').getByRole('button').click()
  await expect(page.getByRole('dialog')).toBeHidden()

  await page.goto('/verify-email')
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('dialog')).toBeHidden()

  trouble.expect('answered 409: POST /api/auth/verify-email')
  await page.goto(links[0]!)
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('alert')).toContainText('Your e-mail is already confirmed')
})

test('changing the password shows its message and ends all other sessions', async ({ page, browser, trouble }) => {
  trouble.expect('answered 422: PATCH /api/users/change-password')
  const account = await signedIn(page)
  const elsewhere = await (await browser.newContext({ baseURL: process.env.E2E_ORIGIN! })).newPage()
  await signedIn(elsewhere, { account })
  await elsewhere.goto('/user/verify')
  await expect(elsewhere.getByRole('heading', { level: 1 })).toBeVisible()

  await page.goto('/user/security')
  await expect(page.getByRole('button', { name: 'End all other sessions' })).toBeVisible()
  await page.getByRole('link', { name: 'Change password' }).last().click()
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect
    .poll(() => errorsOn(page))
    .toEqual([
      'Current Password must not be empty',
      'New Password must not be empty',
      'Confirm Password must not be empty',
    ])
  await typeInto(page, 'New Password', '12345')
  await expect.poll(() => errorsOn(page)).toContain('New Password must be at least 8 characters long')

  const change = async (current: string, password: string, confirm: string) => {
    await typeInto(page, 'Current Password', current)
    await typeInto(page, 'New Password', password)
    await typeInto(page, 'Confirm Password', confirm)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await change(account.password, 'difference engine', 'difference')
  await expect.poll(() => errorsOn(page)).toEqual(['Password and Confirm Password does not match'])
  await change('not mine', 'difference engine', 'difference engine')
  await expect.poll(() => errorsOn(page)).toEqual(['The current password is wrong.'])
  await expect(page.getByLabel('Current Password', { exact: true })).toHaveAccessibleDescription(
    'Current Password is wrong',
  )
  await expect(page).toHaveURL('/user/change-password')
  await change(account.password, 'difference engine', 'difference engine')
  await expect(page.getByRole('dialog')).toContainText('Password Changed Successfully.')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'Security' }).last().click()
  await expect(page.getByText('This device', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'End all other sessions' })).toBeHidden()

  await expect(elsewhere).toHaveURL('/auth/signin')
  await elsewhere.context().close()
})

test('ending another session from the list signs that browser out', async ({ page, browser }) => {
  const account = await signedIn(page)
  const elsewhere = await (await browser.newContext({ baseURL: process.env.E2E_ORIGIN! })).newPage()
  await signedIn(elsewhere, { account })
  await elsewhere.goto('/user/edit-profile')
  await expect(elsewhere.getByLabel('Email')).toHaveValue(account.email)
  await page.goto('/user/security')
  await page.getByRole('button', { name: /^End / }).first().click()
  await expect(elsewhere).toHaveURL('/auth/signin')
  await elsewhere.context().close()
})
