import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approveCheck, rejectCheck } from '#server/kyc/index.ts'
import { inTransaction, type Tx } from '#server/platform/database/db.ts'
import { type Answer, type IdentityApp, registration, startIdentityApp } from '#tests/support/people/identity.ts'
import { GIF, HTML, photo, pngBomb, SCRIPT, SVG } from '#tests/support/pictures.ts'

const LIMIT = 5_242_880

let app: IdentityApp
let picture: Buffer
beforeAll(async () => {
  app = await startIdentityApp()
  picture = await photo()
})
afterAll(() => app.stop())

interface Upload {
  method?: string
  session?: string
  file?: Buffer
  name?: string
  more?: Record<string, string>
}

function form({ method = 'national_id', session, file, name = 'id.jpg', more = {} }: Upload): FormData {
  const made = new FormData()
  if (method !== '') made.set('method', method)
  if (session !== undefined) made.set('session', session)
  for (const [field, value] of Object.entries(more)) made.set(field, value)
  if (file) made.set('id_file', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), name)
  return made
}

const verify = (token: string, upload: Upload) => app.call('POST /profile/user-verification', form(upload), { token })
const onboard = (upload: Upload) => app.call('POST /users/user-identification', form(upload))
const stateOf = async (token: string) =>
  (await app.call('GET /profile/user-verification', undefined, { token })).json.data as {
    method: string
    status: string
    id_file_url: string
    reason?: string
  } | null
const codes = (answers: Answer[]) => answers.map((answer) => answer.json.code ?? answer.status).sort()
const checksOf = (userId: string) =>
  app.db.selectFrom('identity_checks').selectAll().where('user_id', '=', BigInt(userId)).orderBy('id').execute()
const storedFiles = () =>
  readdirSync(app.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'files.key')
    .map((entry) => join(entry.parentPath, entry.name))
const reject = (userId: string) =>
  app.db
    .updateTable('identity_checks')
    .set({ status: 'Rejected', reason: 'The picture is not sharp.', decided_at: new Date() })
    .where('user_id', '=', BigInt(userId))
    .where('superseded_at', 'is', null)
    .execute()

describe('submitting an ID', () => {
  test('a trader submits one, sees it pending and can view the image; no one else can', async () => {
    const owner = await app.signIn(await app.newUser())
    const other = await app.signIn(await app.newUser())
    expect(await stateOf(owner.token)).toBeNull()
    const answer = await verify(owner.token, { method: 'international_passport', file: picture })
    expect(answer.json).toEqual({ status: true, message: 'Government ID Submitted Successfully!' })
    const check = (await stateOf(owner.token))!
    expect(check).toEqual({
      method: 'international_passport',
      status: 'Pending',
      id_file_url: expect.stringMatching(/^\/api\/profile\/user-verification\/file\/[0-9a-f]{40}$/),
    })
    const read = await app.send('GET', check.id_file_url, undefined, { token: owner.token })
    expect(read.status).toBe(200)
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const { format, exif } = await sharp(read.bytes).metadata()
    expect({ format, exif }).toEqual({ format: 'jpeg' })
    expect(read.bytes.includes('Secret Artist')).toBe(false)

    expect((await app.send('GET', check.id_file_url, undefined, { token: other.token })).status).toBe(404)
    expect((await app.send('GET', check.id_file_url, undefined)).status).toBe(401)
    expect(await stateOf(other.token)).toBeNull()
    for (const name of ['../files.key', '..%2f..%2ffiles.key', 'f'.repeat(40), '%00']) {
      const missing = await app.send('GET', `/api/profile/user-verification/file/${name}`, undefined, {
        token: owner.token,
      })
      expect([name, missing.status >= 400 && missing.status < 500]).toEqual([name, true])
    }
  })

  test('a new user submits one in the onboarding session, which ends it', async () => {
    const user = await app.newUser()
    const answer = await onboard({ session: user.session, file: picture })
    expect(answer.json).toEqual({ status: true, message: 'Government ID Submitted Successfully!' })
    expect(codes([await onboard({ session: user.session, file: picture })])).toEqual(['invalid_session'])
    const profile = await app.call('POST /auth/complete-profile', {
      gender: 'male',
      date_of_birth: '1990-01-01',
      address: 'a',
      city: 'b',
      state: 'c',
      country: 'France',
      session: user.session,
    })
    expect(profile.json.code).toBe('invalid_session')
    const { token } = await app.signIn(user)
    expect(await stateOf(token)).toMatchObject({ method: 'national_id', status: 'Pending' })
    expect((await verify(token, { file: picture })).json.code).toBe('wrong_state')
  })

  test('of twenty parallel submissions, one is kept with one image', async () => {
    const user = await app.newUser()
    const { token, user: me } = await app.signIn(user)
    const before = storedFiles().length
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2 ? verify(token, { file: picture }) : onboard({ session: user.session, file: picture }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status !== 200) expect(['wrong_state', 'invalid_session']).toContain(answer.json.code)
    }
    expect(await checksOf(me.id)).toHaveLength(1)
    expect(storedFiles()).toHaveLength(before + 1)
  })

  test('another can be submitted after a rejection with a reason, but not after an approval', async () => {
    const { token, user } = await app.signIn(await app.newUser())
    await verify(token, { file: picture })
    await reject(user.id)
    expect(await stateOf(token)).toMatchObject({ status: 'Rejected', reason: 'The picture is not sharp.' })
    const answers = await Promise.all([verify(token, { file: picture }), verify(token, { file: picture })])
    expect(codes(answers)).toEqual([200, 'wrong_state'])
    expect(await stateOf(token)).not.toHaveProperty('reason')
    expect((await checksOf(user.id)).map((row) => [row.status, row.superseded_at === null])).toEqual([
      ['Rejected', false],
      ['Pending', true],
    ])
    await app.db
      .updateTable('identity_checks')
      .set({ status: 'Approved', decided_at: new Date() })
      .where('user_id', '=', BigInt(user.id))
      .where('superseded_at', 'is', null)
      .execute()
    expect((await verify(token, { file: picture })).status).toBe(409)
  })

  test("registering an unconfirmed address again doesn't inherit the ID, and its image is deleted", async () => {
    const older = await app.newUser()
    const before = storedFiles().length
    await onboard({ session: older.session, file: picture })
    const signedIn = await app.signIn(older)
    expect(storedFiles()).toHaveLength(before + 1)
    const password = { password: 'another one', confirmPassword: 'another one' }
    const newer = await app.call('POST /auth/register', registration({ email: older.email, ...password }))
    expect(newer.status).toBe(200)
    expect(storedFiles()).toHaveLength(before)
    expect(await checksOf(signedIn.user.id)).toMatchObject([{ file: null, superseded_at: expect.any(Date) }])
    const { token } = await app.signIn({ ...older, ...password })
    expect(await stateOf(token)).toBeNull()
    expect((await onboard({ session: newer.json.session as string, file: picture })).status).toBe(200)
  })
})

