import { mailTo, newPerson, register } from '../support/people.ts'
import { errorsOn, expect, test, typeInto } from '../support/test.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/auth/signup')
})

test('registration requires accepting the terms, and every field explains its rule', async ({ page }) => {
  const create = page.getByRole('button', { name: 'Create account' })
  await expect(create).toBeDisabled()
  await page.getByRole('checkbox').check()
  await create.click()
  await expect
    .poll(() => errorsOn(page))
    .toEqual([
      'Firstname is required',
      'Lastname is required',
      'Email must not be empty',
      'Phone must not be empty',
      'Password is required',
      'Confirm password is required',
    ])
  await page.getByRole('checkbox').uncheck()
  await expect(create).toBeDisabled()
})

test("each field is validated as it's typed, with its own message", async ({ page }) => {
  await typeInto(page, 'Email', 'ada')
  await expect.poll(() => errorsOn(page)).toEqual(['Email is invalid'])
  await typeInto(page, 'Email', '')
  await expect.poll(() => errorsOn(page)).toEqual(['Email must not be empty'])
  await typeInto(page, 'Email', 'ada@example.org')
  await typeInto(page, 'Phone', '012345678')
  await expect.poll(() => errorsOn(page)).toEqual(['Phone must be at least 10 characters long'])
  await typeInto(page, 'Phone', '0123456789')
  // The message says 8 for a minimum of 6, as the specification has it.
  await typeInto(page, 'Password', '12345')
  await expect.poll(() => errorsOn(page)).toEqual(['Password must be at least 8 characters long'])
  await typeInto(page, 'Password', '123456')
  await expect.poll(() => errorsOn(page)).toEqual([])
})

test('mismatched passwords are reported before anything is sent', async ({ page }) => {
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  await fill(page, newPerson())
  await typeInto(page, 'Confirm password', 'another one')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Password and Confirm Password does not match'])
  expect(sent).toEqual([])
})

test('a taken address is rejected in an alert and stays in the form', async ({ page, trouble }) => {
  const owner = await register(page)
  const { links } = await mailTo(page, owner.email, /Confirm/i)
  const hash = new URL(links[0]!).searchParams.get('hash')
  await page.request.post('/api/auth/verify-email', { data: { hash } })

  trouble.expect('answered 409: POST /api/auth/register')
  await fill(page, { ...newPerson(), email: owner.email.toUpperCase() })
  await page.getByRole('button', { name: 'Create account' }).click()
  const taken = 'An account with this e-mail already exists'
  // Announced once, by the alert; the field shows it too and is described by it.
  await expect.poll(() => errorsOn(page)).toEqual([taken])
  await expect(page.getByLabel('Email', { exact: true })).toHaveAccessibleDescription(taken)
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(owner.email.toUpperCase())
})

test('the screen links to the terms, sign-in and the homepage', async ({ page }) => {
  await expect(page.getByRole('link', { name: 'terms of use' })).toHaveAttribute('href', '/legal')
  await expect(page.getByRole('link', { name: 'Back to the homepage' })).toHaveAttribute('href', '/')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/auth/signin')
})

async function fill(page: Parameters<typeof typeInto>[0], person: ReturnType<typeof newPerson>) {
  await typeInto(page, 'Firstname', person.firstname)
  await typeInto(page, 'Lastname', person.lastname)
  await typeInto(page, 'Email', person.email)
  await typeInto(page, 'Phone', person.phone)
  await typeInto(page, 'Password', person.password)
  await typeInto(page, 'Confirm password', person.password)
  await page.getByRole('checkbox').check()
}
