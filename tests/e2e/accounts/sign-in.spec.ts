import { register, rootOf, signedIn } from '../support/people.ts'
import { errorsOn, expect, test, typeInto } from '../support/test.ts'

test('sign-in requires an address and a password', async ({ page }) => {
  await page.goto('/auth')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome back')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Email must not be empty', 'Password must not be empty'])
  await typeInto(page, 'Email', 'nobody')
  await expect.poll(() => errorsOn(page)).toEqual(['Email is invalid', 'Password must not be empty'])
})

test('a wrong password shows the same alert as an unknown address, and signs no one out', async ({ page, trouble }) => {
  trouble.expect('answered 422: POST /api/auth/login')
  const { email } = await register(page)
  const messages: string[] = []
  for (const address of [email, `not-${email}`]) {
    await page.goto('/auth/signin')
    await typeInto(page, 'Email', address)
    await typeInto(page, 'Password', 'not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(async () => (await errorsOn(page)).length).toBe(1)
    messages.push(...(await errorsOn(page)))
  }
  expect(messages[0]).toBe(messages[1])
})

test('the button is disabled while loading, and a second submit is ignored', async ({ page }) => {
  const account = await register(page)
  let asked = 0
  const submittedTwice = Promise.withResolvers<void>()
  await page.route('**/api/auth/login', async (route) => {
    asked++
    await submittedTwice.promise
    await route.continue()
  })
  await page.goto('/auth/signin')
  await typeInto(page, 'Email', account.email)
  await typeInto(page, 'Password', account.password)
  await page.getByLabel('Password', { exact: true }).press('Enter')
  await page.getByLabel('Password', { exact: true }).press('Enter')
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeDisabled()
  submittedTwice.resolve()
  await expect(page).toHaveURL('/user/home')
  expect(asked).toBe(1)
})

test('sign-in leads home and lasts in new tabs; the browser stores only session and mode', async ({
  page,
  context,
}) => {
  const account = await register(page)
  await page.goto('/auth/signin')
  await typeInto(page, 'Email', account.email)
  await typeInto(page, 'Password', account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/user/home')

  const root = await rootOf(page)
  expect(root.version).toBe(1)
  expect(Object.keys(root.state).sort()).toEqual(['auth', 'mode'])
  expect(root.state.mode).toBe('real')
  expect(root.state.auth.user_data).toMatchObject({ email: account.email, balance: 0, demo_balance: 10_000 })
  expect(root.state.auth.tokens?.access.token).toMatch(/^[\w-]{43}$/)
  // Scripts can't read the renewal cookie.
  expect(await page.evaluate(() => document.cookie)).toBe('')

  const tab = await context.newPage()
  await tab.goto('/user')
  await expect(tab).toHaveURL('/user/home')
})

test('signed-in users are redirected home from every auth screen', async ({ page }) => {
  await signedIn(page)
  for (const place of [
    '',
    '/signin',
    '/signup',
    '/forgot-password',
    '/complete-profile?session=x',
    '/reset-password?hash=x',
  ]) {
    await page.goto(`/auth${place}`)
    await expect(page).toHaveURL('/user/home')
  }
})

test('the user area requires a session', async ({ page, trouble }) => {
  trouble.expect('answered 404: GET /user/nowhere')
  for (const place of [
    '',
    '/home',
    '/trade-history',
    '/deposit',
    '/earnings',
    '/change-password',
    '/security',
    '/nowhere',
  ]) {
    await page.goto(`/user${place}`)
    await expect(page).toHaveURL('/auth/signin')
  }
})

test('a visitor’s browser never requests a renewal', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  for (const place of ['/', '/auth/signin', '/auth/signup']) {
    await page.goto(place)
    await page.waitForLoadState('networkidle')
  }
  expect(asked.filter((path) => /refresh|users\/me/.test(path))).toEqual([])
})

test('signing out ends the session here, on the server and in every other tab', async ({ page, context, trouble }) => {
  // A tab may still be reading when its session ends.
  trouble.allow(/^answered 401/)
  await signedIn(page)
  await page.goto('/user/security')
  const tab = await context.newPage()
  await tab.goto('/user/verify')
  await expect(tab.getByRole('heading', { level: 1 })).toBeVisible()
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  // Both tabs have loaded their data, and reloaded it after the stream was ready.
  await Promise.all([page.waitForLoadState('networkidle'), tab.waitForLoadState('networkidle')])

  await page.getByRole('button', { name: 'Logout' }).first().click()
  await expect(page).toHaveURL('/auth/signin')
  await expect(tab).toHaveURL('/auth/signin')
  expect((await rootOf(page)).state.auth).toEqual({ user_data: null, tokens: null })
  const me = await page.request.get('/api/users/me', { headers: { authorization: `Bearer ${token}` } })
  expect(me.status()).toBe(401)
})

test('an ended session tries one renewal, then shows sign-in', async ({ page, context, trouble }) => {
  trouble.allow(/answered 401/, /WebSocket/)
  await signedIn(page)
  await page.goto('/user/security')
  const root = await rootOf(page)
  const header = { authorization: `Bearer ${root.state.auth.tokens!.access.token}` }
  // The session was ended elsewhere: the browser's token and cookie are no longer valid.
  expect((await page.request.post('/api/auth/logout', { headers: header })).ok()).toBe(true)
  await context.clearCookies()
  await page.goto('/user/verify')
  await expect(page).toHaveURL('/auth/signin')
  expect((await rootOf(page)).state.auth).toEqual({ user_data: null, tokens: null })
})

test('an expired token is renewed silently', async ({ page, trouble }) => {
  // Requests before the renewal get this response.
  trouble.allow(/^answered 401: GET \/api\/(users\/(me|screen)|auth\/sessions|auth\/2fa|notices|guardrails)/)
  await signedIn(page)
  // As after fifteen minutes: the token has expired, but the cookie is valid.
  await page.evaluate(() => {
    const root = JSON.parse(localStorage.getItem('root')!)
    root.state.auth.tokens.access.token = 'x'.repeat(43)
    localStorage.setItem('root', JSON.stringify(root))
  })
  await page.goto('/user/security')
  await expect(page.getByText('This device', { exact: true })).toBeVisible()
  expect((await rootOf(page)).state.auth.tokens?.access.token).not.toContain('xxx')
})

for (const status of [402, 403]) {
  test(`a ${status} response signs out immediately`, async ({ page, trouble }) => {
    trouble.expect(`answered ${status}`)
    await signedIn(page)
    await page.route('**/api/auth/sessions', (route) =>
      route.fulfill({ status, json: { status: false, code: 'forbidden', message: 'No.' } }),
    )
    await page.goto('/user/security')
    await expect(page).toHaveURL('/auth/signin')
  })
}
