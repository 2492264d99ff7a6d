import type { DeskCallName } from '#contract/desk/index.ts'
import { parsePublicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { type Case, withBody } from '#tests/support/calls.ts'
import type { DeskOperator } from '#tests/support/people/desk.ts'
import { transactionId } from '#tests/support/transaction-id.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about money and limits. */
export function moneyCases({ app, items, trader, boss, other, mine, on, data, withStatus, claimed }: Office) {
  const adjustment = async (amount = 5) =>
    data(other.ask('POST', `/users/${trader.id}/adjustments`, { body: { book: 'real', amount, reason: 'r' } }))
  const change = () => data(other.ask('PATCH', '/settings', { body: { stake_max: 10_000, reason: 'r' } }))
  const approvedDeposit = async () => {
    const { id, trader: owner } = await items.deposits(50)
    await data(other.ask('POST', `/deposits/${id}/approve`, { body: { amount: 50 } }))
    return { id, trader: owner }
  }
  const uncredited = async () => {
    const deposit = await items.deposits()
    const payment = { payment: `pi_${deposit.id}`, deposit_id: parsePublicId(deposit.id)!, amount: usd(5_000n) }
    await app.db.insertInto('uncredited_payments').values(payment).execute()
    return deposit
  }
  const unknownDeposit = async () => {
    const { id } = await app.db
      .insertInto('unknown_deposits')
      .values({ reference: `pi_${Math.random()}`, amount: usd(5_000n) })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id: String(id), trader }
  }
  const depositor = async () => {
    const made = await app.confirmedTrader()
    await app.completeProfile(made, { date_of_birth: '1990-05-05' })
    return made
  }
  const reversal = async () => {
    const { id } = await approvedDeposit()
    const body = { amount: 10, reference: `R-${Math.random()}`, reason: 'r' }
    return data(other.ask('POST', `/deposits/${id}/reverse`, { body }))
  }
  const processing = async () => {
    const { id, trader: owner } = await items.withdrawals(50)
    await data(other.ask('POST', `/withdrawals/${id}/approve`))
    return { id, trader: owner }
  }
  /** Returns an item that takes two operators, approved by one of them. */
  const approvedOnce = async (who: DeskOperator, queue: 'deposits' | 'withdrawals') => {
    const item = await items[queue](5_000)
    await data(who.ask('POST', `/${queue}/${item.id}/approve`, queue === 'deposits' ? { body: { amount: 5_000 } } : {}))
    return item
  }
  const approvedByMe = (queue: 'deposits' | 'withdrawals') => () => approvedOnce(boss, queue)
  const approvedByOther = async (queue: 'deposits' | 'withdrawals') => ({ id: (await approvedOnce(other, queue)).id })

  return {
    'GET /desk/deposits': withStatus(),
    'GET /desk/deposits/:id/receipt': { good: on(() => items.deposits()), refused: [noSuch('0000000000000')] },
    'POST /desk/deposits/:id/claim': { good: on(() => items.deposits()), refused: [noSuch('0000000000000')] },
    'POST /desk/deposits/:id/release': {
      good: () => claimed('deposits', items.deposits),
      refused: [noSuch('0000000000000')],
    },
    'POST /desk/deposits/:id/approve': {
      good: on(() => items.deposits(), { body: { amount: 100 } }),
      refused: [
        noSuch('0000000000000'),
        ['a third decimal', withBody({ amount: 1.005 }), 422, 'validation_failed'],
        ['nothing', withBody({ amount: 0 }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/deposits/:id/withdraw-approval': {
      good: on(approvedByMe('deposits')),
      refused: [
        noSuch('0000000000000'),
        [
          'one that another operator approved',
          async (good) => ({ ...good, params: await approvedByOther('deposits') }),
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/deposits/:id/reject': {
      good: on(() => items.deposits(), reasons),
      refused: [noSuch('0000000000000'), noReason],
    },
    'POST /desk/deposits/:id/close-payments': {
      good: on(uncredited, reasons),
      refused: [
        noSuch('0000000000000'),
        noReason,
        [
          'a deposit without such a payment',
          async (good) => ({ ...good, params: { id: (await items.deposits()).id } }),
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/deposits/:id/reverse': {
      good: on(approvedDeposit, { body: { amount: 10, reference: `R-${Math.random()}`, reason: 'r' } }),
      refused: [
        noSuch('0000000000000'),
        noReason,
        ['more than was credited', withBody({ amount: 50.01, reference: 'much' }), 409, 'wrong_state'],
      ],
    },
    'GET /desk/unknown-deposits': withStatus(),
    'POST /desk/unknown-deposits': {
      good: async () =>
        mine({
          body: {
            ...{ currency: 'BTC', transaction_id: transactionId(), address: 'bc1qfound', coin_amount: '0.01' },
            arrived_at: new Date().toISOString(),
          },
        }),
      takes: (field) => field === 'address' || field === 'coin_amount',
      refused: [
        ['a transaction that is none', withBody({ transaction_id: 'x' }), 422, 'validation_failed'],
        ['no coins', withBody({ coin_amount: '0' }), 422, 'validation_failed'],
        ['a time that is none', withBody({ arrived_at: 'today' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/unknown-deposits/:id/claim': { good: on(unknownDeposit), refused: [noSuch('999999999')] },
    'POST /desk/unknown-deposits/:id/release': {
      good: () => claimed('unknown-deposits', unknownDeposit),
      refused: [noSuch('999999999')],
    },
    'POST /desk/unknown-deposits/:id/assign': {
      good: async () =>
        mine({ params: { id: (await unknownDeposit()).id }, body: { user: (await depositor()).email } }),
      refused: [
        noSuch('999999999'),
        ['an account that is none', withBody({ user: 'nobody@example.org' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/unknown-deposits/:id/send-back': {
      good: on(unknownDeposit, reasons),
      refused: [noSuch('999999999'), noReason],
    },
    'GET /desk/reversals': withStatus(),
    'POST /desk/reversals/:id/approve': {
      good: async () => mine({ params: { id: (await reversal()).id } }),
      refused: [
        noSuch('999999999'),
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/reversals/:id/reject': {
      good: async () => mine({ params: { id: (await reversal()).id }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'GET /desk/withdrawals': withStatus(),
    'GET /desk/withdrawals/:id/bank': {
      good: on(() => items.bank()),
      refused: [
        noSuch('0000000000000'),
        [
          'one that goes to a wallet',
          async (good) => ({ ...good, params: { id: (await items.withdrawals()).id } }),
          404,
          'not_found',
        ],
      ],
    },
    'POST /desk/withdrawals/:id/claim': { good: on(() => items.withdrawals()), refused: [noSuch('0000000000000')] },
    'POST /desk/withdrawals/:id/release': {
      good: () => claimed('withdrawals', items.withdrawals),
      refused: [noSuch('0000000000000')],
    },
    'POST /desk/withdrawals/:id/approve': { good: on(() => items.withdrawals()), refused: [noSuch('0000000000000')] },
    'POST /desk/withdrawals/:id/withdraw-approval': {
      good: on(approvedByMe('withdrawals')),
      refused: [
        noSuch('0000000000000'),
        [
          'one that another operator approved',
          async (good) => ({ ...good, params: await approvedByOther('withdrawals') }),
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/deposits/:id/arrival': {
      good: on(() => items.deposits(), {
        body: { transaction_id: transactionId(), coin_amount: '0.0031', arrived_at: new Date().toISOString() },
      }),
      refused: [
        noSuch('0000000000000'),
        ['what is no transaction', withBody({ transaction_id: 'wire 42' }), 422, 'validation_failed'],
        ['no coins', withBody({ coin_amount: '0' }), 422, 'validation_failed'],
        ['nine decimals', withBody({ coin_amount: '0.000000001' }), 422, 'validation_failed'],
        ['a time to come', withBody({ arrived_at: '2999-01-01T00:00:00Z' }), 422, 'validation_failed'],
        ['a time without prices', withBody({ arrived_at: '2009-01-03T18:15:05Z' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/withdrawals/:id/fix-coins': {
      good: on(processing),
      refused: [
        noSuch('0000000000000'),
        [
          'one that nobody approved',
          async (good) => ({ ...good, params: { id: (await items.withdrawals()).id } }),
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/withdrawals/:id/paid': {
      good: on(processing, { body: { reference: transactionId() } }),
      refused: [
        noSuch('0000000000000'),
        ['no reference', withBody({ reference: '' }), 422, 'validation_failed'],
        ['what is no transaction', withBody({ reference: 'wire 42' }), 422, 'validation_failed'],
        [
          'one that nobody approved',
          async (good) => ({ ...good, params: { id: (await items.withdrawals()).id } }),
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /desk/withdrawals/:id/reject': {
      good: on(() => items.withdrawals(), reasons),
      refused: [noSuch('0000000000000'), noReason],
    },
    'GET /desk/adjustments': withStatus(),
    'POST /desk/users/:id/adjustments': {
      good: () => mine({ params: { id: trader.id }, body: { book: 'demo', amount: 1, reason: 'r' } }),
      takes: (field, { json }) => field === 'amount' && (json === '-1' || json === '-0.01'),
      refused: [
        noSuch('999999999'),
        noReason,
        ['nothing', withBody({ amount: 0 }), 422, 'validation_failed'],
        ['a third decimal', withBody({ amount: -1.005 }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/adjustments/:id/approve': {
      good: async () => mine({ params: { id: (await adjustment()).id } }),
      refused: [
        noSuch('999999999'),
        ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
        [
          'below zero',
          async (good) => ({ ...good, params: { id: (await adjustment(-10_000_000)).id } }),
          422,
          'insufficient_balance',
        ],
      ],
    },
    'POST /desk/adjustments/:id/reject': {
      good: async () => mine({ params: { id: (await adjustment()).id }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'GET /desk/settings': { good: mine, refused: [] },
    'PATCH /desk/settings': {
      good: () => mine({ body: { stake_max: 10_000, open_stake_max: 50_000, reason: 'r' } }),
      refused: [
        noReason,
        ['nothing', () => mine({ body: { reason: 'r' } }), 422, 'validation_failed'],
        [
          'a limit of loss on what is neither a factor nor traded',
          withBody({ loss_limits: [{ name: 'GOLD', loss_max: 5 }] }),
          422,
          'validation_failed',
        ],
        ['more than all of the equity', withBody({ worst_loss_percent: 101 }), 422, 'validation_failed'],
        ['a setting that is none', withBody({ jwt: 'x' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/settings/changes/:id/approve': {
      good: async () => mine({ params: { id: (await change()).id } }),
      refused: [
        noSuch('999999999'),
        ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/settings/changes/:id/reject': {
      good: async () => mine({ params: { id: (await change()).id }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
