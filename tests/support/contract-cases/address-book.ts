import { type Case, withBody } from '#tests/support/calls.ts'
import { BANK, type ContractScene, WALLET } from '#tests/support/contract.ts'

/** Returns the cases of the calls about the address book. */
export function addressBookCases({ app, ada, eve, ask, mine }: ContractScene) {
  const own = async () => {
    const { token, password } = await app.confirmedTrader()
    return { token, password }
  }
  const wallet = async () => {
    const { token, password } = await own()
    return { token, body: { name: 'Ledger', wallet: WALLET, beneficiary: null, hosted_by: 'Kraken', password } }
  }
  const unconfirmed = () => ({ token: eve.token })
  const refused: Case['refused'] = [
    ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
    ['no name', withBody({ name: ' ' }), 422, 'validation_failed'],
    [
      'an address that is not confirmed',
      (good) => ({ ...withBody({ password: eve.password })(good), ...unconfirmed() }),
      422,
      'email_not_confirmed',
    ],
    [
      'one that is there',
      async (good) => {
        await ask(
          good.body && 'wallet' in (good.body as object) ? 'POST /withdraw/addresses' : 'POST /withdraw/addresses/bank',
          good,
        )
        return good
      },
      409,
      'already_exists',
    ],
  ]
  return {
    'GET /withdraw/addresses': { good: mine, refused: [] },
    'POST /withdraw/addresses': {
      good: wallet,
      refused: [
        ...refused,
        ['words as a wallet', withBody({ wallet: 'my wallet' }), 422, 'validation_failed'],
        ['a date of use', withBody({ usable_at: '2020-01-01T00:00:00.000Z' }), 422, 'validation_failed'],
      ],
    },
    'POST /withdraw/addresses/bank': {
      good: async () => {
        const { token, password } = await own()
        const { bank_name, account_number, routing_number } = BANK
        return {
          token,
          body: { name: 'Home', bank_name, account_number, routing_number, beneficiary: 'Eve', password },
        }
      },
      refused,
    },
    'DELETE /withdraw/addresses/:id': {
      good: async () => {
        const good = await wallet()
        const { data } = (await ask('POST /withdraw/addresses', good)).json as { data: { id: string } }
        return { token: good.token, params: { id: data.id } }
      },
      refused: [
        ['one that is none', (good) => ({ ...good, params: { id: '0000000000000' } }), 404, 'not_found'],
        ["another user's", (good) => ({ ...good, token: ada.token }), 404, 'not_found'],
      ],
    },
    'POST /withdraw/addresses/only': {
      good: async () => {
        const { token, password } = await own()
        return { token, body: { only: true, password } }
      },
      takes: (field, { json }) => field === 'only' && (json === 'true' || json === 'false'),
      refused: [
        ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
        ['a word', withBody({ only: 'yes' }), 422, 'validation_failed'],
      ],
    },
  } satisfies Record<string, Case>
}
