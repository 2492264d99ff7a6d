import type { DeskCallName } from '#contract/desk/index.ts'
import { haltPayouts, noteCleanBooks } from '#server/cashier/index.ts'
import type { Case } from '#tests/support/calls.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about reconciliation and halted payouts. */
export function reconciliationCases({ app, boss, other, mine, data, withStatus }: Office) {
  /** Makes sure that payouts are halted, the books agree again, and no resumption is proposed. */
  const halted = async () => {
    await haltPayouts(app.db, [])
    await noteCleanBooks(app.db)
    const { json } = await boss.ask('GET', '/payout-resumptions?status=Pending')
    for (const { id, own } of json!.data as { id: string; own: boolean }[])
      await data((own ? other : boss).ask('POST', `/payout-resumptions/${id}/reject`, reasons))
  }
  const resumption = async () => {
    await halted()
    return data(other.ask('POST', '/payout-resumptions', { body: { reason: 'r' } }))
  }
  const proposer: Case['refused'][number] = [
    'the proposer',
    async (good) => ({ ...good, token: other.token }),
    409,
    'second_person_required',
  ]

  return {
    'GET /desk/reconciliation': { good: () => mine(), refused: [] },
    'POST /desk/solvency': { good: () => mine(), refused: [] },
    'GET /desk/payout-resumptions': withStatus(),
    'POST /desk/payout-resumptions': {
      good: async () => {
        await halted()
        return mine({ body: { reason: 'r' } })
      },
      refused: [
        noReason,
        [
          'one that is proposed already',
          async (good) => {
            await resumption()
            return good
          },
          409,
          'wrong_state',
        ],
        [
          'books that differ',
          async (good) => {
            await app.db.updateTable('payout_halts').set({ clean_at: null }).where('ended_at', 'is', null).execute()
            return good
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/payout-resumptions/:id/approve': {
      good: async () => mine({ params: { id: (await resumption()).id } }),
      refused: [noSuch('999999999'), proposer],
    },
    'POST /desk/payout-resumptions/:id/reject': {
      good: async () => mine({ params: { id: (await resumption()).id }, ...reasons }),
      refused: [noSuch('999999999'), noReason, proposer],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
