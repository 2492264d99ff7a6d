import { expect } from 'vitest'
import type { DeskCallName } from '#contract/desk/index.ts'
import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

const RULING = { finding: 'our_mistake', credit: 2.5, reason: 'r' }

/** Returns the cases of the calls about complaints. */
export function complaintCases({ app, items, boss, other, on, data, withStatus, claimed }: Office) {
  const complaint = () => items.complaints()
  const proposedBy = (who: typeof boss) => async () => {
    const item = await complaint()
    await data(who.ask('POST', `/complaints/${item.id}/propose`, { body: RULING }))
    return item
  }
  /** Files a complaint about a trade that two operators voided after its entry. */
  const aboutTrade = async () => {
    const { id, trader } = await items.trades()
    const entered = async () => (await app.send('GET', `/api/trading/${id}`, { token: trader.token })).json!.data
    await expect.poll(entered, { interval: 50 }).toHaveProperty('start_price')
    for (const who of [other, boss]) await data(who.ask('POST', `/trades/${id}/void`, reasons))
    const body = { item: 'trade', item_id: id, reason: 'result' }
    const { json } = await app.send('POST', '/api/complaints', { token: trader.token, body })
    return { id: (json!.data as { id: string }).id, trader }
  }

  return {
    'GET /desk/complaints': withStatus(),
    'GET /desk/complaints/:id/remedy': {
      good: on(aboutTrade, { query: { tick: 'entry' } }),
      refused: [
        noSuch('999999999'),
        ['a price that is none', withQuery({ tick: 'middle' }), 422, 'validation_failed'],
        ['a trade without this price', withQuery({ tick: 'exit' }), 409, 'wrong_state'],
      ],
    },
    'POST /desk/complaints/:id/claim': { good: on(complaint), refused: [noSuch('999999999')] },
    'POST /desk/complaints/:id/release': {
      good: () => claimed('complaints', complaint),
      refused: [noSuch('999999999')],
    },
    'POST /desk/complaints/:id/propose': {
      good: on(complaint, { body: RULING }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['a finding about prices', withBody({ finding: 'wrong_price' }), 422, 'validation_failed'],
        ['a price of a withdrawal', withBody({ tick: 'exit', credit: undefined }), 422, 'validation_failed'],
        ['money for a rejected complaint', withBody({ finding: 'records_agree' }), 422, 'validation_failed'],
        ['nothing to credit', withBody({ credit: 0 }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/complaints/:id/approve': {
      good: on(proposedBy(other)),
      refused: [
        noSuch('999999999'),
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/complaints/:id/send-back': {
      good: on(proposedBy(other), reasons),
      refused: [noSuch('999999999'), noReason],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
