import { expect, test } from 'vitest'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { decideProposal } from '../../proposals/index.ts'
import { OLDEST_MS } from '../tape/gate.ts'
import { approveSwitch, readVenuesOut, switchVenue, venueSwitchesSince } from './venue-switches.ts'

const AT = 1_790_000_000_000

async function scene() {
  const database = await testDatabase()
  const { db } = database
  const operators = await db
    .insertInto('operators')
    .values(
      ['ann', 'bob'].map((name) => ({
        ...{ email: `${name}@desk.example`, password_hash: 'x', totp_secret: Buffer.from('x'), roles: ['risk'] },
      })),
    )
    .returning('id')
    .execute()
  const [ann, bob] = operators.map(({ id }) => id) as [bigint, bigint]
  const tapeAt = async (t: number) => {
    const client = await connectTo(database.superUrl)
    await client.query('update tape_head set t = $1', [t])
    await client.end()
  }
  const ask = (isOut: boolean, openTrades: number, operatorId = ann) =>
    inTransaction(db, (tx) =>
      switchVenue(
        tx,
        { venue: 'kraken', isOut, reason: 'It is wrong.', operatorId },
        { lostWithout: async () => 0, openTrades: async () => openTrades },
      ),
    )
  const approve = (id: bigint, isOut: boolean, lastEnd: number | null) =>
    inTransaction(db, async (tx) => {
      await decideProposal(tx, { kind: 'venue-switches', id }, { status: 'Approved' }, bob)
      await approveSwitch(tx, { id, venue: 'kraken', isOut, lastEnd })
    })
  return { db, bob, ask, approve, tapeAt, out: () => readVenuesOut(db) }
}

test('without open real trades one operator switches an exchange, at once', async () => {
  const { db, ask, out } = await scene()
  expect(await ask(true, 0)).toEqual({ is: 'done' })
  expect(await out()).toEqual(['kraken'])
  expect(await ask(false, 0)).toEqual({ is: 'done' })
  expect(await out()).toEqual([])
  expect(await venueSwitchesSince(db, 0, 10)).toMatchObject([
    { venue: 'kraken', isOut: false },
    { venue: 'kraken', isOut: true },
  ])
})

test('an approved switch counts once the tape is past the trades that it waits for, in both directions', async () => {
  const { db, ask, approve, tapeAt, out } = await scene()
  await tapeAt(AT)
  const taken = await ask(true, 2)
  expect(taken).toMatchObject({ is: 'proposed', lost: 0, openTrades: 2 })
  expect(await out()).toEqual([])
  expect(await venueSwitchesSince(db, 0, 10), 'a proposal changes nothing').toEqual([])
  await approve((taken as { id: bigint }).id, true, AT + 60_000)
  for (const t of [AT, AT + 60_000, AT + 60_000 + OLDEST_MS]) {
    await tapeAt(t)
    expect(await out()).toEqual([])
  }
  await expect(ask(true, 2)).rejects.toThrow('This exchange is out already.')
  await tapeAt(AT + 60_001 + OLDEST_MS)
  expect(await out()).toEqual(['kraken'])
  expect(await venueSwitchesSince(db, 0, 10)).toEqual([{ venue: 'kraken', isOut: true, from: AT + 60_001 + OLDEST_MS }])

  const back = await ask(false, 1)
  expect(back).toMatchObject({ is: 'proposed' })
  expect(await out()).toEqual(['kraken'])
  await approve((back as { id: bigint }).id, false, AT + 120_000)
  expect(await out()).toEqual(['kraken'])
  await tapeAt(AT + 130_000)
  expect(await out()).toEqual([])
})

test('the database lets nobody approve a switch alone, in either direction', async () => {
  const { db, ask, bob } = await scene()
  await ask(true, 0)
  const back = (await ask(false, 1)) as { id: bigint }
  const alone = sql`update proposals set status = 'Approved', decided_by = proposed_by where id = ${back.id}`
  await expect(alone.execute(db)).rejects.toThrow(/own proposal/)
  const switched = (isOut: boolean) =>
    sql`insert into venue_switches (id, venue, is_out) values (${back.id}, 'kraken', ${isOut})`
  await expect(switched(false).execute(db), 'not decided').rejects.toThrow(/not approved by two/)
  const other = inTransaction(db, async (tx) => {
    await decideProposal(tx, { kind: 'venue-switches', id: back.id }, { status: 'Approved' }, bob)
    await switched(true).execute(tx)
  })
  await expect(other, 'not what was approved').rejects.toThrow(/not approved by two/)
})
