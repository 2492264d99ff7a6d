import type { DeskCallName } from '#contract/desk/index.ts'
import type { DeskPayoutBatch } from '#contract/desk/money/payout-batches.ts'
import { type Case, withBody } from '#tests/support/calls.ts'
import { transactionId } from '#tests/support/transaction-id.ts'
import { noSuch, type Office } from './office.ts'

/** Returns the cases of the calls about payout batches. */
export function payoutCases({ items, boss, other, mine, data }: Office) {
  const approved = async () => {
    const { id } = await items.withdrawals(1)
    await data(other.ask('POST', `/withdrawals/${id}/approve`))
    // It takes two once they have approved much today; otherwise it's approved already.
    await boss.ask('POST', `/withdrawals/${id}/approve`)
  }
  const create = { body: { currency: 'BTC' } }
  /** Returns a batch and the withdrawals of it. */
  const batch = async () => {
    await approved()
    const { id, items: found } = (await data(boss.ask('POST', '/payout-batches', create))) as DeskPayoutBatch
    return { params: { id }, withdrawals: found.map((one) => one.id) }
  }
  return {
    'GET /desk/payout-batches': { good: mine, refused: [] },
    'POST /desk/payout-batches': {
      good: async () => {
        await approved()
        return mine(create)
      },
      refused: [
        ['a coin that is none', withBody({ currency: 'DOGE' }), 422, 'validation_failed'],
        ['no approved withdrawal', withBody({ currency: 'ETH' }), 409, 'wrong_state'],
      ],
    },
    'GET /desk/payout-batches/:id/file': {
      good: async () => mine({ params: (await batch()).params }),
      refused: [noSuch('0000000000000')],
    },
    'POST /desk/payout-batches/:id/paid': {
      good: async () => {
        const { params, withdrawals } = await batch()
        return mine({ params, body: { payments: [{ withdrawals, transaction_id: transactionId() }] } })
      },
      refused: [
        noSuch('0000000000000'),
        ['no payment', withBody({ payments: [] }), 422, 'validation_failed'],
        [
          'what is no transaction',
          async (good) => {
            const [payment] = (good.body as { payments: object[] }).payments
            return { ...good, body: { payments: [{ ...payment, transaction_id: 'wire 42' }] } }
          },
          422,
          'validation_failed',
        ],
      ],
    },
    'POST /desk/payout-batches/:id/take-out': {
      good: async () => {
        const { params, withdrawals } = await batch()
        return mine({ params, body: { withdrawals } })
      },
      refused: [
        noSuch('0000000000000'),
        ['no withdrawal', withBody({ withdrawals: [] }), 422, 'validation_failed'],
        ['a withdrawal of no batch', withBody({ withdrawals: ['0000000000000'] }), 404, 'not_found'],
      ],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
