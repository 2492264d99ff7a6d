import { expect, test } from 'vitest'
import type { ChatMessage, ChatNews } from '#contract/messages/chat.ts'
import { createConversation, type Kept } from './conversation.ts'

const HERE: ChatNews = { status: 'Open', desk: 'here', operator: null, typing: false, email: null, messages: [] }
const message = (id: number, from: ChatMessage['from'], text: string): ChatMessage => ({
  id: String(id),
  from,
  text,
  at: '2026-01-01T00:00:00.000Z',
})

function begin(kept: Kept = {}) {
  const said: object[] = []
  let trader = false
  let box = kept
  const talk = createConversation({
    say: (saying) => said.push(saying) > 0,
    kept: () => box,
    keep: (next) => {
      box = next
    },
    isTrader: () => trader,
  })
  const say = (text: string) => {
    talk.type(text)
    talk.speak()
  }
  return { talk, say, said, kept: () => box, signIn: () => (trader = true) }
}

test('stores the token of the first message and sends it with the next ones', () => {
  const { talk, say, said, kept } = begin()
  talk.ready()
  talk.news({ ...HERE, status: 'None' })
  say(' Hello ')
  expect(talk.state().waiting).toEqual(['Hello'])
  talk.news({ ...HERE, token: 'secret', messages: [message(1, 'you', 'Hello')] })
  expect(kept().token).toBe('secret')
  expect(talk.state()).toMatchObject({ waiting: [], messages: [{ text: 'Hello' }] })
  say('More')
  expect(said).toEqual([{}, { text: 'Hello' }, { token: 'secret', text: 'More' }])
})

test('resends only unacknowledged messages after a reconnect', () => {
  const { talk, say, said } = begin({ token: 'secret' })
  talk.ready()
  talk.news({ ...HERE, messages: [message(1, 'you', 'ok')] })
  say('ok')
  talk.lost()
  say('later')
  said.length = 0
  talk.ready()
  expect(said).toEqual([{ token: 'secret' }])
  talk.news({ ...HERE, messages: [message(1, 'you', 'ok'), message(2, 'you', 'ok')] })
  expect(said.slice(1)).toEqual([{ token: 'secret', text: 'later' }])
  expect(talk.state().waiting).toEqual(['later'])
})

test('shows repeated messages once, in order', () => {
  const { talk } = begin()
  talk.ready()
  talk.news({ ...HERE, messages: [message(3, 'desk', 'c')] })
  talk.news({ ...HERE, messages: [message(1, 'you', 'a'), message(3, 'desk', 'c')] })
  expect(talk.state().messages.map(({ text }) => text)).toEqual(['a', 'c'])
})

test('keeps desk messages unread until opened, even after a reload', () => {
  const { talk, kept } = begin()
  talk.ready()
  talk.news({ ...HERE, messages: [message(1, 'you', 'a'), message(2, 'desk', 'b')] })
  expect(talk.state().unread).toBe(1)
  talk.show(true)
  expect(talk.state().unread).toBe(0)
  const again = begin(kept())
  again.talk.ready()
  again.talk.news({ ...HERE, messages: [message(2, 'desk', 'b')] })
  expect(again.talk.state().unread).toBe(0)
  again.talk.news({ ...HERE, messages: [message(4, 'desk', 'd')] })
  expect(again.talk.state().unread).toBe(1)
})

test('forgets a conversation that the server no longer knows', () => {
  const { talk, kept } = begin({ token: 'old', read: 7 })
  talk.ready()
  talk.news({ ...HERE, status: 'None' })
  expect(kept()).toEqual({ read: 7 })
})

test('signing in starts a separate conversation tied to the session', () => {
  const { talk, said, signIn } = begin({ token: 'secret' })
  talk.ready()
  talk.news({ ...HERE, messages: [message(1, 'you', 'mine')] })
  signIn()
  talk.ready()
  expect(talk.state().messages).toEqual([])
  expect(said.at(-1)).toEqual({})
})

test("doesn't send a message that is too long", () => {
  const { talk, say, said } = begin()
  talk.ready()
  talk.news(HERE)
  say('ü'.repeat(2_100))
  expect(talk.state()).toMatchObject({ problem: expect.stringContaining('too long'), typed: 'ü'.repeat(2_100) })
  say('   ')
  expect(said).toHaveLength(1)
})

test('a rejected message goes back into its field, unless something else is typed', () => {
  const { talk, say } = begin()
  talk.ready()
  talk.news(HERE)
  for (const text of ['one', 'two', 'three']) say(text)
  talk.refused({ text: 'two' }, 'Too fast.')
  expect(talk.state()).toMatchObject({ problem: 'Too fast.', typed: 'two', waiting: ['one', 'three'] })
  talk.refused({ text: 'three' }, 'Too fast.')
  expect(talk.state()).toMatchObject({ typed: 'two', waiting: ['one'] })
})

test('a rejected address is a problem of its field and keeps the messages', () => {
  const { talk, say, said } = begin()
  talk.ready()
  talk.news(HERE)
  say('one')
  talk.leaveEmail('nobody')
  expect(talk.state()).toMatchObject({ emailProblem: 'Email is invalid', waiting: ['one'] })
  talk.leaveEmail(' a@b.example ')
  expect(said.at(-1)).toEqual({ email: 'a@b.example' })
  expect(talk.state().emailProblem).toBe('')
  talk.refused({ email: 'a@b.example' }, 'Email is invalid')
  expect(talk.state()).toMatchObject({ emailProblem: 'Email is invalid', problem: '', waiting: ['one'] })
})
