import type { DeskCallName } from '#contract/desk/index.ts'
import { type Case, withBody } from '#tests/support/calls.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about the house's capital. */
export function capitalCases({ boss, other, mine, data, withStatus }: Office) {
  const body = { amount: 50, reference: 'SEPA 1', reason: 'r' }
  /** Decides the pending movement: there is one at most. */
  const settled = async () => {
    const { json } = await boss.ask('GET', '/capital-moves?status=Pending')
    for (const { id, own } of json!.data as { id: string; own: boolean }[])
      await data((own ? other : boss).ask('POST', `/capital-moves/${id}/reject`, reasons))
  }
  const move = async () => {
    await settled()
    return data(other.ask('POST', '/capital-moves', { body }))
  }
  const proposer: Case['refused'][number] = [
    'the proposer',
    async (good) => ({ ...good, token: other.token }),
    409,
    'second_person_required',
  ]

  return {
    'GET /desk/capital-moves': withStatus(),
    'POST /desk/capital-moves': {
      good: async () => {
        await settled()
        return mine({ body })
      },
      takes: (field, { json }) => field === 'amount' && (json === '-1' || json === '-0.01'),
      refused: [
        noReason,
        ['nothing', withBody({ amount: 0 }), 422, 'validation_failed'],
        ['a third decimal', withBody({ amount: 1.005 }), 422, 'validation_failed'],
        ['no reference', withBody({ reference: '' }), 422, 'validation_failed'],
        ['more than there is', withBody({ amount: -70_000_000_000 }), 409, 'wrong_state'],
        [
          'while another one waits',
          async (good) => {
            await move()
            return good
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/capital-moves/:id/approve': {
      good: async () => mine({ params: { id: (await move()).id } }),
      refused: [noSuch('999999999'), proposer],
    },
    'POST /desk/capital-moves/:id/reject': {
      good: async () => mine({ params: { id: (await move()).id }, ...reasons }),
      refused: [noSuch('999999999'), noReason, proposer],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
