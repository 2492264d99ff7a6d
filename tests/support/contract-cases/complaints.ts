import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import type { CallName, ContractScene } from '#tests/support/contract.ts'

/** Returns the cases of the calls about complaints. */
export const complaintCases = ({ app, ada, eve, mine, withdrawn }: ContractScene) =>
  ({
    'POST /complaints': {
      good: async () => {
        const { token, id } = await withdrawn()
        return { token, body: { item: 'withdrawal', item_id: id, reason: 'missing', text: 'Where is it?' } }
      },
      refused: [
        ['a reason of another item', withBody({ reason: 'price' }), 422, 'validation_failed'],
        ['a text that is too long', withBody({ text: 'x'.repeat(501) }), 422, 'validation_failed'],
        ["another trader's item", async (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
        [
          'a trade that is open',
          async () => {
            const { trade_id } = await app.submit(ada)
            return mine({ body: { item: 'trade', item_id: trade_id, reason: 'price' } })
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'GET /complaints': {
      good: mine,
      refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
    },
    'GET /complaints/of': {
      good: async () => {
        const { token, id } = await withdrawn()
        return { token, query: { item: 'withdrawal', item_id: id } }
      },
      refused: [
        ['an item that is none', withQuery({ item: 'plan' }), 422, 'validation_failed'],
        ["another trader's item", async (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
  }) satisfies Partial<Record<CallName, Case>>
