import { expect, test } from 'vitest'
import type { LeverKind } from '#contract/terms.ts'
import { pulledLevers, pullLever, releaseLever } from '#server/levers/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { decideProposal, insertProposal } from '#server/proposals/index.ts'
import { automaticOfFile } from '#tests/support/people/automatic.ts'
import { connectTo } from '#tests/support/servers/database.ts'

/** No node of this market follows the levers: only the statements obey them. */
const { database, market, automatic } = await automaticOfFile()
const { db } = database

const owner = await connectTo(database.ownerUrl)
const operators = await owner.query<{ id: string }>(`
  insert into operators (email, password_hash, totp_secret, roles) values
    ('ann@desk.example', 'x', 'x', '{risk}'), ('bob@desk.example', 'x', 'x', '{risk}') returning id`)
await owner.end()
const [ann = 0n, bob = 0n] = operators.rows.map(({ id }) => BigInt(id))
const pull = (kind: LeverKind, symbol?: string) =>
  inTransaction(db, (tx) => pullLever(tx, { kind, symbol, reason: 'r', operatorId: ann }))
/** Releases all levers, as two operators do. */
const release = () =>
  inTransaction(db, async (tx) => {
    for (const lever of await pulledLevers(tx)) {
      const kind = 'lever-releases'
      const id = await insertProposal(tx, { kind, subject: String(lever.id), reason: 'r', operatorId: ann })
      await decideProposal(tx, { kind, id: id! }, { status: 'Approved' }, bob)
      await releaseLever(tx, lever.id)
    }
  })

test('the accepting statement rejects real orders, and only them, while real trading is stopped', async () => {
  const userId = await market.trader(100_000n)
  await pull('real-trading')
  await expect(market.submit(userId, { mode: 'real' })).rejects.toThrow(/Real trading is stopped/)
  await market.submit(userId)
  await release()
  await market.submit(userId, { mode: 'real' })
})

test('of the orders of one account in a batch, it rejects those on the stopped symbol', async () => {
  const userId = await market.trader()
  await market.frame({ ETHUSDT: '3000.00' })
  await pull('symbol', 'ETHUSDT')
  const symbols = ['ETHUSDT', 'BTCUSDT', 'ETHUSDT', 'BTCUSDT']
  const answers = await Promise.allSettled(symbols.map((symbol) => market.submit(userId, { symbol })))
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  await release()
})

test('open trades settle while everything is stopped', async () => {
  const userId = await market.trader(100_000n)
  const { trade_id } = await market.submit(userId, { mode: 'real' })
  await pull('real-trading')
  await pull('symbol', 'BTCUSDT')
  await market.pass(70_000)
  await market.settled()
  const { rows } =
    await sql`select status from trades where status = 'Pending' and account_id in (select id from accounts where user_id = ${userId})`.execute(
      db,
    )
  expect(rows, trade_id).toEqual([])
  await release()
})

test('automatic trades wait for a stopped symbol without counting a signal, and continue after the release', async () => {
  const userId = await automatic.running({ symbols: ['BTCUSDT'] })
  await pull('symbol', 'BTCUSDT')
  await automatic.minute()
  expect(await automatic.orders(userId)).toEqual([])
  expect(await automatic.now(userId)).toMatchObject({
    state: 'Running',
    stopped: expect.stringMatching(/^Trading BTCUSDT is stopped since/),
  })
  await release()
  expect(await pulledLevers(db)).toEqual([])
  await automatic.minute()
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Traded' }])
})
