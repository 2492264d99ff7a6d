import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import type { ComplaintReason } from '#contract/terms.ts'
import { parsePublicId } from '#kernel/id.ts'
import type { ComplaintWorkDeps } from '#server/complaints/deps.ts'
import { approveRuling, complaintsRoutes, proposeRuling } from '#server/complaints/index.ts'
import { checkNext } from '#server/complaints/work.ts'
import { cashierChecks } from '#server/invariants/checks/cashier.ts'
import { complaintChecks } from '#server/invariants/checks/complaints.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { signCheckpoint } from '#server/proof/checkpoints/checkpoints.ts'
import { openProofKey } from '#server/proof/index.ts'
import { connectTo } from '../servers/database.ts'
import { marketOfFile } from '../trades/market.ts'

/** A market with three risk operators for the tests of a file: files complaints, proposes rulings and approves them. */
export async function complaintsOfFile() {
  const { database, market } = await marketOfFile({ max: 10 })
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-complaints-'))
  const key = openProofKey(folder)
  const written: { userId: bigint; title: string; text: string; quiet?: boolean }[] = []

  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db)
  const { rows } = await sql<{ id: bigint }>`
    insert into operators (email, password_hash, totp_secret, roles)
    select 'risk' || n || '@desk.example', 'x', '\\x00', '{risk}' from generate_series(1, 3) n returning id`.execute(
    database.db,
  )
  const operators = rows.map(({ id }) => id)
  await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00' })
  afterAll(() => rmSync(folder, { recursive: true }))

  function deps(): ComplaintWorkDeps {
    return {
      db: database.db,
      clock: market.clock,
      instruments: market.prices.instruments,
      notices: {
        write: async (_tx, news) => {
          written.push(news)
        },
        writeToAll: async () => expect.unreachable('each owner gets a text of their own'),
        writeEach: async () => expect.unreachable('each is e-mailed, too'),
      },
      balances: { afterCommit: () => undefined },
      log: database.db.log as ComplaintWorkDeps['log'],
    }
  }

  const routes = () => complaintsRoutes({ ...deps(), wake: () => undefined })

  async function file(userId: bigint, tradeId: string, reason: ComplaintReason = 'price', text = '') {
    const call = { who: { userId }, body: { item: 'trade' as const, item_id: parsePublicId(tradeId)!, reason, text } }
    const reply = await routes()['POST /complaints'](call as never)
    return (reply as { data: { id: string; status: string } }).data
  }
  const about = async (userId: bigint, tradeId: string) => {
    const call = { who: { userId }, query: { item: 'trade', item_id: parsePublicId(tradeId)! } }
    return ((await routes()['GET /complaints/of'](call as never)) as { data: unknown }).data
  }

  const ruler = (n: number, userIds: bigint[] = []) => ({ operatorId: operators[n]!, userIds })
  const propose = (id: string, more: Partial<Parameters<typeof proposeRuling>[2]>, by = ruler(0)) =>
    inTransaction(database.db, (tx) =>
      proposeRuling(tx, by, { complaintId: BigInt(id), finding: 'wrong_price', reason: 'As recorded.', ...more }),
    )
  const approve = (id: string, by = ruler(1)) =>
    inTransaction(database.db, (tx) =>
      approveRuling({ ...deps(), wake: () => undefined }, tx, by, BigInt(id), async () => {
        throw new Error('credits nothing')
      }),
    )
  const checkAll = async () => {
    while (await checkNext(deps())) {
      const { rows } = await sql`select from complaints where checked_at is null and check_after <= now()`.execute(
        database.db,
      )
      if (rows.length === 0) return
    }
  }
  const balanceOf = async (userId: bigint, mode: 'real' | 'demo') => {
    const { rows } = await sql<{ balance: bigint; owed: bigint }>`
      select balance, owed from accounts where id = ${accountOf(userId, mode)}`.execute(database.db)
    return rows[0]!
  }

  /** Returns the names of violated invariants, including those of complaints and lists. */
  async function broken(): Promise<string[]> {
    const client = await connectTo(database.superUrl)
    try {
      const found = await market.broken()
      for (const { name, says, sql: query } of [
        ...complaintChecks,
        ...cashierChecks.filter(({ name }) => name === 'L9'),
      ])
        if ((await client.query(query)).rows.length > 0) found.push(`${name}: ${says}`)
      return found
    } finally {
      await client.end()
    }
  }

  async function asSuper(...statements: string[]): Promise<void> {
    const client = await connectTo(database.superUrl)
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }

  /** Settles trades that all start at the same price. The price rises, so sellers lose. */
  async function settledTrades() {
    const [ada, eve, bob] = [await market.trader(10_000n), await market.trader(5_000n), await market.trader()]
    const ids = {
      lost: (await market.submit(ada, { mode: 'real', amount: 10, trade_mode: 'Sell', strike_rate: '1/61' })).trade_id,
      again: (await market.submit(ada, { mode: 'real', amount: 2.5, trade_mode: 'Sell', strike_rate: '1/61' }))
        .trade_id,
      won: (await market.submit(eve, { mode: 'real', amount: 20, trade_mode: 'Buy' })).trade_id,
      demo: (await market.submit(bob, { mode: 'demo', amount: 7, trade_mode: 'Sell', strike_rate: '1/61' })).trade_id,
    }
    await market.frame({ BTCUSDT: '60001.00', ETHUSDT: '2600.00' })
    await signCheckpoint({ db: database.db, key, instruments: market.prices.instruments })
    await market.pass(58_000)
    await market.frame({ BTCUSDT: '60002.00' })
    await market.pass(6_000)
    await market.settled()
    await signCheckpoint({ db: database.db, key, instruments: market.prices.instruments })
    return { ada, eve, bob, ids }
  }

  return {
    database,
    market,
    operators,
    /** The notices that were written. */
    written,
    deps,
    file,
    about,
    ruler,
    propose,
    approve,
    checkAll,
    balanceOf,
    broken,
    asSuper,
    settledTrades,
  }
}
