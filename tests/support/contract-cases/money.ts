import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import { BANK, type CallName, type ContractScene, WALLET } from '#tests/support/contract.ts'

/** A browser as Chromium subscribes it. Nothing is sent there: the address is nobody's. */
export const BROWSER = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/nobody',
  keys: {
    p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    auth: 'tBHItJI5svbpez7KI4CCXg',
  },
}

/** Returns the cases of the calls about deposits, withdrawals, ID documents, the profile and messages. */
export function moneyCases({
  app,
  eve,
  picture,
  ask,
  mine,
  asSubmitted,
  withdrawing,
  withdrawn,
  withdrawRefusals,
}: ContractScene) {
  const deposit = async () => ({
    token: (await withdrawing(1)).token,
    form: { usd_amount: '100', currency: 'btc' },
    file: picture,
  })

  const request = async (more: object = {}) => ({
    token: (await withdrawing(1)).token,
    body: { usd_amount: 100, currency: 'btc', ...more },
  })
  const requested = async () => {
    const asked = await request()
    const { data } = (await ask('POST /deposit/requests', asked)).json as { data: { request_id: string } }
    return { token: asked.token!, params: { request_id: data.request_id } }
  }
  const toWallet: Case = {
    good: async () => ({ token: (await withdrawing(100)).token, body: { amount: 50, wallet: WALLET } }),
    refused: [
      ...withdrawRefusals,
      ['an address that is none', withBody({ wallet: 'my wallet' }), 422, 'validation_failed'],
      ['an address that was mistyped', withBody({ wallet: WALLET.replace('Aed', 'AeD') }), 422, 'validation_failed'],
    ],
  }
  const toBank: Case = {
    good: async () => ({ token: (await withdrawing(100)).token, body: { ...BANK, amount: 50 } }),
    refused: [
      ...withdrawRefusals,
      ['a kind of account that is none', withBody({ type: 'Gold' }), 422, 'validation_failed'],
      ['a number of words', withBody({ account_number: 'my account!' }), 422, 'validation_failed'],
    ],
  }
  const submitted = async () => {
    const asked = await deposit()
    const { data } = (await ask('POST /deposit', asked)).json as { data: { deposit_id: string } }
    return { token: asked.token!, params: { deposit_id: data.deposit_id } }
  }
  const withdrawal = async () => {
    const { token, id } = await withdrawn()
    return { token, params: { withdraw_id: id } }
  }
  const NO_REQUEST = { params: { request_id: '0000000000000' } }

  return {
    'GET /avatars/:name': {
      good: async () => {
        const { token } = await app.trader()
        const reply = await ask('POST /users/update', { token, form: {}, file: picture })
        return { params: { name: (reply.json!.data as { avatar: string }).avatar.split('/').at(-1)! } }
      },
      refused: [
        ['a picture that nobody has', () => ({ params: { name: '0'.repeat(40) } }), 404, 'not_found'],
        [
          'a submitted ID',
          async () => {
            const token = await asSubmitted()
            const { data } = (await app.send('GET', '/api/profile/user-verification', { token })).json as {
              data: { id_file_url: string }
            }
            return { params: { name: data.id_file_url.split('/').at(-1)! } }
          },
          404,
          'not_found',
        ],
      ],
    },
    'GET /notices': {
      good: mine,
      refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
    },
    'POST /notices/read': {
      good: () => mine({ body: { up_to: '1' } }),
      refused: [['a number that is none', withBody({ up_to: '-1' }), 422, 'validation_failed']],
    },
    'GET /notices/push': { good: mine, refused: [] },
    'POST /notices/push': {
      good: () => mine({ body: BROWSER }),
      refused: [
        [
          'an address that is no push service',
          withBody({ ...BROWSER, endpoint: 'https://example.com/x' }),
          422,
          'validation_failed',
        ],
        [
          'an address without TLS',
          withBody({ ...BROWSER, endpoint: 'http://fcm.googleapis.com/x' }),
          422,
          'validation_failed',
        ],
        [
          'a key that is too short',
          withBody({ ...BROWSER, keys: { ...BROWSER.keys, auth: 'x' } }),
          422,
          'validation_failed',
        ],
      ],
    },
    'POST /notices/push/end': {
      good: () => mine({ body: { endpoint: BROWSER.endpoint } }),
      refused: [['no address', withBody({ endpoint: '' }), 422, 'validation_failed']],
    },
    'POST /notices/push/test': {
      good: async () => {
        const call = await mine()
        await app.send('POST', '/api/notices/push', { ...call, body: BROWSER })
        return call
      },
      refused: [
        ['an account without such a browser', async () => ({ token: (await app.trader()).token }), 409, 'wrong_state'],
      ],
    },
    'GET /notices/preferences': { good: mine, refused: [] },
    'PATCH /notices/preferences': {
      takes: (field, { json }) => field === 'on' && ['true', 'false'].includes(json),
      good: () => mine({ body: { kind: 'deposit', channel: 'push', on: false } }),
      refused: [
        ['a kind that is none', withBody({ kind: 'gossip' }), 422, 'validation_failed'],
        ['no e-mails about security', withBody({ kind: 'security', channel: 'email' }), 422, 'validation_failed'],
        ['no e-mails about withdrawals', withBody({ kind: 'withdraw', channel: 'email' }), 422, 'validation_failed'],
        ['no deposits in the app', withBody({ channel: 'in_app' }), 422, 'validation_failed'],
      ],
    },
    'GET /deposit/methods': { good: mine, refused: [] },
    'GET /deposit/wallet-address': {
      good: () => mine({ query: { currency: 'eth' } }),
      refused: [['a coin that is none', withQuery({ currency: 'DOGE' }), 422, 'validation_failed']],
    },
    'GET /deposit/convert': {
      good: () => mine({ query: { currency: 'eth', amount: '100' } }),
      refused: [
        ['no amount', () => mine({ query: { currency: 'eth' } }), 422, 'validation_failed'],
        ['an exponent', withQuery({ amount: '1e3' }), 422, 'validation_failed'],
        ['less than a dollar', withQuery({ amount: '0.99' }), 422, 'validation_failed'],
        ['a coin that is none', withQuery({ currency: 'DOGE' }), 422, 'validation_failed'],
      ],
    },
    'POST /deposit': {
      good: deposit,
      refused: [
        ['no receipt', ({ file: _, ...good }) => good, 422, 'validation_failed'],
        ['words as a receipt', (good) => ({ ...good, file: Buffer.from('words') }), 415, 'unsupported_media_type'],
        ['more than 5 MB', (good) => ({ ...good, file: Buffer.alloc(5_242_881) }), 413, 'too_large'],
        [
          'less than a dollar',
          (good) => ({ ...good, form: { ...good.form, usd_amount: '0.99' } }),
          422,
          'validation_failed',
        ],
        [
          'an address that is not confirmed',
          async (good) => ({ ...good, token: (await app.trader()).token }),
          422,
          'email_not_confirmed',
        ],
      ],
    },
    'GET /deposit/requests': { good: mine, refused: [] },
    'POST /deposit/requests': {
      good: request,
      refused: [
        ['a coin that is none', withBody({ currency: 'DOGE' }), 422, 'validation_failed'],
        ['less than a dollar', withBody({ usd_amount: 0.99 }), 422, 'validation_failed'],
        [
          'an address that is not confirmed',
          async (good) => ({ ...good, token: (await app.trader()).token }),
          422,
          'email_not_confirmed',
        ],
      ],
    },
    'POST /deposit/requests/:request_id/submit': {
      good: async () => ({ ...(await requested()), form: {}, file: picture }),
      refused: [
        ['no receipt', ({ file: _, ...good }) => good, 422, 'validation_failed'],
        ['words as a receipt', (good) => ({ ...good, file: Buffer.from('words') }), 415, 'unsupported_media_type'],
        ['a request that is none', (good) => ({ ...good, ...NO_REQUEST }), 404, 'not_found'],
        ["another user's request", async (good) => ({ ...good, token: (await request()).token }), 404, 'not_found'],
      ],
    },
    'POST /deposit/requests/:request_id/cancel': {
      good: requested,
      refused: [
        ['a request that is none', (good) => ({ ...good, ...NO_REQUEST }), 404, 'not_found'],
        ["another user's request", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
    'POST /deposit/card': {
      good: () => mine({ body: { amount: 100 } }),
      lacking: [503, 'not_configured'],
      refused: [['less than a dollar', withBody({ amount: 0.99 }), 422, 'validation_failed']],
    },
    'POST /deposit/card/webhook': {
      good: async () => ({ body: {} }),
      lacking: [503, 'not_configured'],
      refused: [],
    },
    'GET /deposit': {
      good: mine,
      refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
    },
    'GET /deposit/:deposit_id': {
      good: submitted,
      refused: [
        ['a deposit that is none', (good) => ({ ...good, params: { deposit_id: '0000000000000' } }), 404, 'not_found'],
        ["another user's deposit", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
    'GET /deposit/:deposit_id/receipt': {
      good: submitted,
      refused: [
        ['a deposit that is none', (good) => ({ ...good, params: { deposit_id: '0000000000000' } }), 404, 'not_found'],
        ["another user's receipt", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
    'GET /withdraw/requirements': { good: mine, refused: [] },
    'POST /withdraw': toWallet,
    'POST /withdraw/preview': toWallet,
    'POST /withdraw/bank': toBank,
    'POST /withdraw/bank/preview': toBank,
    'GET /withdraw': {
      good: mine,
      refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
    },
    'GET /withdraw/:withdraw_id': {
      good: withdrawal,
      refused: [
        ['one that is none', (good) => ({ ...good, params: { withdraw_id: '0000000000000' } }), 404, 'not_found'],
        ["another user's", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
    'POST /withdraw/:withdraw_id/cancel': {
      good: withdrawal,
      refused: [
        ['one that is none', (good) => ({ ...good, params: { withdraw_id: '0000000000000' } }), 404, 'not_found'],
        ["another user's", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
        [
          'one that is cancelled',
          async (good) => {
            await ask('POST /withdraw/:withdraw_id/cancel', good)
            return good
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'GET /statement': {
      good: () => mine({ query: { mode: 'demo', from: '2026-01-01', to: '2030-12-31', format: 'csv' } }),
      refused: [
        ['a day that is none', withQuery({ from: '2026-02-30' }), 422, 'validation_failed'],
        ['an end before the beginning', withQuery({ to: '2025-12-31' }), 422, 'validation_failed'],
        ['a format that is none', withQuery({ format: 'xls' }), 422, 'validation_failed'],
        ['no days', () => mine({ query: { mode: 'demo' } }), 422, 'validation_failed'],
      ],
    },
    'GET /profile/user-verification': { good: mine, refused: [] },
    'POST /profile/user-verification': {
      good: async () => ({ token: (await app.trader()).token, form: { method: 'national_id' }, file: picture }),
      refused: [
        [
          'a second one while the first waits',
          async (good) => ({ ...good, token: await asSubmitted() }),
          409,
          'wrong_state',
        ],
        ['no file', ({ file: _, ...good }) => good, 422, 'validation_failed'],
        ['a method that is none', (good) => ({ ...good, form: { method: 'library_card' } }), 422, 'validation_failed'],
      ],
    },
    'GET /profile/address-verification': { good: mine, refused: [] },
    'POST /profile/address-verification': {
      good: async () => ({ token: (await app.trader()).token, form: { method: 'utility_bill' }, file: picture }),
      refused: [
        ['no file', ({ file: _, ...good }) => good, 422, 'validation_failed'],
        ['a method of the ID', (good) => ({ ...good, form: { method: 'national_id' } }), 422, 'validation_failed'],
        ['words as a picture', (good) => ({ ...good, file: Buffer.from('words') }), 415, 'unsupported_media_type'],
      ],
    },
    'GET /profile/user-verification/file/:name': {
      good: async () => {
        const token = await asSubmitted()
        const { data } = (await app.send('GET', '/api/profile/user-verification', { token })).json as {
          data: { id_file_url: string }
        }
        return { token, params: { name: data.id_file_url.split('/').at(-1)! } }
      },
      refused: [
        ['a file that nobody has', (good) => ({ ...good, params: { name: '0'.repeat(40) } }), 404, 'not_found'],
        ["another user's file", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
    'POST /public/contact': {
      good: async () => ({ body: { name: 'Ada Byron', email: 'ada@example.org', message: 'May I ask?' } }),
      refused: [
        ['a header in the address', withBody({ email: 'ok@x.org\r\nBcc: evil@x.org' }), 422, 'validation_failed'],
        ['no words', withBody({ message: ' ' }), 422, 'validation_failed'],
        ['too many words', withBody({ message: 'a'.repeat(4_001) }), 422, 'validation_failed'],
      ],
    },
    'GET /profit': {
      good: () => mine(),
      refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
    },
  } satisfies Partial<Record<CallName, Case>>
}
