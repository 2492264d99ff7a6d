import { expect, test } from 'vitest'
import { canSwitchOff, NOTICE_CHANNELS, NOTICE_KINDS, type Notice } from '#contract/messages/notices.ts'
import { openTestNotices } from '#tests/support/people/notices.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { newestMails } from '../platform/mail/outbox.ts'
import { prefer, preferencesOf } from './preferences.ts'

async function openTraders() {
  const { db } = await testDatabase()
  const userIds = [1n, 2n, 3n, 4n]
  await inTransaction(db, async (tx) => {
    for (const userId of userIds) await openUser(tx, userId)
  })
  await sql`
    update users set email = 'user' || id || '@example.com', email_confirmed_at = case when id in (1, 4) then now() end,
      ended_at = case when id = 2 then now() end`.execute(db)
  const pushed: Notice[] = []
  const webPushed: [bigint, string][] = []
  const notices = openTestNotices(pushed, {
    webPush: async (_tx, rows) =>
      void webPushed.push(...rows.map(({ userId, title }) => [userId, title] as [bigint, string])),
  })
  const written = async () =>
    (await db.selectFrom('notices').select(['user_id', 'title', 'text', 'path']).orderBy('user_id').execute()).map(
      ({ user_id, ...news }) => [Number(user_id), news] as const,
    )
  const recipients = async () => (await newestMails(db, undefined, 100)).map(({ to }) => to).toSorted()
  return { db, userIds, notices, pushed, webPushed, written, recipients }
}

test('many traders receive a notification and an e-mail each; a closed account receives no e-mail', async () => {
  const { db, notices, pushed, written, recipients } = await openTraders()
  const news = { title: 'Stopped', text: 'It stopped.', path: '/user/automatic' } as const
  await inTransaction(db, (tx) => notices.writeToAll(tx, [1n, 2n, 3n], { kind: 'automatic', ...news }))
  expect(await written()).toEqual([1, 2, 3].map((userId) => [userId, news]))
  expect(pushed.map(({ title, text, path, read }) => ({ title, text, path, read }))).toEqual(
    [1, 2, 3].map(() => ({ ...news, read: false })),
  )
  expect(new Set(pushed.map(({ id }) => id)).size).toBe(3)
  expect(await recipients()).toEqual(['user1@example.com', 'user3@example.com'])
  expect((await newestMails(db, 'user1@example.com', 1))[0]).toMatchObject({
    subject: 'Stopped',
    links: ['http://localhost:3000/user/automatic'],
  })
})

test('e-mails about security go only to confirmed addresses, and quiet news to none', async () => {
  const { db, userIds, notices, written, recipients } = await openTraders()
  const news = { title: 'Changed', text: 'Your password was changed.' }
  await inTransaction(db, (tx) => notices.writeToAll(tx, userIds, { kind: 'security', ...news }))
  expect(await recipients()).toEqual(['user1@example.com', 'user4@example.com'])
  await inTransaction(db, (tx) => notices.write(tx, { userId: 4n, kind: 'security', ...news, quiet: true }))
  expect(await recipients()).toHaveLength(2)
  expect((await written()).map(([userId]) => userId)).toEqual([1, 2, 3, 4, 4])
  expect((await written())[0]![1].path).toBe('')
})

test('nothing is written for nobody, or when the transaction is rolled back', async () => {
  const { db, notices, pushed, written, recipients } = await openTraders()
  const news = { kind: 'automatic', title: 'Stopped', text: 'It stopped.' } as const
  await inTransaction(db, (tx) => notices.writeToAll(tx, [], news))
  const failed = inTransaction(db, async (tx) => {
    await notices.writeToAll(tx, [1n], news)
    throw new Error('changed its mind')
  })
  await expect(failed).rejects.toThrow('changed its mind')
  expect([await written(), await recipients(), pushed]).toEqual([[], [], []])
})

