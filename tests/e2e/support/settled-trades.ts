import { idFloor } from '#kernel/id.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { databaseUrl } from './servers/database.ts'

const SYMBOLS = ['BCHBTC', 'BTCUSDT', 'ETHUSDT', 'LTCUSDT', 'SHIBUSDT']
const ODDS = [75, 61, 18, 12]
const SECONDS = [60, 180, 300, 900, 3_600]

/**
 * Gives a trader trades of the last 60 days that ended, always the same for a count. They have no movements, so the ledger
 * of this database doesn't add up: use a separate server.
 */
export async function giveSettledTrades(dataDir: string, email: string, count: number): Promise<void> {
  const url = await databaseUrl(dataDir)
  const { db, close } = openDatabase(url, { max: 1, name: 'settled trades', log: createLog('silent') })
  // A generator with a fixed seed (Lehmer's).
  let seed = 2_026
  const below = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  try {
    const { id: userId } = await db
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    await inTransaction(db, async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      for (let n = 0; n < count; n++) {
        const placed =
          Math.floor(Date.now() / 3_600_000) * 3_600_000 -
          2 * 3_600_000 -
          (count - n) * Math.floor((60 * 86_400_000) / count) +
          below(3_000_000)
        const seconds = SECONDS[below(SECONDS.length)]!
        const percent = ODDS[Math.min(below(4), below(4))]!
        const stake = 1_000n + 100n * BigInt(below(200))
        const status = below(20) === 0 ? 'Draw' : below(100) < 56 ? 'Won' : 'Lost'
        const side = below(3) === 0 ? 'Sell' : 'Buy'
        const payout =
          status === 'Won' ? stake + (stake * BigInt(percent) + 50n) / 100n : status === 'Draw' ? stake : 0n
        const exit = status === 'Draw' ? 10_000 : (status === 'Won') === (side === 'Buy') ? 10_001 : 9_999
        const symbol = SYMBOLS[Math.min(below(5), below(5))]!
        const end = placed + seconds * 1_000
        await sql`
          insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
            duration_seconds, trade_time, end_time, status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq,
            settled_at, payout, outcome_reason)
          select ${idFloor(placed) + BigInt(n)}, ${accountOf(userId, 'demo')}, 'demo', i.id, 2, 10000, ${side}, '75/3', ${percent},
            ${stake}, ${seconds}, ${placed}, ${end}, ${status}, 10000, ${placed + 1}, 1, ${exit}, ${end}, 2,
            to_timestamp(${end / 1_000}), ${payout}, 'The exit was compared with the entry.'
          from instruments i where i.symbol = ${symbol}`.execute(tx)
      }
    })
  } finally {
    await close()
  }
}
