import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountChecks } from '#server/invariants/checks/accounts.ts'
import { sql } from '#server/platform/database/db.ts'
import { diskStorage } from '#server/platform/files/index.ts'
import { multipart } from '#tests/support/calls.ts'
import { talk } from '#tests/support/people/chat.ts'
import { photo } from '#tests/support/pictures.ts'
import { startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

let app: WholeApp
const folder = mkdtempSync(join(tmpdir(), 'cleartick-site-'))
const SITE_FILE = join(folder, 'site.json')
beforeAll(async () => {
  writeFileSync(SITE_FILE, JSON.stringify({ keepDocumentsDays: 400, keepConversationsDays: 60 }))
  app = await startWholeApp({ SITE_FILE })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

/** Changes rows as the owner of the database: the application can't. */
async function asOwner(statement: string, values: unknown[] = []): Promise<void> {
  const client = await connectTo(app.superUrl)
  try {
    await client.query(`set session_replication_role = 'replica'`)
    await client.query(statement, values)
  } finally {
    await client.end()
  }
}
const broken = async () => {
  const found: string[] = []
  for (const check of accountChecks) if ((await sql.raw(check.sql).execute(app.db)).rows.length) found.push(check.name)
  return found
}
/** Starts another node, whose first round deletes what is over, and waits until `holds`. */
async function untilDeleted(holds: () => Promise<boolean>): Promise<void> {
  const node = await app.otherNode({ ROLES: 'web' })
  try {
    await expect.poll(holds).toBe(true)
  } finally {
    await node.stop()
  }
}
/** Uploads an ID; returns its row. */
async function uploaded(trader: Trader) {
  const body = multipart({ method: 'national_id' }, await photo())
  const reply = await app.send('POST', '/api/profile/user-verification', { token: trader.token, body })
  expect(reply.status, reply.text).toBe(200)
  return check(trader)
}
const check = async ({ id }: Trader) =>
  app.db
    .selectFrom('identity_checks')
    .select(['id', 'file', 'status', 'erased_hash', 'erased_at'])
    .where('user_id', '=', BigInt(id))
    .executeTakeFirstOrThrow()
const storage = () => diskStorage(join(app.folder, 'files'))
const isStored = async (file: string | null) => (await storage().read(file!)) !== undefined

test('pictures of documents go when their period is over, and leave their hash and the time', async () => {
  const [gone, kept, current] = [await app.confirmedTrader(), await app.confirmedTrader(), await app.confirmedTrader()]
  const rows = [await uploaded(gone), await uploaded(kept), await uploaded(current)] as const
  const old = (days: number, id: string) =>
    asOwner(`update identity_checks set superseded_at = now() - make_interval(days => ${days}) where user_id = $1`, [
      id,
    ])
  await old(401, gone.id)
  await old(399, kept.id)
  await untilDeleted(async () => (await check(gone)).file === null)
  expect(await check(gone)).toMatchObject({ status: 'Pending', erased_at: expect.any(Date) })
  expect((await check(gone)).erased_hash).toHaveLength(32)
  expect(await isStored(rows[0].file), 'deleted from storage').toBe(false)
  for (const [at, trader] of [[1, kept] as const, [2, current] as const]) {
    expect(await check(trader)).toMatchObject({ file: rows[at].file, erased_at: null, erased_hash: null })
    expect(await isStored(rows[at].file)).toBe(true)
  }
  expect(await broken()).toEqual([])
})

test('a run that was cut off after the hash continues, and one whose file is missing ends', async () => {
  const [half, missing] = [await app.confirmedTrader(), await app.confirmedTrader()]
  await uploaded(half)
  const { file } = await uploaded(missing)
  const mark = createHash('sha256').update('the picture').digest()
  await asOwner(
    `update identity_checks set superseded_at = now() - interval '401 days', erased_hash = $2 where user_id = $1`,
    [half.id, mark],
  )
  await storage().remove(file!)
  await asOwner(`update identity_checks set superseded_at = now() - interval '401 days' where user_id = $1`, [
    missing.id,
  ])
  await untilDeleted(async () => (await check(half)).file === null && (await check(missing)).file === null)
  expect((await check(half)).erased_hash).toEqual(mark)
  expect((await check(missing)).erased_hash).toBeNull()
})

test('conversations go 60 days after the last word, and no message earlier, not even by the application', async () => {
  const visitor = await talk(app)
  await visitor.say({ text: 'Hello.' })
  visitor.leave()
  await app.send('POST', '/api/public/contact', {
    body: { name: 'Eve', email: 'eve@example.org', message: 'A question about your terms.' },
  })
  const count = async () => {
    const { rows } = await sql<{ n: number }>`
      select (select count(*) from chats)::int + (select count(*) from chat_messages)::int
        + (select count(*) from contact_messages)::int as n`.execute(app.db)
    return rows[0]!.n
  }
  const before = await count()
  expect(before).toBeGreaterThanOrEqual(3)
  const older = (days: number) =>
    asOwner(`
      update chats set created_at = now() - interval '${days} days';
      update chat_messages set at = now() - interval '${days} days';
      update contact_messages set created_at = now() - interval '${days} days'`)
  await older(59)
  await expect(sql`delete from chat_messages`.execute(app.db)).rejects.toThrow(/is kept/)
  await expect(sql`update chat_messages set text = 'x'`.execute(app.db)).rejects.toThrow()
  const sentinel = await app.confirmedTrader()
  await uploaded(sentinel)
  await asOwner(`update identity_checks set superseded_at = now() - interval '401 days' where user_id = $1`, [
    sentinel.id,
  ])
  await untilDeleted(async () => (await check(sentinel)).file === null)
  expect(await count(), 'a day early').toBe(before)
  await older(62)
  expect(await broken()).toEqual(['E5'])
  await untilDeleted(async () => (await count()) === 0)
  expect(await broken()).toEqual([])
})

test('sign-ins go after their period, and verify finds what stayed', async () => {
  const one = await app.trader()
  const sessions = async () => (await sql`select from sessions where user_id = ${one.id}`.execute(app.db)).rows.length
  await asOwner(
    `update sessions set ended_at = now() - interval '92 days', end_reason = 'signed_out' where user_id = $1`,
    [one.id],
  )
  expect(await broken()).toEqual(['E5'])
  await untilDeleted(async () => (await sessions()) === 0)
  const two = await app.confirmedTrader()
  await uploaded(two)
  await asOwner(`update identity_checks set superseded_at = now() - interval '402 days' where user_id = $1`, [two.id])
  expect(await broken(), 'a picture that nobody deleted').toEqual(['E5'])
  await untilDeleted(async () => (await check(two)).file === null)
})

test('the periods have bounds', async () => {
  for (const days of [29, 3_651, 100.5]) {
    writeFileSync(join(folder, 'bad.json'), JSON.stringify({ keepConversationsDays: days }))
    await expect(startWholeApp({ SITE_FILE: join(folder, 'bad.json') })).rejects.toThrow(
      /keepConversationsDays must be/,
    )
  }
})