test('other news never uses up the e-mails about security and withdrawals', async () => {
  const { db, notices } = await openTraders()
  const write = (kind: Notice['kind'], title: string) =>
    inTransaction(db, (tx) => notices.write(tx, { userId: 1n, kind, title, text: 'It happened.' }))
  for (let n = 0; n < 25; n++) await write('deposit', 'Your deposit was submitted')
  for (let n = 0; n < 25; n++) await write('withdraw', 'You requested a withdrawal')
  await write('security', 'Your password was changed')
  const subjects = (await newestMails(db, 'user1@example.com', 100)).map(({ subject }) => subject)
  const count = (title: string) => subjects.filter((subject) => subject === title).length
  expect(count('Your deposit was submitted')).toBe(20)
  expect(count('You requested a withdrawal')).toBe(25)
  expect(count('Your password was changed')).toBe(1)
})

test('each notification goes where its owner wants those of its kind', async () => {
  const { db, notices, pushed, webPushed, written, recipients } = await openTraders()
  const write = (kind: Notice['kind']) =>
    inTransaction(db, (tx) => notices.writeToAll(tx, [1n, 4n], { kind, title: kind, text: 'It happened.' }))
  await prefer(db, 1n, { kind: 'deposit', channel: 'email', on: false })
  await prefer(db, 1n, { kind: 'deposit', channel: 'push', on: false })
  await write('deposit')
  expect(await recipients()).toEqual(['user4@example.com'])
  expect(webPushed).toEqual([[4n, 'deposit']])
  // Nobody asked for these but user 4, who wants them in the app only.
  await prefer(db, 4n, { kind: 'trade-settled', channel: 'in_app', on: true })
  await write('trade-settled')
  expect((await written()).filter(([, { title }]) => title === 'trade-settled').map(([userId]) => userId)).toEqual([4])
  expect(pushed.filter(({ kind }) => kind === 'trade-settled')).toHaveLength(1)
  expect([await recipients(), webPushed]).toEqual([['user4@example.com'], [[4n, 'deposit']]])
  expect((await preferencesOf(db, 1n)).find(({ kind }) => kind === 'deposit')).toEqual({
    ...{ kind: 'deposit', in_app: true, email: false, push: false },
  })
})

test('what keeps the record, and what warns the owner, is not switched off, by any way', async () => {
  const { db } = await openTraders()
  for (const kind of NOTICE_KINDS)
    for (const channel of NOTICE_CHANNELS) {
      const off = prefer(db, 1n, { kind, channel, on: false })
      if (canSwitchOff(kind, channel)) await off
      else await expect(off, `${kind} ${channel}`).rejects.toMatchObject({ code: 'validation_failed' })
    }
  const raw = (kind: string, channel: string) =>
    sql`update notice_preferences set ${sql.ref(channel)} = false where user_id = 1 and kind = ${kind}::notice_kind`.execute(
      db,
    )
  await expect(raw('security', 'email')).rejects.toThrow('check constraint')
  await expect(raw('withdraw', 'email')).rejects.toThrow('check constraint')
  await expect(raw('deposit', 'in_app')).rejects.toThrow('check constraint')
})

test('each of many gets their own text, in the app and by e-mail where they want it', async () => {
  const { db, notices, written, recipients } = await openTraders()
  await prefer(db, 3n, { kind: 'alert', channel: 'email', on: true })
  await prefer(db, 4n, { kind: 'alert', channel: 'email', on: true })
  const texts = [1n, 3n, 4n, 3n].map((userId, n) => ({ userId, title: `Alert ${n}`, text: `Text ${n}` }))
  const ids = await inTransaction(db, (tx) => notices.writeEach(tx, texts, { kind: 'alert', path: '/user/alerts' }))
  const rows = await db.selectFrom('notices').select(['id', 'title']).execute()
  expect(ids.map((id) => rows.find((row) => row.id === id)?.title)).toEqual(texts.map(({ title }) => title))
  expect((await written()).map(([userId, { title }]) => [userId, title]).toSorted()).toEqual([
    [1, 'Alert 0'],
    [3, 'Alert 1'],
    [3, 'Alert 3'],
    [4, 'Alert 2'],
  ])
  expect(await recipients()).toEqual(['user3@example.com', 'user3@example.com', 'user4@example.com'])
})
