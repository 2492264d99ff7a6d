import { expect, test } from 'vitest'
import type { Notice } from '#contract/notices.ts'
import { openTestNotices } from '#tests/support/people/notices.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { newestMails } from '../platform/mail/outbox.ts'

async function openTraders() {
  const { db } = await testDatabase()
  const userIds = [1n, 2n, 3n, 4n]
  await inTransaction(db, async (tx) => {
    for (const userId of userIds) await openUser(tx, userId)
  })
  await sql`update users set email = 'user' || id || '@example.com', email_confirmed_at = now(), ended_at = null`.execute(
    db,
  )
  await sql`update users set ended_at = now(), email_confirmed_at = null where id = 2`.execute(db)
  await sql`update users set email_confirmed_at = null where id = 3`.execute(db)
  const pushed: Notice[] = []
  const notices = openTestNotices(pushed)
  const written = async () =>
    (await db.selectFrom('notices').select(['user_id', 'title', 'text', 'path']).orderBy('user_id').execute()).map(
      ({ user_id, ...news }) => [Number(user_id), news] as const,
    )
  const recipients = async () => (await newestMails(db, undefined, 100)).map(({ to }) => to).toSorted()
  return { db, userIds, notices, pushed, written, recipients }
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
