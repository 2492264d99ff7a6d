import type { DeskCallName } from '#contract/desk/index.ts'
import type { PriceListDocument } from '#contract/trading/offers.ts'
import { type Case, withBody } from '#tests/support/calls.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** A document that nobody has proposed before. */
let pairs = 0
const document = (): PriceListDocument => ({
  lists: [
    { name: 'Standard', pairs: ['75/3', '12/5', '11/13', '1/18', '1/61'] },
    { name: 'Weekend', pairs: [`${1 + (++pairs % 60)}/7`] },
  ],
  rules: [{ symbols: [], group: 'Currencies', durations: [60], days: [0, 6], from_hour: 0, to_hour: 24, list: 2 }],
})

/** Returns the cases of the calls about price lists. */
export function priceListCases({ boss, other, mine, data, withStatus }: Office) {
  /** Leaves none pending: there can be one. */
  const free = async () => {
    const { json } = await boss.ask('GET', '/price-lists?status=Pending')
    for (const { id, own } of json!.data as { id: string; own: boolean }[])
      await data((own ? other : boss).ask('POST', `/price-lists/${id}/reject`, reasons))
  }
  const proposed = async () => {
    await free()
    return data(other.ask('POST', '/price-lists', { body: { document: document(), reason: 'r' } }))
  }
  const proposer: Case['refused'][number] = [
    'the proposer',
    async (good) => ({ ...good, token: other.token }),
    409,
    'second_person_required',
  ]
  const wrong = (change: object) => ({ document: { ...document(), ...change } })

  return {
    'GET /desk/price-lists': withStatus(),
    'POST /desk/price-lists/dry-run': {
      good: async () => mine({ body: { document: document() } }),
      refused: [
        ['no lists', withBody(wrong({ lists: [] })), 422, 'validation_failed'],
        ['a rule for a list that is none', withBody(wrong({ lists: [document().lists[0]] })), 422, 'validation_failed'],
      ],
    },
    'POST /desk/price-lists': {
      good: async () => {
        await free()
        return mine({ body: { document: document(), reason: 'r' } })
      },
      refused: [
        noReason,
        [
          'a pair that is none',
          withBody(wrong({ lists: [{ name: 'x', pairs: ['0/5'] }], rules: [] })),
          422,
          'validation_failed',
        ],
        [
          'a symbol that is not traded',
          withBody(wrong({ rules: [{ ...document().rules[0], group: null, symbols: ['NOSUCH'] }] })),
          422,
          'validation_failed',
        ],
        [
          'a second one',
          async (good) => {
            await proposed()
            return good
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/price-lists/:id/approve': {
      good: async () => mine({ params: { id: (await proposed()).id }, body: { acknowledged: null } }),
      refused: [
        noSuch('999999999'),
        proposer,
        ['an edge that there is none of', withBody({ acknowledged: 'r' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/price-lists/:id/reject': {
      good: async () => mine({ params: { id: (await proposed()).id }, ...reasons }),
      refused: [noSuch('999999999'), noReason, proposer],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
