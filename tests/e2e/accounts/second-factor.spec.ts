import { totpCode } from '#tests/support/totp-code.ts'
import { confirmEmail } from '../support/cashier.ts'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, type Page, test } from '../support/test.ts'

async function signIn(page: Page, account: { email: string; password: string }): Promise<void> {
  await page.goto('/auth/signin')
  await page.getByLabel('Email', { exact: true }).fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'Logout' }).first().click()
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
}

test('an authenticator app is set up, and sign-in asks for its code or a recovery code', async ({ page, trouble }) => {
  const account = await signedIn(page)
  await confirmEmail(page, account.email)
  await page.goto('/user/security')
  await page.getByRole('button', { name: 'Set up' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' })
  await dialog.getByLabel('Password', { exact: true }).fill(account.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByRole('img', { name: /^QR code/ })).toBeVisible()
  await expectAccessible(page)
  const secret = ((await dialog.locator('code').textContent()) ?? '').trim()
  trouble.expect('answered 422: POST /api/auth/2fa/totp/confirm')
  await dialog.getByLabel('Code', { exact: true }).fill('000000')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog.getByRole('alert').first()).toHaveText(/wrong/)
  await expect(dialog.getByLabel('Code', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Code', { exact: true }).fill(totpCode(secret))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  await expectAccessible(page)
  const size = page.viewportSize()!
  for (const width of [320, size.width]) {
    await page.setViewportSize({ width, height: size.height })
    const cut = await codes.locator('code').evaluateAll((all) =>
      all.flatMap((code) => {
        const [inner, outer] = [code.getBoundingClientRect(), code.closest('ul')!.getBoundingClientRect()]
        const isInside = inner.left >= outer.left && inner.right <= outer.right && outer.right <= innerWidth
        return isInside ? [] : [`${code.textContent}: ${inner.left} to ${inner.right} in ${innerWidth}`]
      }),
    )
    expect(cut, `at ${width} px`).toEqual([])
  }
  const recovery = ((await codes.locator('code').first().textContent()) ?? '').trim()
  await codes.getByRole('button', { name: "I've saved them" }).click()
  await expect(page.getByText('10 recovery codes left')).toBeVisible()

  trouble.expect('answered 428: POST /api/auth/login')
  // The screen may still be reading when its session ends.
  trouble.allow(/^answered 401/)
  for (const code of [() => totpCode(secret, Date.now() + 30_000), () => recovery]) {
    await signOut(page)
    await signIn(page, account)
    await expect(page.getByLabel('Code', { exact: true })).toBeFocused()
    await expectAccessible(page)
    await page.getByLabel('Code', { exact: true }).fill(code())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL('/user/home')
  }
  await page.goto('/user/security')
  await expect(page.getByText('9 recovery codes left')).toBeVisible()
})

test('a passkey is added, opens sign-in, and confirms its own removal', async ({ page, context, trouble }) => {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const account = await signedIn(page)
  await confirmEmail(page, account.email)
  await page.goto('/user/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name', { exact: true }).fill('My laptop')
  await dialog.getByLabel('Password', { exact: true }).fill(account.password)
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  await page
    .getByRole('dialog', { name: 'Your recovery codes' })
    .getByRole('button', { name: "I've saved them" })
    .click()
  await expect(page.getByText('My laptop')).toBeVisible()

  trouble.expect('answered 428: POST /api/auth/login', 'answered 428: DELETE /api/auth/2fa/passkeys')
  // The screen may still be reading when its session ends.
  trouble.allow(/^answered 401/)
  await signOut(page)
  await signIn(page, account)
  await page.getByRole('button', { name: 'Use my passkey' }).click()
  await expect(page).toHaveURL('/user/home')

  await page.goto('/user/security')
  await page.getByRole('button', { name: 'Remove the passkey My laptop' }).click()
  const question = page.getByRole('dialog', { name: "Confirm it's you" })
  await question.getByRole('button', { name: 'Use my passkey' }).click()
  await expect(page.getByText('Your passkey was removed.')).toBeVisible()
  await expect(page.getByText('My laptop')).toHaveCount(0)
})
