import type pg from 'pg'
import { onTestFinished } from 'vitest'
import { connectTo, type TestDatabase } from '../servers/database.ts'

/** Transactions that stay open until the test ends them, like those of a node that hangs. */
export function holders({ superUrl }: Pick<TestDatabase, 'superUrl'>) {
  /** Runs a statement in such a transaction. */
  async function holding(text: string, values: unknown[] = []): Promise<pg.Client> {
    const client = await connectTo(superUrl)
    onTestFinished(() => client.end())
    await client.query('begin')
    await client.query(text, values)
    return client
  }
  const lockAccounts = (...ids: bigint[]) =>
    holding('select from accounts where id = any ($1::bigint[]) order by id for update', [ids])
  return { holding, lockAccounts }
}
