import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DeskChat, DeskConversation } from '#contract/desk/people/chats.ts'
import { sql } from '#server/platform/database/db.ts'
import { HOSTILE } from '#tests/support/hostile.ts'
import { talk, words } from '#tests/support/people/chat.ts'
import { type DeskOperator, operator } from '#tests/support/people/desk.ts'
import { startWholeApp, type WholeApp } from '#tests/support/servers/app.ts'

const TEXTS = HOSTILE.filter(({ kind }) => kind === 'text').map(({ json }) => JSON.parse(json) as string)

const folder = mkdtempSync(join(tmpdir(), 'cleartick-chat-'))
let app: WholeApp
beforeAll(async () => {
  const SITE_FILE = join(folder, 'site.json')
  writeFileSync(SITE_FILE, JSON.stringify({ deskName: 'Client care' }))
  app = await startWholeApp({ SITE_FILE })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function visitor(session?: string) {
  const talking = await talk(app, session)
  onTestFinished(() => talking.leave())
  return talking
}
/** Backdates every operator's last activity, so that no one is at the desk. */
const nobodyHere = () =>
  sql`update operator_sessions set last_seen_at = clock_timestamp() - interval '3 minutes'`.execute(app.db)
const support = async (): Promise<DeskOperator> => operator(app, ['support'])
const newest = async (desk: DeskOperator): Promise<DeskChat> => {
  const { json, status, text } = await desk.ask('GET', '/chats')
  expect(status, text).toBe(200)
  return (json!.data as DeskChat[])[0]!
}
const conversation = async (desk: DeskOperator, id: string): Promise<DeskConversation> => {
  const { status, json, text } = await desk.ask('GET', `/chats/${id}`)
  expect(status, text).toBe(200)
  return json!.data as DeskConversation
}
const mailsTo = async (to: string) =>
  JSON.parse((await app.send('GET', `/mailbox.json?to=${encodeURIComponent(to)}`)).text) as {
    subject: string
    text: string
  }[]

describe('a visitor and the desk', () => {
  test("exchange messages, and the visitor's token restores the conversation", async () => {
    const desk = await support()
    const eve = await visitor()
    expect(await eve.say({})).toMatchObject({ status: 'None', desk: 'here', operator: null, messages: [] })
    const first = await eve.say({ text: 'Is the demo free?' })
    expect(first).toMatchObject({
      status: 'Open',
      desk: 'here',
      messages: [{ from: 'you', text: 'Is the demo free?' }],
    })
    expect(first.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    // The socket is already in the conversation, so it gets no second token.
    expect((await eve.say({ text: 'Hello?' })).token).toBeUndefined()

    const waiting = await newest(desk)
    expect(waiting).toMatchObject({ email: '', user_id: null, status: 'Open', here: true, claimed_by: null })
    expect(waiting.waits_since).not.toBeNull()
    const reply = await desk.ask('POST', `/chats/${waiting.id}/reply`, { body: { text: 'It is.' } })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.json!.data).toMatchObject({ waits_since: null, claimed_by: { mine: true } })
    const answered = await eve.until(
      () => eve.news().find(({ messages }) => messages.some(({ from }) => from === 'desk')),
      'the answer',
    )
    expect(answered).toMatchObject({ operator: 'Client care', messages: [{ from: 'desk', text: 'It is.' }] })
    await desk.ask('POST', `/chats/${waiting.id}/typing`)
    await eve.until(() => eve.news().find((news) => news.typing), 'the operator writing')
    expect(JSON.stringify(eve.news()), 'nothing of whose answer it was').not.toContain(desk.email.split('@')[0])

    const later = await visitor()
    const found = await later.say({ token: first.token! })
    expect(found.messages.map(({ from, text }) => [from, text])).toEqual([
      ['you', 'Is the demo free?'],
      ['you', 'Hello?'],
      ['desk', 'It is.'],
    ])
    // Both windows show messages from either.
    await later.say({ text: 'Thanks' })
    await eve.until(() => (words(eve.news()).includes('Thanks') ? true : undefined), 'the other window')
    expect((await conversation(desk, waiting.id)).messages.map(({ text }) => text)).toEqual([
      'Is the demo free?',
      'Hello?',
      'It is.',
      'Thanks',
    ])
    expect(await app.db.selectFrom('audit').selectAll().where('item_kind', '=', 'chats').execute()).toMatchObject([
      { action: 'reply', item_id: waiting.id, operator: desk.email },
    ])
  })

  test('see each other typing', async () => {
    const desk = await support()
    const eve = await visitor()
    await eve.say({ text: 'Hi' })
    const { id } = await newest(desk)
    eve.tell({ typing: true })
    await expect.poll(async () => (await conversation(desk, id)).typing).toBe(true)
    await desk.ask('POST', `/chats/${id}/typing`)
    await eve.until(() => eve.news().find((news) => news.typing), 'the operator writing')
    await eve.say({ text: 'Done' })
    expect((await conversation(desk, id)).typing, 'who has spoken is not writing').toBe(false)
  })

  test("two operators can't answer at once; a new message reopens a closed chat", async () => {
    const [anna, ben] = [await support(), await support()]
    const eve = await visitor()
    await eve.say({ text: 'Hi' })
    const { id } = await newest(anna)
    expect((await anna.ask('POST', `/chats/${id}/claim`)).status).toBe(200)
    for (const step of ['claim', 'release', 'reply', 'typing', 'close']) {
      const sent = step === 'reply' ? { body: { text: 'x' } } : {}
      const { status, json } = await ben.ask('POST', `/chats/${id}/${step}`, sent)
      expect([step, status, json?.code]).toEqual([step, 409, 'claimed'])
    }
    expect((await anna.ask('POST', `/chats/${id}/close`)).json!.data).toMatchObject({
      status: 'Closed',
      claimed_by: null,
    })
    await eve.until(() => eve.news().find(({ status }) => status === 'Closed'), 'the end')
    expect((await anna.ask('POST', `/chats/${id}/reply`, { body: { text: 'late' } })).status).toBe(409)
    expect(await eve.say({ text: 'One more thing' })).toMatchObject({ status: 'Open' })
    expect(await newest(ben)).toMatchObject({ id, status: 'Open' })
  })
})

describe('a trader', () => {
  test('has one private conversation in all windows, tied to the session', async () => {
    const desk = await support()
    const trader = await app.trader()
    const [one, two, other] = [await visitor(trader.token), await visitor(trader.token), await visitor()]
    const said = await one.say({ text: 'Where is my money?' })
    expect(said.token).toBeUndefined()
    const { id, email, user_id } = await newest(desk)
    expect([email, user_id]).toEqual([trader.email, trader.id])
    await desk.ask('POST', `/chats/${id}/reply`, { body: { text: 'On its way.' } })
    for (const window of [one, two])
      await window.until(() => (words(window.news()).includes('On its way.') ? true : undefined), 'the answer')
    expect((await two.say({})).messages).toHaveLength(2)
    expect((await other.say({})).messages).toEqual([])
    expect(words(other.news())).toEqual([])
    // The push has a sequence number, like all messages to this user.
    const pushed = two.received.filter((message) => 'seq' in message && message.op === 'chat')
    expect(pushed.length).toBe(2)
  })

  test('two parallel first messages start one conversation', async () => {
    const trader = await app.trader()
    const [one, two] = [await visitor(trader.token), await visitor(trader.token)]
    await Promise.all([one.say({ text: 'a' }), two.say({ text: 'b' })])
    const rows = await app.db.selectFrom('chats').selectAll().where('user_id', '=', BigInt(trader.id)).execute()
    expect(rows).toHaveLength(1)
    // Each window receives the messages of both.
    for (const window of [one, two])
      await window.until(() => (words(window.news()).length === 2 ? true : undefined), 'both first words')
    const fresh = await visitor(trader.token)
    expect((await fresh.say({})).messages.map(({ text }) => text).sort()).toEqual(['a', 'b'])
  })
})

describe('while no one is at the desk', () => {
  test('a visitor leaves an address, support is e-mailed, and the reply is sent by e-mail', async () => {
    await nobodyHere()
    const eve = await visitor()
    const email = `gone-${Math.random().toString(36).slice(2)}@example.org`
    const first = await eve.say({ text: 'Anyone? <b>me</b>' })
    expect(first).toMatchObject({ desk: 'away', email: null })
    const mails = async () => (await mailsTo('support@cleartick.example')).filter(({ text }) => text.includes(email))
    expect(await eve.say({ email })).toMatchObject({ email, desk: 'away' })
    expect(await mails()).toMatchObject([{ subject: expect.stringMatching(/^Chat \d+ is waiting/) }])
    expect((await mails())[0]!.text).toContain('Anyone? <b>me</b>')
    await eve.say({ text: 'Still there?' })
    const second = await mails()
    expect(second).toHaveLength(2)
    expect(second[0]!.text, 'what was mailed is not mailed again').not.toContain('Anybody?')
    eve.leave()

    const desk = await support()
    await expect.poll(() => newest(desk)).toMatchObject({ email, here: false })
    const waiting = await newest(desk)
    await desk.ask('POST', `/chats/${waiting.id}/reply`, { body: { text: 'Now we are.' } })
    expect(await mailsTo(email)).toMatchObject([{ subject: 'Your chat with Cleartick' }])
    expect((await mailsTo(email))[0]!.text).toContain('Now we are.')
  })

  test('a token opens one conversation; a guess opens nothing', async () => {
    const eve = await visitor()
    await eve.say({ text: 'secret words' })
    const guess = await visitor()
    expect(await guess.say({ token: 'x'.repeat(43) })).toMatchObject({ status: 'None', messages: [] })
    const begun = await guess.say({ token: 'x'.repeat(43), text: 'mine' })
    expect(begun.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect((await guess.say({})).messages.map(({ text }) => text)).toEqual(['mine'])
    const { rows } = await sql<{ found: boolean }>`
      select exists (select from chats where token_hash = ${Buffer.from(begun.token!)}) as found`.execute(app.db)
    expect(rows[0]!.found, 'tokens are not stored').toBe(false)
  })
})

describe('hostile messages', () => {
  test('are returned unchanged and break nothing', async () => {
    const desk = await support()
    const eve = await visitor()
    const said: string[] = []
    for (const text of [...TEXTS, '<img src=x onerror=alert(1)>', 'a\0b', '\ud800', '🙂'.repeat(900)]) {
      if (text.trim() === '' || Buffer.byteLength(JSON.stringify({ op: 'chat', text })) > 4096) continue
      said.push(text.trim().toWellFormed().replaceAll('\0', '\ufffd'))
      await eve.say({ text })
      await sleep(60)
    }
    const { id } = await newest(desk)
    const kept = (await conversation(desk, id)).messages.map(({ text }) => text)
    expect(kept).toEqual(said.slice(-100))
    expect((await eve.say({})).messages.map(({ text }) => text)).toEqual(kept)
  })

  test.each([
    [{ text: '' }],
    [{ text: '   ' }],
    [{ text: 7 }],
    [{ email: 'no address' }],
    [{ email: 'a@b.example\r\nBcc: c@d.example' }],
    [{ token: '' }],
    [{ typing: false }],
    [{ chatId: '1' }],
  ])('rejects %j', async (saying) => {
    const eve = await visitor()
    eve.tell(saying)
    await eve.until(() => eve.errors()[0], 'a refusal')
    expect(eve.news()).toEqual([])
  })

  test('says of which field it was', async () => {
    const eve = await visitor()
    eve.tell({ email: 'nobody' })
    const email = { message: 'Email is invalid', said: { email: 'nobody' } }
    expect(await eve.until(() => eve.errors()[0], 'a refusal')).toMatchObject(email)
    eve.tell({ text: '' })
    expect(await eve.until(() => eve.errors()[1], 'a refusal')).toMatchObject({ said: { text: '' } })
  })

  test("a message that's too long closes the socket", async () => {
    const eve = await visitor()
    const ended = new Promise<number>((resolve) => eve.socket.once('close', resolve))
    eve.tell({ text: 'x'.repeat(4_100) })
    expect(await ended).toBe(1009)
  })
})

test('a sender who is too fast must wait; the conversation continues', async () => {
  const limited = await startWholeApp({ RATE_LIMITS: 'on' })
  onTestFinished(() => limited.stop())
  const eve = await talk(limited)
  onTestFinished(() => eve.leave())
  await eve.say({ text: '0' })
  for (let n = 1; n < 20; n++) {
    await eve.say({ text: String(n) })
    await sleep(60)
  }
  eve.tell({ text: 'one too many' })
  expect(await eve.until(() => eve.errors()[0], 'a refusal')).toMatchObject({
    ...{ code: 'too_many_requests', said: { text: 'one too many' } },
  })
  expect((await eve.say({})).messages).toHaveLength(20)
})

test("visitors who use up their network's limits don't silence a trader there", async () => {
  const limited = await startWholeApp({ RATE_LIMITS: 'on' })
  onTestFinished(() => limited.stop())
  const ada = await talk(limited, (await limited.trader()).token)
  onTestFinished(() => ada.leave())
  await ada.say({ text: 'Where is my deposit?' })
  const strangers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const one = await talk(limited)
      onTestFinished(() => one.leave())
      for (let n = 0; n < 21; n++) {
        one.tell({ text: String(n) })
        await sleep(60)
      }
      for (let n = 0; n < 31; n++) {
        one.tell({})
        await sleep(60)
      }
      return one
    }),
  )
  for (const one of strangers) await one.until(() => one.errors()[0], 'a refusal')
  const eve = await talk(limited)
  onTestFinished(() => eve.leave())
  eve.tell({ text: 'Me too.' })
  await eve.until(() => eve.errors()[0], 'a refusal of their network')
  expect((await ada.say({})).messages.map(({ text }) => text)).toEqual(['Where is my deposit?'])
  expect((await ada.say({ text: 'Hello?' })).messages.map(({ text }) => text)).toEqual(['Hello?'])
  expect(ada.errors()).toEqual([])
})
