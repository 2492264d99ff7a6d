import { approveIdentity, confirmEmail, fund } from '../support/cashier.ts'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test, typeInto } from '../support/test.ts'

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** Checks the screen at widths from a small phone's to a large desktop's. */
async function expectGoodEverywhere(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()
  for (const width of [320, 390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: true })
  }
  await expectAccessible(page)
  if (before) await page.setViewportSize(before)
}

for (const width of [1366, 390])
  test(`a wallet is saved, chosen for a withdrawal, and has to wait once it's the book only, at ${width} px`, async ({
    page,
    trouble,
  }) => {
    const { email, password } = await signedIn(page, { mode: 'real' })
    await confirmEmail(page, email)
    await approveIdentity(email)
    await fund(email, 100)
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/user/account')
    await expect(page.getByText('No addresses yet')).toBeVisible()
    if (width === 390) await expectGoodEverywhere(page, 'book-empty')
    await page.getByRole('button', { name: 'Add an address' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await expect(dialog.getByText('must not be empty').first()).toBeVisible()
    await typeInto(page, 'Name', 'My exchange')
    await typeInto(page, 'Wallet', WALLET)
    await dialog.getByText("Someone else's").click()
    await typeInto(page, 'Beneficiary', 'Bob Byron')
    await dialog.getByText('An exchange or service').click()
    await typeInto(page, 'Service', 'Kraken')
    await typeInto(page, 'Password', password)
    if (width === 390) await expectGoodEverywhere(page, 'book-add')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog).toHaveCount(0)
    await expect(page.getByText('Belongs to Bob Byron, at Kraken')).toBeVisible()

    await page.goto('/user/withdraw-fund')
    await page.getByRole('button', { name: /Crypto wallet/ }).click()
    await page.getByLabel('From my address book').selectOption({ label: 'My exchange (ETH)' })
    await expect(page.getByLabel('Wallet', { exact: true })).toHaveValue(WALLET)
    if (width === 390) await expectGoodEverywhere(page, 'book-withdraw')
    await typeInto(page, 'Amount', '10')
    await page.getByRole('button', { name: /^Review/ }).click()
    await expect(page.getByText('In your address book: My exchange.')).toBeVisible()
    await expect(page.getByText('first time')).toBeVisible()

    await page.goto('/user/account')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await typeInto(page, 'Password', password)
    await page.getByRole('button', { name: 'Turn on now' }).click()
    await expect(page.getByText(/^Can be used from \d{4}-\d\d-\d\d/)).toBeVisible()
    if (width === 390) await expectGoodEverywhere(page, 'book-only')
    trouble.expect('answered 422: POST /api/withdraw/preview')
    await page.goto('/user/withdraw-fund')
    await page.getByRole('button', { name: /Crypto wallet/ }).click()
    await page.getByLabel('From my address book').selectOption({ label: 'My exchange (ETH)' })
    await typeInto(page, 'Amount', '10')
    await page.getByRole('button', { name: /^Review/ }).click()
    await expect(page.getByText(/You can withdraw there from \d{4}-\d\d-\d\d/).first()).toBeVisible()

    await page.goto('/user/account')
    await page.getByRole('button', { name: 'Remove My exchange' }).click()
    await expect(page.getByText('No addresses yet')).toBeVisible()
  })

test('what is typed for a withdrawal can be saved where it is reviewed', async ({ page }) => {
  const { email, password } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await approveIdentity(email)
  await fund(email, 100)
  await page.goto('/user/withdraw-fund')
  await page.getByRole('button', { name: /Crypto wallet/ }).click()
  await typeInto(page, 'Amount', '10')
  await typeInto(page, 'Wallet', WALLET)
  await page.getByRole('button', { name: /^Review/ }).click()
  await page.getByRole('button', { name: 'Save it' }).click()
  const form = page.getByRole('region', { name: 'Save in your address book' })
  await typeInto(page, 'Name', 'My own')
  await typeInto(page, 'Password', password)
  await expectGoodEverywhere(page, 'book-save')
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Saved in your address book.')).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: /^Review/ }).click()
  await expect(page.getByText('In your address book: My own.')).toBeVisible()
})
