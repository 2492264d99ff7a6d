import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { User } from '#contract/account/user.ts'
import { GIF, HTML, photo, pngBomb, SVG } from '#tests/support/pictures.ts'
import { type Reply, sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'

const PROFILE = {
  firstname: 'Augusta',
  lastname: 'King',
  phone: '+44 20 7946 0001',
  gender: 'female',
  country: 'United Kingdom',
  state: 'Greater London',
  city: 'London',
  address: "12 St. James's Square",
}

let app: WholeApp
let picture: Buffer
beforeAll(async () => {
  app = await sharedApp()
  picture = await photo()
})
afterAll(() => app.stop())

const write = (trader: Trader, body: unknown) => app.send('PATCH', '/api/users', { token: trader.token, body })
function update(trader: Trader, fields: Record<string, string>, avatar?: Buffer, name = 'me.jpg'): Promise<Reply> {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  if (avatar) form.set('avatar', new Blob([new Uint8Array(avatar)], { type: 'image/jpeg' }), name)
  return app.send('POST', '/api/users/update', { token: trader.token, body: form })
}
const userOf = (reply: Reply): User => {
  expect(reply.status, reply.text).toBe(200)
  return reply.json!.data as User
}
const me = async (trader: Trader) => userOf(await app.send('GET', '/api/users/me', { token: trader.token }))

describe('invisible characters', () => {
  const HIDDEN = [
    ['a bidi override', 'Ada\u202Enoryb'],
    ['a bidi isolate', 'Ada\u2066Byron'],
    ['a zero-width space', 'Ada\u200BByron'],
    ['a zero-width joiner', 'Ada\u200DByron'],
    ['a byte order mark', 'Ada\uFEFFByron'],
    ['a soft hyphen', 'Ada\u00ADByron'],
    ['a control character', 'Ada\u0007Byron'],
    ['a line break', 'Ada\nByron'],
    ['a filler character that counts as a letter', '\u3164\u3164\u3164'],
    ['a blank pattern', '\u2800\u2800\u2800'],
  ] as const

  test.each(HIDDEN)('rejects %s in every name and address', async (_what, value) => {
    const trader = await app.trader()
    for (const field of ['firstname', 'lastname', 'state', 'city', 'address']) {
      const refused = { code: 'validation_failed', errors: [{ field, message: 'is invalid' }] }
      expect((await write(trader, { ...PROFILE, [field]: value })).json, `${field}, whole`).toMatchObject(refused)
      expect((await update(trader, { [field]: value })).json, `${field}, in a form`).toMatchObject(refused)
    }
    const password = { password: 'analytical engine', confirmPassword: 'analytical engine' }
    const person = { firstname: 'Ada', lastname: 'Byron', email: `hidden-${Math.random()}@example.org`, ...password }
    const session = trader.session
    const profile = { gender: 'female', date_of_birth: '1985-12-10', country: 'France' }
    const place = { address: 'a', city: 'b', state: 'c' }
    const bank = { type: 'Checking', account_number: '000123456789', routing_number: '021000021', amount: 10 }
    const message = { email: 'eve@example.org', message: 'Hello' }
    for (const [path, body, field, token] of [
      ['/api/auth/register', { ...person, firstname: value }, 'firstname'],
      ['/api/auth/register', { ...person, lastname: value }, 'lastname'],
      ['/api/auth/complete-profile', { ...profile, ...place, city: value, session }, 'city'],
      ['/api/withdraw/bank', { ...bank, bank_name: value }, 'bank_name', trader.token],
      ['/api/public/contact', { ...message, name: value }, 'name'],
    ] as const) {
      const reply = await app.send('POST', path, { body, token })
      expect(reply.json, `${path}: ${field}`).toMatchObject({ errors: [{ field, message: 'is invalid' }] })
    }
  })

  test('accepts names in all scripts, but not digits and signs alone', async () => {
    const trader = await app.trader()
    for (const firstname of [
      'Zoë-Ann',
      "O'Neill",
      '\u674E\u5C0F\u9F99',
      '\u0645\u062D\u0645\u062F',
      '\u0410\u043D\u043D\u0430',
      'N\u0323go',
    ])
      expect((await write(trader, { ...PROFILE, firstname })).status, firstname).toBe(200)
    for (const firstname of ['12345', '---', '\u{1F600}\u{1F600}\u{1F600}'])
      expect((await write(trader, { ...PROFILE, firstname })).status, firstname).toBe(422)
    expect((await write(trader, { ...PROFILE, address: '12 / 3' })).status).toBe(200)
  })
})

describe('the date of birth', () => {
  test('can be added later, and is rejected with a message below 18', async () => {
    const trader = await app.trader()
    expect((await me(trader)).date_of_birth).toBe('')
    const day = (yearsAgo: number, plusDays: number) => {
      const date = new Date()
      date.setUTCFullYear(date.getUTCFullYear() - yearsAgo, date.getUTCMonth(), date.getUTCDate() + plusDays)
      return date.toISOString().slice(0, 10)
    }
    const tooYoung = {
      code: 'validation_failed',
      message: 'You must be at least 18 years old to open an account.',
      errors: [{ field: 'date_of_birth', message: 'You must be at least 18 years old to open an account.' }],
    }
    const young = day(18, 1)
    expect((await write(trader, { ...PROFILE, date_of_birth: young })).json).toMatchObject(tooYoung)
    expect((await update(trader, { date_of_birth: young })).json).toMatchObject(tooYoung)
    const { gender, country, state, city, address } = PROFILE
    const body = { gender, country, state, city, address, date_of_birth: young, session: trader.session }
    expect((await app.send('POST', '/api/auth/complete-profile', { body })).json).toMatchObject(tooYoung)
    expect(userOf(await write(trader, { ...PROFILE, date_of_birth: day(18, 0) })).date_of_birth).toBe(day(18, 0))
    // Omitted fields keep their values.
    expect(userOf(await write(trader, PROFILE)).date_of_birth).toBe(day(18, 0))
    expect(userOf(await update(trader, { date_of_birth: '' })).date_of_birth).toBe(day(18, 0))
  })
})

describe('PATCH /users', () => {
  test('replaces the whole profile and returns the user', async () => {
    const [trader, other] = [await app.trader(), await app.trader()]
    const before = await me(other)
    const reply = await write(trader, PROFILE)
    expect(reply.json).toMatchObject({ status: true, message: 'Profile updated successfully!' })
    expect(userOf(reply)).toMatchObject({ ...PROFILE, id: trader.id, email: trader.email, avatar: null })
    expect(await me(trader)).toEqual(reply.json!.data)
    const { phone: _, ...rest } = PROFILE
    expect(userOf(await write(trader, rest)).phone).toBe('')
    expect(await me(other)).toEqual(before)
  })

  test.each([
    ['no first name', { firstname: '' }, 'firstname', 'is required'],
    ['no last name', { lastname: undefined }, 'lastname', 'is required'],
    ['two letters', { firstname: ' Al ' }, 'firstname', 'must be at least 3 characters long'],
    ['a long name', { lastname: 'x'.repeat(61) }, 'lastname', 'must be at most 60 characters long'],
    ['no address', { address: '' }, 'address', 'must not be empty'],
    ['no city', { city: ' ' }, 'city', 'must not be empty'],
    ['no country', { country: '' }, 'country', 'must not be empty'],
    ['no gender', { gender: '' }, 'gender', 'must not be empty'],
    ['no state', { state: undefined }, 'state', 'must not be empty'],
    ["the gender 'others' if not already set", { gender: 'others' }, 'gender', 'is invalid'],
    ['an unknown country', { country: 'Atlantis' }, 'country', 'is invalid'],
    ['a short phone number', { phone: '12345' }, 'phone', 'must be at least 10 characters long'],
    ['another e-mail', { email: 'eve@example.org' }, 'email', 'is not a known field'],
    ['a balance', { balance: 1 }, 'balance', 'is not a known field'],
    ['a plan', { trading_plan: 'Diamond-50730' }, 'trading_plan', 'is not a known field'],
    ['a verified address', { email_verified: true }, 'email_verified', 'is not a known field'],
    ['another user', { id: '1' }, 'id', 'is not a known field'],
    ['an avatar by URL', { avatar: 'https://evil.example/x.png' }, 'avatar', 'is not a known field'],
    ['a number', { city: 7 }, 'city', 'must be text'],
  ])('rejects %s on its field and writes nothing', async (_what, change, field, message) => {
    const trader = await app.trader()
    const before = await me(trader)
    const reply = await write(trader, { ...PROFILE, ...change })
    expect([reply.status, reply.json?.code]).toEqual([422, 'validation_failed'])
    expect(reply.json!.errors).toContainEqual({ field, message })
    expect(await me(trader)).toEqual(before)
  })

  test("'others' stays available to those who have it", async () => {
    const trader = await app.trader()
    await app.db.updateTable('users').set({ gender: 'others' }).where('id', '=', BigInt(trader.id)).execute()
    expect(userOf(await write(trader, { ...PROFILE, gender: 'others' })).gender).toBe('others')
    expect(userOf(await write(trader, PROFILE)).gender).toBe('female')
    expect((await write(trader, { ...PROFILE, gender: 'others' })).status).toBe(422)
  })
})

describe('POST /users/update', () => {
  test('ignores empty and missing fields', async () => {
    const trader = await app.trader()
    await write(trader, PROFILE)
    const user = userOf(await update(trader, { city: 'Bath', phone: '', firstname: '' }))
    expect(user).toMatchObject({ ...PROFILE, city: 'Bath' })
    expect(userOf(await update(trader, { lastname: 'Byron' }))).toMatchObject({ lastname: 'Byron', city: 'Bath' })
  })

  test.each([
    [{ firstname: 'Al' }, 'firstname'],
    [{ country: 'Atlantis' }, 'country'],
    [{ gender: 'others' }, 'gender'],
    [{ gender: 'x' }, 'gender'],
    [{ phone: '123' }, 'phone'],
    [{ email: 'eve@example.org' }, 'email'],
    [{ balance: '5' }, 'balance'],
  ])('rejects %j and keeps nothing of its image', async (fields, field) => {
    const trader = await app.trader()
    const reply = await update(trader, fields as Record<string, string>, picture)
    expect([reply.status, reply.json?.code]).toEqual([422, 'validation_failed'])
    expect(reply.json!.errors).toContainEqual({ field, message: expect.any(String) })
    expect((await me(trader)).avatar).toBeNull()
  })
})

describe('the avatar', () => {
  test('is re-encoded, public under a random name, and replaced by the next', async () => {
    const trader = await app.trader()
    const large = await sharp(picture).resize(1_600, 900, { fit: 'fill' }).withMetadata().jpeg().toBuffer()
    const { avatar } = userOf(await update(trader, {}, large, '../../evil.svg'))
    expect(avatar).toMatch(/^\/api\/avatars\/[0-9a-f]{40}$/)
    const response = await fetch(app.origin + avatar)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    // Only the metadata records that the camera was held upright.
    const kept = Buffer.from(await response.arrayBuffer())
    const { format, width, height, exif } = await sharp(kept).metadata()
    expect({ format, width, height, exif }).toEqual({ format: 'jpeg', width: 288, height: 512 })
    expect(kept.includes('Secret Artist')).toBe(false)

    const next = userOf(await update(trader, { city: 'Bath' }, picture)).avatar!
    expect(next).not.toBe(avatar)
    expect((await fetch(app.origin + avatar)).status).toBe(404)
    expect((await fetch(app.origin + next)).status).toBe(200)
    expect(userOf(await write(trader, PROFILE)).avatar).toBe(next)
  })

  test('of ten parallel uploads one remains and is served', async () => {
    const trader = await app.trader()
    const replies = await Promise.all(Array.from({ length: 10 }, () => update(trader, {}, picture)))
    const names = replies.map((reply) => (reply.json!.data as User).avatar!)
    const { avatar } = await me(trader)
    expect(names).toContain(avatar)
    const shown = await Promise.all([...new Set(names)].map(async (name) => (await fetch(app.origin + name)).status))
    expect(shown.filter((status) => status === 200)).toHaveLength(1)
    expect((await fetch(app.origin + avatar)).status).toBe(200)
  })

  test('its URL serves no other file, such as an ID', async () => {
    const trader = await app.trader()
    const form = new FormData()
    form.set('method', 'national_id')
    form.set('id_file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'id.jpg')
    await app.send('POST', '/api/profile/user-verification', { token: trader.token, body: form })
    const { json } = await app.send('GET', '/api/profile/user-verification', { token: trader.token })
    const name = (json!.data as { id_file_url: string }).id_file_url.split('/').at(-1)!
    for (const tried of [name, '..%2ffiles.key', 'f'.repeat(40), '%00', "'%20or%201=1--"]) {
      const { status } = await app.send('GET', `/api/avatars/${tried}`, { token: trader.token })
      expect([404, 422], tried).toContain(status)
    }
  })

  test.each([
    ['SVG', Buffer.from(SVG), 415],
    ['HTML', Buffer.from(HTML), 415],
    ['GIF', Buffer.from(GIF), 415],
    ['noise', randomBytes(1_000), 415],
    ['more than 2 MB', Buffer.alloc(2_097_153, 1), 413],
  ])('rejects %s', async (_what, bytes, status) => {
    const trader = await app.trader()
    expect((await update(trader, PROFILE, bytes)).status).toBe(status)
    expect(await me(trader)).toMatchObject({ avatar: null, firstname: 'Eve' })
  })

  test('rejects broken images and decompression bombs', async () => {
    const trader = await app.trader()
    expect((await update(trader, {}, picture.subarray(0, picture.length / 2))).status).toBe(422)
    expect((await update(trader, {}, pngBomb(16_000))).status).toBe(422)
    expect((await me(trader)).avatar).toBeNull()
  })

  test('requires a session', async () => {
    expect((await app.send('PATCH', '/api/users', { body: PROFILE })).status).toBe(401)
    const form = new FormData()
    form.set('city', 'Bath')
    expect((await app.send('POST', '/api/users/update', { body: form })).status).toBe(401)
  })
})
