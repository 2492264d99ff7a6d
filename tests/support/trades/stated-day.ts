import { parsePublicId } from '#kernel/id.ts'
import { DAY_MS } from '#kernel/time.ts'
import { type Db, sql } from '#server/platform/database/db.ts'
import { signCheckpoint } from '#server/proof/checkpoints/checkpoints.ts'
import type { ProofKey } from '#server/proof/keys/key.ts'
import type { Market } from './market.ts'

interface StatedDay {
  users: bigint[]
  /** The day of the checkpoints, YYYY-MM-DD. */
  day: string
  /** Trades that other rows still need. */
  needed: bigint[]
}

/**
 * Creates trades in both modes with every result, stated in two checkpoints of one day. Some are needed by other rows; each
 * account's newest is last.
 */
export async function statedDay(market: Market, db: Db, owner: Db, proofKey: ProofKey): Promise<StatedDay> {
  await sql`insert into proof_keys (id, public_key) values (${proofKey.id}, ${proofKey.publicKey})`.execute(owner)
  // Everything happens on one day, whenever the test runs.
  const untilMidnight = DAY_MS - (market.clock.now() % DAY_MS)
  if (untilMidnight < 600_000) market.clock.advance(untilMidnight)
  const day = new Date(market.clock.now()).toISOString().slice(0, 10)
  const checkpoint = () => signCheckpoint({ db, key: proofKey, instruments: market.prices.instruments })
  await market.frame({ BTCUSDT: '60000.00' })
  const users = await Promise.all([100_000n, 200_000n, 0n].map((cents) => market.trader(cents)))
  const round = async (cents: number) => {
    const placed = await Promise.all(
      users.flatMap((user, i) =>
        (i < 2 ? (['real', 'demo'] as const) : (['demo'] as const)).map((mode) =>
          market.submit(user, {
            mode,
            trade_mode: (i + cents) % 2 ? 'Buy' : 'Sell',
            amount: 10 + i,
            key: `${cents} ${mode}`,
          }),
        ),
      ),
    )
    await market.frame({ BTCUSDT: `${60_000 + cents}.00` })
    await market.pass(56_000)
    await market.frame({ BTCUSDT: `${60_000 + (cents % 3)}.00` }, { afterMs: 2_000 })
    await market.pass(6_000)
    await market.settled()
    return placed.map(({ trade_id }) => parsePublicId(trade_id)!)
  }
  for (const cents of [1, 2]) await round(cents)
  await checkpoint()
  const [linked, complained] = await round(3)
  await round(4)
  await sql`insert into receipt_links (user_id, trade_id, token) values (${users[0]}, ${linked!}, ${'x'.repeat(22)})`.execute(
    owner,
  )
  await sql`insert into complaints (user_id, item, item_id, reason, text) values (${users[0]}, 'trade', ${complained!}, 'price', '')`.execute(
    owner,
  )
  await checkpoint()
  return { users, day, needed: [linked!, complained!] }
}