describe('rejected submissions keep nothing', () => {
  const kinds: [string, () => Promise<Upload> | Upload, number, string, string][] = [
    ['no file', () => ({}), 422, 'id_file', 'Please select file!'],
    ['an empty file', () => ({ file: Buffer.alloc(0) }), 422, 'id_file', 'is empty'],
    ['no method', () => ({ method: '', file: picture }), 422, 'method', 'must not be empty'],
    ['an unknown method', () => ({ method: 'library_card', file: picture }), 422, 'method', 'is invalid'],
    [
      'a status from outside',
      () => ({ file: picture, more: { status: 'Approved' } }),
      422,
      'status',
      'is not a known field',
    ],
    ['another user', () => ({ file: picture, more: { user_id: '1' } }), 422, 'user_id', 'is not a known field'],
    ['an SVG', () => ({ file: SVG }), 415, 'id_file', 'must be a JPEG, PNG or WebP image'],
    ['a page', () => ({ file: HTML }), 415, 'id_file', 'must be a JPEG, PNG or WebP image'],
    ['a GIF', () => ({ file: GIF }), 415, 'id_file', 'must be a JPEG, PNG or WebP image'],
    [
      'half a picture',
      () => ({ file: picture.subarray(0, picture.length / 2) }),
      422,
      'id_file',
      'cannot be read as an image',
    ],
    ['a bomb', () => ({ file: pngBomb(16_000) }), 422, 'id_file', 'has too many pixels: at most 50 megapixels'],
    ['one byte too many', () => ({ file: Buffer.alloc(LIMIT + 1, 0xff) }), 413, 'id_file', 'must be at most 5 MB'],
  ]

  test.each(kinds)('%s', async (_what, make, status, field, message) => {
    const user = await app.newUser()
    const { token, user: me } = await app.signIn(user)
    const before = storedFiles().length
    const upload = await make()
    for (const answer of [await verify(token, upload), await onboard({ ...upload, session: user.session })]) {
      expect(answer.status).toBe(status)
      expect(answer.json.errors).toContainEqual({ field, message })
    }
    expect(await checksOf(me.id)).toEqual([])
    expect(storedFiles()).toHaveLength(before)
    // The rejections didn't use up the session.
    expect((await onboard({ session: user.session, file: picture })).status).toBe(200)
  })

  test('accepts an image of exactly 5 MB, and strips an embedded page', async () => {
    const { token } = await app.signIn(await app.newUser())
    const padded = Buffer.concat([picture, Buffer.from(SCRIPT), Buffer.alloc(LIMIT - picture.length - SCRIPT.length)])
    expect((await verify(token, { file: padded, name: '../../evil.html' })).status).toBe(200)
    const check = (await stateOf(token))!
    const read = await app.send('GET', check.id_file_url, undefined, { token })
    expect(read.bytes.includes('script')).toBe(false)
    expect(read.bytes.length).toBeLessThan(LIMIT / 10)
  })

  test('rejects an invalid session, token or form', async () => {
    const user = await app.newUser()
    const missing = await onboard({ file: picture })
    expect(missing.json).toMatchObject({ code: 'validation_failed', message: 'Session is required' })
    for (const session of ['guessed', 'x'.repeat(43), await app.hashFor(user.email, /Confirm/)]) {
      expect((await onboard({ session, file: picture })).json.code).toBe('invalid_session')
    }
    expect((await verify('x'.repeat(43), { file: picture })).status).toBe(401)
    const { token } = await app.signIn(user)
    const json = await app.call('POST /profile/user-verification', { method: 'national_id' }, { token })
    expect(json.status).toBe(415)
    const two = form({ file: picture })
    two.append('id_file', new Blob([new Uint8Array(picture)]), 'second.jpg')
    const twice = await app.call('POST /profile/user-verification', two, { token })
    expect(twice.status).toBe(422)
    expect(await stateOf(token)).toBeNull()
  })
})

