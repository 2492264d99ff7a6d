import { totpCode } from '#tests/support/totp-code.ts'
import { approveIdentity, confirmEmail, fund } from '../support/cashier.ts'
import { askDesk, type DeskAsk } from '../support/desk.ts'
import { mailTo, register, rootOf, signedIn } from '../support/people.ts'
import { photo } from '../support/pictures.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test, typeInto } from '../support/test.ts'

/** Checks the screen at a phone's, a tablet's and a desktop's width. */
async function expectGoodEverywhere(page: Page, name: string): Promise<void> {
  for (const width of [390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png` })
  }
  await expectAccessible(page)
}

async function userId(ask: DeskAsk, email: string): Promise<string> {
  const { data } = (await ask('GET', `/users?q=${encodeURIComponent(email)}`)) as { data: { id: string }[] }
  return data[0]!.id
}

/** The onboarding session signs in once. */
async function expectOnceSignsIn(page: Page, { session }: { session: string }): Promise<void> {
  const answers = [1, 2].map(() => page.request.post('/api/auth/login/onboarding', { data: { session } }))
  expect((await Promise.all(answers)).map((answer) => answer.status()).toSorted()).toEqual([200, 422])
}

test('skipping the sign-up leads to the demo; live mode shows the missing steps until they are done', async ({
  page,
}) => {
  const account = await register(page)
  await expectOnceSignsIn(page, await register(page))
  for (const step of ['complete-profile', 'user-identification']) {
    await page.goto(`/auth/${step}?session=${account.session}`)
    await expectGoodEverywhere(page, step)
  }
  await page.getByRole('button', { name: 'Skip for now and try the demo' }).click()
  await expect(page).toHaveURL('/user/home')
  // The demo's way begins with a familiar market.
  await expect(page.getByRole('region', { name: 'Chart of BTCUSDT' })).toBeVisible()
  const strip = page.getByRole('complementary', { name: 'Finish setting up your account' })
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await expect(strip).toHaveCount(0)

  await page.getByRole('button', { name: 'Trade Live' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Trade Live' }).click()
  await expect(strip.getByRole('link')).toHaveText(['Complete your profile', 'Upload your ID'])
  for (const width of [320, 768, 1366]) {
    await page.setViewportSize({ width, height: 800 })
    // The strip takes its height from the rest of the screen, so that Buy and Sell stay visible.
    await expect(page.getByRole('button', { name: /^Sell pays/ })).toBeInViewport({ ratio: 1 })
    const { x, width: wide } = (await strip.getByRole('link', { name: 'Upload your ID' }).boundingBox())!
    expect(x + wide).toBeLessThanOrEqual(width)
  }
  await expectGoodEverywhere(page, 'strip')
  await strip.getByRole('link', { name: 'Complete your profile' }).click()
  await expect(page).toHaveURL('/user/edit-profile')
  await expect(strip).toHaveCount(0)
  await page.getByLabel('Gender').selectOption('Female')
  await page.getByLabel('Date of birth').fill('1985-12-10')
  await page.getByLabel('Country').selectOption('France')
  await typeInto(page, 'State/Region', 'Bretagne')
  await typeInto(page, 'City', 'Brest')
  await typeInto(page, 'Address', '1 rue de Siam')
  await page.getByRole('button', { name: 'Update Profile' }).click()
  await expect(page.getByText('Profile updated successfully!')).toBeVisible()

  await page.goto('/user/home')
  await expect(strip.getByRole('link')).toHaveText(['Upload your ID'])
  await strip.getByRole('link').click()
  await page.getByLabel('Method').selectOption('national_id')
  await page.getByLabel('File', { exact: true }).setInputFiles(await photo())
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText('Pending', { exact: true })).toBeVisible()
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeVisible()
  await expect(strip).toHaveCount(0)
})

test('a proof of address is uploaded, rejected with a reason, and uploaded again', async ({ page }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await page.goto('/user/verify')
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Proof of address' }) })
  await card.getByRole('button', { name: 'Upload proof' }).click()
  await expect(card.getByText('Please select file!')).toBeVisible()
  const choose = async (kind: string, name: string) => {
    await card.getByLabel('Document', { exact: true }).selectOption(kind)
    await card.getByLabel('Photo of the document').setInputFiles(await photo(name))
    await expect(card.getByAltText('Preview of your upload')).toBeVisible()
  }
  const upload = async () => {
    await card.getByRole('button', { name: 'Upload proof' }).click()
    await expect(card.getByText('Pending', { exact: true })).toBeVisible()
  }
  const kinds = await card
    .getByLabel('Document')
    .getByRole('option')
    .evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value).filter((value) => value !== ''))
  expect(kinds.length).toBeGreaterThan(1)
  await choose(kinds[0]!, 'id.png')
  await upload()
  await expect(card.getByAltText('Your proof of address')).toBeVisible()
  await expectGoodEverywhere(page, 'proof')

  const compliance = await askDesk(page.request, 'compliance')
  const { data } = (await compliance('GET', `/identity-checks?user=${await userId(compliance, email)}`)) as {
    data: { id: string; kind: string }[]
  }
  const [check] = data
  expect(data).toHaveLength(1)
  expect(check).toMatchObject({ kind: 'address' })
  await compliance('POST', `/identity-checks/${check!.id}/reject`, { reason: 'The date is cut off.' })
  await expect(card.getByText('The date is cut off.')).toBeVisible()
  await expectGoodEverywhere(page, 'proof-rejected')
  // The button stays where it is when the picture appears.
  const heightOfForm = () => card.locator('form').evaluate((form) => form.clientHeight)
  const before = await heightOfForm()
  await choose(kinds[1]!, `${'scan-of-a-letter-'.repeat(12)}.png`)
  expect(await heightOfForm()).toBe(before)
  await upload()
})

test('the link in the e-mail stops the removal of a second factor', async ({ page, trouble }) => {
  const { email, password } = await signedIn(page)
  await confirmEmail(page, email)
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const headers = { authorization: `Bearer ${token}` }
  const begun = await page.request.post('/api/auth/2fa/totp', { headers, data: { password } })
  const { secret } = ((await begun.json()) as { data: { secret: string } }).data
  await page.request.post('/api/auth/2fa/totp/confirm', { headers, data: { code: totpCode(secret) } })

  const [one, two] = [await askDesk(page.request, 'compliance'), await askDesk(page.request, 'compliance')]
  const { data } = (await one('POST', `/users/${await userId(one, email)}/factor-resets`, {
    reason: 'They showed their ID on a video call',
  })) as { data: { id: string } }
  await two('POST', `/factor-resets/${data.id}/approve`)

  const mail = await mailTo(page, email, /second factor will be removed/)
  const link = new URL(mail.links.find((one) => one.includes('stop-factor-reset'))!)
  await page.goto(link.pathname + link.search)
  await expectGoodEverywhere(page, 'stop-reset')
  // Opening the link alone changes nothing, because mail scanners open links.
  const reset = async () => {
    const answer = await page.request.get('/api/auth/2fa', { headers })
    return ((await answer.json()) as { data: { reset: unknown } }).data.reset
  }
  expect(await reset()).not.toBeNull()
  await page.getByRole('button', { name: 'Stop the removal' }).click()
  await expect(page.getByRole('heading', { name: 'Your second factor stays' })).toBeVisible()
  await expectGoodEverywhere(page, 'reset-stopped')
  expect(await reset()).toBeNull()

  trouble.expect('answered 422: POST /api/auth/2fa/reset/stop')
  await page.goto(link.pathname + link.search)
  await page.getByRole('button', { name: 'Stop the removal' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /\w/ })).toBeVisible()
})

test('an upgrade asks for confirmation, can be withdrawn while pending, and shows why it was rejected', async ({
  page,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await approveIdentity(email)
  await fund(email, 60_000)
  await page.goto('/user/plan')
  await page.getByRole('button', { name: 'Request Plan: BEGINNER' }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^Buy/ }).click()
  await expect(page.getByText('Your plan: BEGINNER', { exact: false })).toBeVisible()

  const ask = async () => {
    await page.getByRole('button', { name: 'Request Upgrade: GOLD' }).click()
    const dialog = page.getByRole('dialog', { name: 'Request the Gold plan?' })
    await expect(dialog).toContainText('$57,000.00')
    return dialog
  }
  const dialog = await ask()
  await expectGoodEverywhere(page, 'upgrade')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('button', { name: 'Withdraw request' })).toHaveCount(0)
  await (await ask()).getByRole('button', { name: 'Request upgrade' }).click()
  await page.getByRole('button', { name: 'Withdraw request' }).click()
  await expect(page.getByRole('button', { name: 'Withdraw request' })).toHaveCount(0)

  await (await ask()).getByRole('button', { name: 'Request upgrade' }).click()
  await expect(page.getByRole('button', { name: 'Withdraw request' })).toBeVisible()
  await expectGoodEverywhere(page, 'upgrade-pending')
  const finance = await askDesk(page.request, 'finance')
  const { data } = (await finance('GET', `/plan-requests?status=Pending&user=${await userId(finance, email)}`)) as {
    data: { id: string }[]
  }
  await finance('POST', `/plan-requests/${data[0]!.id}/reject`, {
    reason: 'Please confirm your source of funds first.',
  })
  await expect(page.getByText(/Please confirm your source of funds first\./).first()).toBeVisible()
  await expectGoodEverywhere(page, 'upgrade-rejected')
  await expect(page.getByRole('button', { name: 'Request Upgrade: GOLD' })).toBeEnabled()
})

test('who gets the confirmation e-mail of an account that is not theirs closes it by a press', async ({
  page,
  trouble,
}) => {
  const account = await register(page)
  const { links } = await mailTo(page, account.email, /Confirm/i)
  const link = new URL(links.find((one) => one.includes('/not-my-account'))!)
  await page.goto(link.pathname + link.search)
  await expectGoodEverywhere(page, 'not-my-account')
  // Opening the link alone changes nothing, because mail scanners open links.
  const again = { data: { email: account.email, password: account.password } }
  expect((await page.request.post('/api/auth/login', again)).status()).toBe(200)
  await page.getByRole('button', { name: 'Close the account' }).click()
  await expect(page.getByRole('heading', { name: 'Account closed' })).toBeVisible()
  await expectGoodEverywhere(page, 'account-closed')
  expect((await page.request.post('/api/auth/login', again)).status()).toBe(422)

  trouble.expect('answered 422: POST /api/auth/disown-email')
  await page.goto(link.pathname + link.search)
  await page.getByRole('button', { name: 'Close the account' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /\w/ })).toBeVisible()
})

test('after a confirmation elsewhere, the screen keeps what was typed and asks for the password once', async ({
  page,
  browser,
  trouble,
}) => {
  trouble.expect('answered 401')
  const { email, password } = await signedIn(page)
  await page.goto('/user/edit-profile')
  await page.getByLabel('City').fill('Königsberg')
  const elsewhere = await browser.newPage({ baseURL: new URL(page.url()).origin })
  await confirmEmail(elsewhere, email)
  await elsewhere.close()
  const dialog = page.getByRole('dialog', { name: 'Your e-mail is confirmed' })
  await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused()
  await expectAccessible(page)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL('/user/edit-profile')
  await expect(page.getByLabel('City')).toHaveValue('Königsberg')
})
