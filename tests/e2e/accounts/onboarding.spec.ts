import sharp from 'sharp'
import { register } from '../support/people.ts'
import { largeImage, photo } from '../support/pictures.ts'
import { errorsOn, expect, test, typeInto } from '../support/test.ts'

test('the profile and the identity check redirect to sign-in without an onboarding session', async ({ page }) => {
  for (const place of ['complete-profile', 'user-identification']) {
    await page.goto(`/auth/${place}`)
    await expect(page).toHaveURL('/auth/signin')
  }
})

test('every profile field is required, then the profile is saved', async ({ page }) => {
  const { session } = await register(page)
  await page.goto(`/auth/complete-profile?session=${session}`)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expect
    .poll(() => errorsOn(page))
    .toEqual([
      'Gender must not be empty',
      'Date of birth must not be empty',
      'Address must not be empty',
      'City must not be empty',
      'State must not be empty',
      'Country must not be empty',
    ])
  await expect(page.getByLabel('Gender').getByRole('option')).toHaveText(['Choose', 'Male', 'Female', 'Others'])
  expect(await page.getByLabel('Country').getByRole('option').count()).toBeGreaterThan(230)

  await page.getByLabel('Gender').selectOption('others')
  await page.getByLabel('Date of birth').fill('1815-12-10')
  await expect.poll(() => errorsOn(page)).toContain('Date of birth is invalid')
  await page.getByLabel('Date of birth').fill('1985-12-10')
  await typeInto(page, 'Address', '12 St James’s Square')
  await typeInto(page, 'City', 'London')
  await typeInto(page, 'State', 'England')
  await page.getByLabel('Country').selectOption('United Kingdom')
  await page.getByRole('button', { name: 'Save and continue' }).click()

  const alert = page.getByRole('dialog')
  await expect(alert).toContainText('Profile Saved Successfully!')
  await expect(page).toHaveURL(`/auth/user-identification?session=${session}`)
  // A click on the card keeps it open; a click on the backdrop closes it.
  await alert.getByText('Profile Saved Successfully!').click()
  await expect(alert).toBeVisible()
  await page.mouse.click(5, 5)
  await expect(alert).toBeHidden()
})

test('a forged session is rejected in an alert', async ({ page, trouble }) => {
  trouble.expect('answered 422: POST /api/users/user-identification')
  await page.goto('/auth/user-identification?session=made-up')
  await page.getByLabel('Method').selectOption('national_id')
  await page.getByLabel('File').setInputFiles(await photo())
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByRole('alert')).not.toBeEmpty()
  await expect(page).toHaveURL(/user-identification/)
})

test("an ID is previewed before it's sent; a file that's too large is silently ignored", async ({ page }) => {
  const { session } = await register(page)
  await page.goto(`/auth/user-identification?session=${session}`)
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Method must not be empty', 'Please select file!'])
  await page.getByLabel('Method').selectOption('drivers_license')

  await page.getByLabel('File').setInputFiles(largeImage(5_242_881))
  await expect.poll(() => errorsOn(page)).toEqual(['Please select file!'])
  await expect(page.getByAltText('Preview of your upload')).toBeHidden()

  await page.getByLabel('File').setInputFiles(await photo('id.png'))
  await expect(page.getByAltText('Preview of your upload')).toBeVisible()
  await expect(page.getByText('id.png')).toBeVisible()
  await expect.poll(() => errorsOn(page)).toEqual([])
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByRole('dialog')).toContainText('Government ID Submitted Successfully!')
  await expect(page).toHaveURL('/auth/signin')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()

  // Submitting the ID ended the session.
  const answer = await page.request.post('/api/auth/complete-profile', {
    data: {
      gender: 'male',
      date_of_birth: '1985-12-10',
      address: 'a',
      city: 'b',
      state: 'c',
      country: 'France',
      session,
    },
  })
  expect(answer.status()).toBe(422)
})

test('a picture that nobody can read is refused before it is sent, and one that only the browser reads is converted', async ({
  page,
}) => {
  const { session } = await register(page)
  await page.goto(`/auth/user-identification?session=${session}`)
  await page.getByLabel('Method').selectOption('others')
  const file = page.getByLabel('File')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/user-identification')) sent.push(request.url())
  })
  const huge = await sharp({ create: { width: 8_000, height: 8_000, channels: 3, background: '#fff' } })
    .png({ palette: true })
    .toBuffer()
  for (const [name, mimeType, buffer, message] of [
    ['id.png', 'image/png', Buffer.from('<svg/>'), "This picture can't be read. Choose a JPEG, PNG or WebP."],
    [
      'id.heic',
      'image/heic',
      Buffer.from('ftypheic'),
      "This browser can't read HEIC pictures. Choose a JPEG, PNG or WebP, or a screenshot of the picture.",
    ],
    ['huge.png', 'image/png', huge, 'This picture has 64 megapixels; at most 50 can be read. Choose a smaller one.'],
  ] as const) {
    await file.setInputFiles({ name, mimeType, buffer })
    await expect.poll(() => errorsOn(page)).toEqual([message])
  }
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  await file.setInputFiles({ name: 'scan.gif', mimeType: 'image/gif', buffer: gif })
  await expect(page.getByText('scan.jpg')).toBeVisible()
  await expect.poll(() => errorsOn(page)).toEqual([])
  expect(sent).toEqual([])
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByRole('dialog')).toContainText('Government ID Submitted Successfully!')
})