test('an ID submitted while signed in ends the onboarding session too, and so does a decision', async () => {
  const user = await app.newUser()
  const { token } = await app.signIn(user)
  expect((await verify(token, { file: picture })).status).toBe(200)
  const late = await app.call('POST /auth/complete-profile', { ...PROFILE, session: user.session })
  expect(late.json.code).toBe('invalid_session')
  expect((await onboard({ session: user.session, file: picture })).json.code).toBe('invalid_session')
  // Registering again is no way around it.
  const again = await app.call('POST /auth/register', registration({ email: user.email }))
  expect(again.json.code).toBe('already_exists')
})

const PROFILE = {
  gender: 'female',
  date_of_birth: '1985-12-10',
  address: 'a',
  city: 'b',
  state: 'c',
  country: 'France',
}

describe('deciding an identity check', () => {
  const decide = async (work: (tx: Tx) => ReturnType<typeof approveCheck>) => {
    await inTransaction(app.db, work)
  }
  async function handedIn(profile: object | null = PROFILE) {
    const user = await app.newUser()
    if (profile) await app.call('POST /auth/complete-profile', { ...profile, session: user.session })
    const { token, user: me } = await app.signIn(user)
    await verify(token, { file: picture })
    return { token, email: user.email, userId: me.id, id: (await checksOf(me.id))[0]!.id }
  }

  test('an approval is final, shown and sent to the owner', async () => {
    const { token, email, userId, id } = await handedIn()
    await decide((tx) => approveCheck(app.kyc, tx, id))
    expect(await stateOf(token)).toMatchObject({ status: 'Approved' })
    expect((await app.mailsTo(email)).map((mail) => mail.subject)).toContain('Your identity is verified')
    expect((await verify(token, { file: picture })).json.code).toBe('wrong_state')
    await expect(decide((tx) => rejectCheck(app.kyc, tx, id, 'No.'))).rejects.toMatchObject({ code: 'wrong_state' })
    await expect(reject(userId)).rejects.toThrow(/final/)
  })

  test("an ID can't be approved without profile data", async () => {
    const { token, id } = await handedIn(null)
    await expect(decide((tx) => approveCheck(app.kyc, tx, id))).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('(date of birth, address, city, state, country)'),
    })
    expect(await stateOf(token)).toMatchObject({ status: 'Pending' })
    await decide((tx) => rejectCheck(app.kyc, tx, id, 'No profile.'))
  })

  test('after a rejection with a reason, another can be submitted, and the old one stays decided', async () => {
    const { token, email, userId, id } = await handedIn()
    await decide((tx) => rejectCheck(app.kyc, tx, id, 'It is not sharp <b>enough</b>.'))
    expect(await stateOf(token)).toMatchObject({ status: 'Rejected', reason: 'It is not sharp <b>enough</b>.' })
    const received = (await app.mailsTo(email)).find((mail) => mail.subject === 'Your ID was rejected')!
    expect(received.text).toContain('It is not sharp <b>enough</b>.')
    expect(received.html).not.toContain('<b>enough')
    expect((await verify(token, { file: picture })).status).toBe(200)
    await expect(decide((tx) => approveCheck(app.kyc, tx, id))).rejects.toMatchObject({ code: 'wrong_state' })
    const newer = (await checksOf(userId)).at(-1)!.id
    await decide((tx) => approveCheck(app.kyc, tx, newer))
    expect(await stateOf(token)).toMatchObject({ status: 'Approved' })
  })

  test("twenty parallel decisions count once, and an unknown check can't be decided", async () => {
    const { id } = await handedIn()
    const done = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        decide((tx) => (n % 2 ? approveCheck(app.kyc, tx, id) : rejectCheck(app.kyc, tx, id, 'No.'))),
      ),
    )
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(decide((tx) => approveCheck(app.kyc, tx, 999_999n))).rejects.toMatchObject({ code: 'not_found' })
  })
})
