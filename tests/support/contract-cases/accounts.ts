import { type Case, withBody } from '#tests/support/calls.ts'
import { type AccountCall, type ContractScene, profile, wholeProfile } from '#tests/support/contract.ts'
import { softwareKey } from '#tests/support/outside/authenticator.ts'
import { totpCode } from '#tests/support/totp-code.ts'

/** Returns a case for each call about the account: adding a call without a case doesn't compile. */
export function accountCases({
  app,
  ada,
  eve,
  picture,
  ask,
  mine,
  funded,
  withPlan,
  withTotp,
  resetApproved,
  steppedUp,
  pageOrigin,
  madePasskey,
  resetHash,
  renewalCookie,
}: ContractScene): Record<AccountCall, Case> {
  /** Returns a trader whose account is being closed. */
  async function closing() {
    const trader = await app.confirmedTrader()
    const asked = await ask('POST /auth/closure', { token: trader.token, body: { password: trader.password } })
    if (asked.status !== 200) throw new Error(asked.text)
    return trader
  }

  /** Returns a trader whose change of address waits. */
  async function changing() {
    const trader = await app.confirmedTrader()
    const { token, email, password } = trader
    const asked = await ask('POST /auth/email-change', { token, body: { email: `moved-${email}`, password } })
    if (asked.status !== 200) throw new Error(asked.text)
    return trader
  }

  return {
    'POST /auth/register': {
      good: async () => ({
        body: {
          firstname: 'Ada',
          lastname: 'Byron',
          email: `ada-${Math.random()}@example.org`,
          phone: '+44 20 7946 0000',
          password: 'analytical engine',
          confirmPassword: 'analytical engine',
        },
      }),
      refused: [
        [
          'an address that its owner confirmed',
          async (good) => {
            const { email } = await app.register()
            const hash = await app.hashFor(email, /Confirm/i)
            await app.send('POST', '/api/auth/verify-email', { body: { hash } })
            return withBody({ email })(good)
          },
          409,
          'already_exists',
        ],
        ['passwords that differ', withBody({ confirmPassword: 'other' }), 422, 'validation_failed'],
        ['a phone of nine figures', withBody({ phone: '123456789' }), 422, 'validation_failed'],
        ['a header in the address', withBody({ email: 'ok@x.org\r\nBcc: evil@x.org' }), 422, 'validation_failed'],
      ],
    },
    'POST /auth/complete-profile': {
      good: async () => ({ body: { ...profile, session: (await app.register()).session } }),
      refused: [
        ['a session that nobody has', withBody({ session: 'x'.repeat(43) }), 422, 'invalid_session'],
        ['a country that is none', withBody({ country: 'Atlantis' }), 422, 'validation_failed'],
        ['a day to come', withBody({ date_of_birth: '2999-01-01' }), 422, 'validation_failed'],
        ['a day that is none', withBody({ date_of_birth: '2001-02-29' }), 422, 'validation_failed'],
      ],
    },
    'POST /users/user-identification': {
      good: async () => ({ form: { method: 'national_id', session: (await app.register()).session }, file: picture }),
      refused: [
        [
          'a session that nobody has',
          (good) => ({ ...good, form: { ...good.form, session: 'x' } }),
          422,
          'invalid_session',
        ],
        ['no file', ({ file: _, ...good }) => good, 422, 'validation_failed'],
        ['no session', (good) => ({ ...good, form: { method: 'national_id' } }), 422, 'validation_failed'],
      ],
    },
    'POST /auth/login': {
      good: async () => {
        const { email, password } = await app.register()
        return { body: { email, password } }
      },
      refused: [
        ['a wrong password', withBody({ password: 'wrong' }), 422, 'invalid_credentials'],
        ['an unknown address', withBody({ email: 'nobody@example.org' }), 422, 'invalid_credentials'],
      ],
    },
    'POST /auth/login/onboarding': {
      good: async () => ({ body: { session: (await app.register()).session } }),
      refused: [
        ['a session that nobody has', withBody({ session: 'x'.repeat(43) }), 422, 'invalid_session'],
        ['another site', (good) => ({ ...good, headers: { origin: 'https://evil.example' } }), 403, 'forbidden'],
        [
          'one that was used',
          async (good) => {
            await ask('POST /auth/login/onboarding', good)
            return good
          },
          422,
          'invalid_session',
        ],
      ],
    },
    'POST /auth/guest': {
      good: async () => ({}),
      refused: [
        ['a trader who is signed in', async () => ({ token: (await app.trader()).token }), 409, 'wrong_state'],
        ['another site', () => ({ headers: { origin: 'https://evil.example' } }), 403, 'forbidden'],
      ],
    },
    'POST /auth/refresh': {
      good: async () => ({ headers: { cookie: await renewalCookie() } }),
      refused: [
        ['no cookie', () => ({}), 401, 'unauthenticated'],
        ['a cookie of nobody', () => ({ headers: { cookie: `renewal=${'x'.repeat(43)}` } }), 401, 'unauthenticated'],
        [
          'another site',
          (good) => ({ headers: { ...good.headers, origin: 'https://evil.example' } }),
          403,
          'forbidden',
        ],
      ],
    },
    'POST /auth/logout': {
      good: async () => ({ token: (await app.trader()).token }),
      refused: [
        ['another site', (good) => ({ ...good, headers: { origin: 'https://evil.example' } }), 403, 'forbidden'],
      ],
    },
    'GET /auth/sessions': { good: async () => ({ token: (await app.trader()).token }), refused: [] },
    'DELETE /auth/sessions': { good: async () => ({ token: (await app.trader()).token }), refused: [] },
    'DELETE /auth/sessions/:id': {
      good: async () => {
        const trader = await app.trader()
        await app.trader(trader)
        const { data } = (await app.send('GET', '/api/auth/sessions', { token: trader.token })).json as {
          data: { id: string; current: boolean }[]
        }
        return { token: trader.token, params: { id: data.find((session) => !session.current)!.id } }
      },
      refused: [
        ['a session that nobody has', (good) => ({ ...good, params: { id: '999999999' } }), 404, 'not_found'],
        ["another user's session", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
    'GET /auth/reset-password': {
      good: async () => ({ query: { email: ada.email } }),
      refused: [['no address', () => ({}), 422, 'validation_failed']],
    },
    'GET /auth/reset-password/details': {
      good: async () => ({ query: { hash: await resetHash() } }),
      refused: [['a hash of nobody', () => ({ query: { hash: 'x'.repeat(43) } }), 422, 'invalid_hash']],
    },
    'POST /auth/reset-password': {
      good: async () => ({ body: { password: 'new engine', confirmPassword: 'new engine', hash: await resetHash() } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['five characters', withBody({ password: '12345', confirmPassword: '12345' }), 422, 'validation_failed'],
        [
          'a hash that confirms an address',
          async (good) => {
            const { email } = await app.register()
            return withBody({ hash: await app.hashFor(email, /Confirm/i) })(good)
          },
          422,
          'invalid_hash',
        ],
      ],
    },
    'POST /auth/verify-email': {
      good: async () => ({ body: { hash: await app.hashFor((await app.register()).email, /Confirm/i) } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'POST /auth/disown-email': {
      good: async () => ({ body: { hash: await app.hashFor((await app.register()).email, /Confirm/i) } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'GET /auth/verify-email': {
      good: async () => ({ token: (await app.trader()).token }),
      refused: [
        [
          'an address that is confirmed',
          async () => {
            const trader = await app.trader()
            const hash = await app.hashFor(trader.email, /Confirm/i)
            await app.send('POST', '/api/auth/verify-email', { token: trader.token, body: { hash } })
            return { token: trader.token }
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'GET /auth/email-change': { good: mine, refused: [] },
    'POST /auth/email-change': {
      good: async () => {
        const { token, email, password } = await app.confirmedTrader()
        return { token, body: { email: `moved-${email}`, password } }
      },
      refused: [
        ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
        ['an address that is taken', withBody({ email: ada.email }), 409, 'already_exists'],
        ['a header in the address', withBody({ email: 'ok@x.org\r\nBcc: evil@x.org' }), 422, 'validation_failed'],
        [
          'an address that is not confirmed',
          () => ({ token: eve.token, body: { email: 'moved@example.org', password: eve.password } }),
          422,
          'email_not_confirmed',
        ],
        [
          'without a step-up',
          async () => {
            const { trader } = await withTotp()
            return { token: trader.token, body: { email: `moved-${trader.email}`, password: trader.password } }
          },
          428,
          'step_up_required',
        ],
      ],
    },
    'DELETE /auth/email-change': {
      good: async () => ({ token: (await changing()).token }),
      refused: [['none that waits', async () => ({ token: eve.token }), 409, 'wrong_state']],
    },
    'GET /auth/email-change/details': {
      good: async () => ({ query: { hash: await app.hashFor((await changing()).email, /Change of your e-mail/) } }),
      refused: [
        ['a hash of nobody', () => ({ query: { hash: 'x'.repeat(43) } }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ query: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'POST /auth/email-change/confirm': {
      good: async () => ({ body: { hash: await app.hashFor((await changing()).email, /Change of your e-mail/) } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'POST /auth/email-change/disown': {
      good: async () => ({ body: { hash: await app.hashFor((await changing()).email, /Change of your e-mail/) } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'POST /auth/sign-in/disown': {
      good: async () => ({ body: { hash: await app.hashOfNewSignIn(await app.confirmedTrader()) } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'POST /users/export': {
      good: async () => {
        const { token, password } = await app.confirmedTrader()
        return { token, body: { password } }
      },
      refused: [['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials']],
    },
    'GET /auth/closure': { good: mine, refused: [] },
    'POST /auth/closure': {
      good: async () => {
        const { token, password } = await app.confirmedTrader()
        return { token, body: { password } }
      },
      refused: [
        ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
        [
          'an address that is not confirmed',
          () => ({ token: eve.token, body: { password: eve.password } }),
          422,
          'email_not_confirmed',
        ],
        [
          'a balance',
          async () => {
            const trader = await app.confirmedTrader()
            await app.fund(trader, 1)
            return { token: trader.token, body: { password: trader.password } }
          },
          409,
          'wrong_state',
        ],
      ],
    },
    'DELETE /auth/closure': {
      good: async () => ({ token: (await closing()).token }),
      refused: [['one that stays open', async () => ({ token: eve.token }), 409, 'wrong_state']],
    },
    'POST /auth/closure/keep': {
      good: async () => ({ body: { hash: await app.hashFor((await closing()).email, /will be closed/) } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'PATCH /users/change-password': {
      good: async () => {
        const { token, password } = await app.trader()
        return { token, body: { current: password, password: 'new engine', confirmPassword: 'new engine' } }
      },
      refused: [
        ['a wrong password', withBody({ current: 'wrong' }), 422, 'invalid_credentials'],
        ['passwords that differ', withBody({ confirmPassword: 'other' }), 422, 'validation_failed'],
      ],
    },
    'GET /users/me': { good: mine, refused: [] },
    'GET /users/screen': { good: mine, refused: [] },
    'PATCH /users/screen': {
      good: async () => ({
        token: (await app.trader()).token,
        body: {
          mode: 'demo',
          symbol: 'ETHUSDT',
          duration: 300,
          strike_rate: 'best',
          amount: 12.5,
          favourites: ['BTCUSDT'],
          presets: [{ symbol: 'BTCUSDT', duration: 60, strike_rate: 'best', amount: 50 }],
        },
      }),
      takes: (field, { json }) => /^(favourites|presets)$/.test(field) && json === '[]',
      refused: [
        ['a mode that is none', withBody({ mode: 'live' }), 422, 'validation_failed'],
        ['a symbol with a space', withBody({ symbol: 'BTC USDT' }), 422, 'validation_failed'],
        ['a duration that is none', withBody({ duration: 61 }), 422, 'validation_failed'],
        ['odds above 100 percent', withBody({ strike_rate: '101/3' }), 422, 'validation_failed'],
        ['half a cent', withBody({ amount: 1.005 }), 422, 'validation_failed'],
        [
          'a preset with a side',
          withBody({ presets: [{ symbol: 'BTCUSDT', duration: 60, strike_rate: 'best', amount: 50, side: 'Buy' }] }),
          422,
          'validation_failed',
        ],
        ['a star twice', withBody({ favourites: ['BTCUSDT', 'BTCUSDT'] }), 422, 'validation_failed'],
        ['a balance', withBody({ balance: 1_000_000 }), 422, 'validation_failed'],
        ['a zone that is none', withBody({ time_zone: 'Mars/Base' }), 422, 'validation_failed'],
      ],
    },
    'GET /users/chart': { good: mine, refused: [] },
    'PATCH /users/chart': {
      good: async () => ({
        token: (await app.trader()).token,
        body: {
          indicators: [{ indicator: 'rsi', inputs: [14], colours: ['violet'], pane: true }],
          layouts: [{ name: 'Day', interval: '1m', kind: 'candles', log: false, indicators: [] }],
          drawings: { BTCUSDT: [{ id: 'a', kind: 'vertical', colour: 'red', points: [{ time: 1, price: 2 }] }] },
        },
      }),
      takes: (field, { json }) => json === (field === 'drawings' ? '{}' : '[]'),
      refused: [
        ['an indicator that is none', withBody({ indicators: [{ indicator: 'luck' }] }), 422, 'validation_failed'],
        ['a drawing of nothing', withBody({ drawings: { BTCUSDT: [{}] } }), 422, 'validation_failed'],
        ['a balance', withBody({ balance: 1_000_000 }), 422, 'validation_failed'],
      ],
    },
    'PATCH /users': {
      good: async () => ({ token: (await app.trader()).token, body: { ...wholeProfile } }),
      refused: [
        ['a name of two characters', withBody({ firstname: 'Al' }), 422, 'validation_failed'],
        ['a gender that nobody gave', withBody({ gender: 'others' }), 422, 'validation_failed'],
        ['another e-mail', withBody({ email: 'eve@example.org' }), 422, 'validation_failed'],
        ['a country that is none', withBody({ country: 'Atlantis' }), 422, 'validation_failed'],
      ],
    },
    'POST /users/update': {
      good: async () => ({ token: (await app.trader()).token, form: { ...wholeProfile }, file: picture }),
      refused: [
        [
          'a name of two characters',
          (good) => ({ ...good, form: { ...good.form, lastname: 'Li' } }),
          422,
          'validation_failed',
        ],
        [
          'an invented plan',
          (good) => ({ ...good, form: { ...good.form, trading_plan: 'Diamond-50730' } }),
          422,
          'validation_failed',
        ],
        ['words as a picture', (good) => ({ ...good, file: Buffer.from('words') }), 415, 'unsupported_media_type'],
        ['more than 2 MB', (good) => ({ ...good, file: Buffer.alloc(2_097_153) }), 413, 'too_large'],
      ],
    },
    'GET /auth/2fa': { good: mine, refused: [] },
    'POST /auth/2fa/totp': {
      good: () => mine({ body: { password: ada.password } }),
      refused: [
        ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
        [
          'an address that is not confirmed',
          () => ({ token: eve.token, body: { password: eve.password } }),
          422,
          'email_not_confirmed',
        ],
      ],
    },
    'POST /auth/2fa/totp/confirm': {
      good: async () => {
        const { token, password } = await app.confirmedTrader()
        const begun = await ask('POST /auth/2fa/totp', { token, body: { password } })
        const { secret } = begun.json!.data as { secret: string }
        return { token, body: { code: totpCode(secret) } }
      },
      refused: [
        ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
        [
          'nothing begun',
          async (good) => ({ ...good, token: (await app.confirmedTrader()).token }),
          409,
          'wrong_state',
        ],
      ],
    },
    'DELETE /auth/2fa/totp': {
      good: async () => {
        const { trader, codes } = await withTotp()
        return steppedUp(trader, 'DELETE /auth/2fa/totp', {}, codes[0]!)
      },
      refused: [
        ['none there', async () => ({ token: eve.token }), 404, 'not_found'],
        ['without a step-up', async () => ({ token: (await withTotp()).trader.token }), 428, 'step_up_required'],
      ],
    },
    'POST /auth/2fa/recovery-codes': {
      good: async () => {
        const { trader, codes } = await withTotp()
        return steppedUp(trader, 'POST /auth/2fa/recovery-codes', {}, codes[0]!)
      },
      refused: [
        ['no second factor', async () => ({ token: eve.token }), 409, 'wrong_state'],
        ['without a step-up', async () => ({ token: (await withTotp()).trader.token }), 428, 'step_up_required'],
      ],
    },
    'POST /auth/2fa/passkeys/options': {
      good: () => mine({ body: { password: ada.password } }),
      refused: [
        ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
        [
          'an address that is not confirmed',
          () => ({ token: eve.token, body: { password: eve.password } }),
          422,
          'email_not_confirmed',
        ],
      ],
    },
    'POST /auth/2fa/passkeys': {
      good: async () => {
        const { token, password } = await app.confirmedTrader()
        return { token, body: { name: 'Blue key', response: await madePasskey(token, password) } }
      },
      refused: [
        ['a name that is too long', withBody({ name: 'x'.repeat(61) }), 422, 'validation_failed'],
        [
          'an answer to no question',
          (good) => withBody({ response: softwareKey(pageOrigin()).create({ challenge: 'AAAA' }) })(good),
          422,
          'invalid_credentials',
        ],
      ],
    },
    'DELETE /auth/2fa/passkeys/:id': {
      good: async () => {
        const { trader, codes } = await withTotp()
        const options = await steppedUp(
          trader,
          'POST /auth/2fa/passkeys/options',
          { body: { password: trader.password } },
          codes[0]!,
        )
        const { json } = await ask('POST /auth/2fa/passkeys/options', options)
        const response = softwareKey(pageOrigin()).create(json!.data as { challenge: string })
        await ask('POST /auth/2fa/passkeys', { token: trader.token, body: { name: 'k', response } })
        const list = await ask('GET /auth/2fa', { token: trader.token })
        const id = (list.json!.data as { passkeys: { id: string }[] }).passkeys[0]!.id
        return steppedUp(trader, 'DELETE /auth/2fa/passkeys/:id', { params: { id } }, codes[1]!)
      },
      refused: [['one that is not there', async () => ({ token: eve.token, params: { id: '1' } }), 404, 'not_found']],
    },
    'DELETE /auth/2fa/reset': {
      good: async () => ({ token: (await resetApproved()).token }),
      refused: [['none that is under way', async () => ({ token: eve.token }), 409, 'wrong_state']],
    },
    'POST /auth/2fa/reset/stop': {
      good: async () => ({ body: { hash: await app.hashFor((await resetApproved()).email, /second factor/) } }),
      refused: [
        ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
      ],
    },
    'POST /auth/login/passkey-options': {
      good: async () => {
        const { token, email, password } = await app.confirmedTrader()
        await ask('POST /auth/2fa/passkeys', {
          token,
          body: { name: 'k', response: await madePasskey(token, password) },
        })
        return { body: { email, password } }
      },
      refused: [
        ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
        ['no passkey', async () => ({ body: { email: eve.email, password: eve.password } }), 409, 'wrong_state'],
      ],
    },
    'POST /auth/step-up/passkey-options': {
      good: async () => {
        const { token, password } = await app.confirmedTrader()
        await ask('POST /auth/2fa/passkeys', {
          token,
          body: { name: 'k', response: await madePasskey(token, password) },
        })
        return { token }
      },
      refused: [['no passkey', async () => ({ token: eve.token }), 409, 'wrong_state']],
    },
    'POST /auth/step-up': {
      good: async () => {
        const { trader, codes } = await withTotp()
        await ask('DELETE /auth/2fa/totp', { token: trader.token })
        return { token: trader.token, body: { code: codes[0] } }
      },
      refused: [
        ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
        ['nothing shown', async (good) => ({ ...good, body: {} }), 422, 'validation_failed'],
        ['nothing that waits', async (good) => ({ ...good, token: (await app.trader()).token }), 409, 'wrong_state'],
      ],
    },
    'POST /users/set-plan': {
      good: async () => ({ token: (await funded(3_000)).token, body: { trading_plan: 'Beginner-3000' } }),
      refused: [
        ['a plan that is none', withBody({ trading_plan: 'Gold' }), 422, 'validation_failed'],
        ['an invented price', withBody({ trading_plan: 'Gold-1' }), 422, 'validation_failed'],
        ['a dearer plan than the balance covers', withBody({ trading_plan: 'Gold-7600' }), 422, 'insufficient_balance'],
        ['a second plan', async (good) => ({ ...good, token: await withPlan() }), 409, 'wrong_state'],
      ],
    },
    'POST /users/request-plan-update': {
      good: async () => ({ token: await withPlan(), body: { trading_plan: 'Gold-7600' } }),
      refused: [
        ['a request without a plan', (good) => ({ ...good, token: eve.token }), 409, 'wrong_state'],
        ['the same plan', withBody({ trading_plan: 'Beginner-3000' }), 409, 'wrong_state'],
        ['no plan at all', withBody({ trading_plan: '' }), 422, 'validation_failed'],
      ],
    },
    'POST /users/withdraw-plan-request': {
      good: async () => {
        const token = await withPlan()
        await ask('POST /users/request-plan-update', { token, body: { trading_plan: 'Gold-7600' } })
        return { token }
      },
      refused: [['nothing pending', async (good) => ({ ...good, token: await withPlan() }), 409, 'wrong_state']],
    },
    'GET /users/plan-request': { good: mine, refused: [] },
  }
}
