import type { PriceListDocument, PriceListVersion } from '#contract/trading/offers.ts'
import { must } from '#kernel/must.ts'
import { inTransaction } from '#server/platform/database/db.ts'
import { addVersion } from '#server/price-lists/index.ts'
import { decideProposal, insertProposal } from '#server/proposals/index.ts'
import { connectTo, type TestDatabase } from '../servers/database.ts'

/** Two operators who decide price lists, without the desk. */
export async function priceListOperators(database: TestDatabase) {
  const owner = await connectTo(database.ownerUrl)
  const { rows } = await owner.query<{ id: string }>(`
    insert into operators (email, password_hash, totp_secret, roles) values
      ('pat@desk.example', 'x', 'x', '{admin}'), ('quinn@desk.example', 'x', 'x', '{admin}') returning id`)
  await owner.end()
  const [pat, quinn] = rows.map(({ id }) => BigInt(id))
  const kind = 'price-lists'
  return {
    pat: must(pat),
    quinn: must(quinn),
    /** Changes the price lists as two operators do. `approve` off: the proposal stays pending. */
    change: (
      document: PriceListDocument,
      { edge = false, acknowledged = null as string | null, approve = true, proposed = document } = {},
    ): Promise<PriceListVersion> =>
      inTransaction(database.db, async (tx) => {
        const payload = { document: proposed, dry_run: { edge } }
        const id = must(await insertProposal(tx, { kind, subject: kind, payload, reason: 'r', operatorId: must(pat) }))
        if (approve) await decideProposal(tx, { kind, id }, { status: 'Approved' }, must(quinn))
        return addVersion(tx, { document, proposalId: id, acknowledged })
      }),
  }
}
