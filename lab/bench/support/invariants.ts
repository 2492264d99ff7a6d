import pg from 'pg'
import { tradingChecks } from '#server/invariants/checks/trading.ts'
import { ledgerChecks } from '#server/ledger/index.ts'

/** Throws if the data left by a benchmark violates an invariant: a fast result must also be correct. */
export async function checkInvariants(superUrl: string, options: { except?: string[] } = {}): Promise<void> {
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  try {
    for (const check of [...ledgerChecks, ...tradingChecks]) {
      if (options.except?.includes(check.name)) continue
      const { rowCount } = await client.query(check.sql)
      if (rowCount) throw new Error(`invariant ${check.name} is violated: ${check.says}`)
    }
  } finally {
    await client.end()
  }
  console.log('all invariants of the ledger and of trades hold')
}
