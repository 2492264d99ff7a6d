import type { DeskCallName } from '#contract/desk/index.ts'
import type { DeskLever } from '#contract/desk/markets/levers.ts'
import { type Case, withBody } from '#tests/support/calls.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** No other case trades it. */
const LEVER = { kind: 'symbol', symbol: 'LTCUSDT', reason: 'r' }

/** Returns the cases of the calls about emergency levers. */
export function leverCases({ boss, other, mine, data, withStatus }: Office) {
  const pulled = async (): Promise<DeskLever | undefined> => {
    const { json } = await boss.ask('GET', '/levers')
    return (json!.data as DeskLever[]).find(({ symbol }) => symbol === LEVER.symbol)
  }
  // Another request may pull, propose or approve at the same time, when everything is attacked.
  const TRIES = 20
  const released = async () => {
    for (let tries = 0; tries < TRIES; tries++) {
      const lever = await pulled()
      if (!lever) return
      const { release } = lever
      if (!release) await other.ask('POST', '/lever-releases', { body: { lever_id: lever.id, reason: 'r' } })
      else
        await (release.proposed_by.operator_id === other.id ? boss : other).ask(
          'POST',
          `/lever-releases/${release.id}/approve`,
        )
    }
    throw new Error('the lever stays pulled')
  }
  const pull = async (): Promise<DeskLever> => {
    for (let tries = 0; tries < TRIES; tries++) {
      await released()
      await other.ask('POST', '/levers', { body: LEVER })
      const lever = await pulled()
      if (lever) return lever
    }
    throw new Error('the lever is not pulled')
  }
  const release = async () => {
    const { id } = await pull()
    return data(other.ask('POST', '/lever-releases', { body: { lever_id: id, reason: 'r' } }))
  }
  const proposer: Case['refused'][number] = [
    'the proposer',
    async (good) => ({ ...good, token: other.token }),
    409,
    'second_person_required',
  ]

  return {
    'GET /desk/levers': { good: mine, refused: [] },
    'POST /desk/levers': {
      good: async () => {
        await released()
        return mine({ body: LEVER })
      },
      refused: [
        noReason,
        ['a lever that is none', withBody({ kind: 'everything' }), 422, 'validation_failed'],
        ['a symbol that is not traded', withBody({ symbol: 'NOSUCH' }), 422, 'validation_failed'],
        ['a symbol that the lever does not have', withBody({ kind: 'real-trading' }), 422, 'validation_failed'],
        ['a notice that no lever has', withBody({ notice: 'Hello' }), 422, 'validation_failed'],
        [
          'one that is pulled already',
          async (good) => {
            await pull()
            return good
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'GET /desk/lever-releases': withStatus(),
    'POST /desk/lever-releases': {
      good: async () => mine({ body: { lever_id: (await pull()).id, reason: 'r' } }),
      refused: [
        noReason,
        ['what is not there', withBody({ lever_id: '999999999' }), 404, 'not_found'],
        [
          'one that is proposed already',
          async (good) => {
            await data(other.ask('POST', '/lever-releases', { body: (good as { body: object }).body }))
            return good
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/lever-releases/:id/approve': {
      good: async () => mine({ params: { id: (await release()).id } }),
      refused: [noSuch('999999999'), proposer],
    },
    'POST /desk/lever-releases/:id/reject': {
      good: async () => mine({ params: { id: (await release()).id }, ...reasons }),
      refused: [noSuch('999999999'), noReason, proposer],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
