import { DeskDeposit, DeskWithdrawal, type deskCashierCalls } from '#contract/desk.ts'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { parsePublicId } from '#kernel/id.ts'
import { parseUsd, type Usd, usd, usdToText } from '#kernel/money.ts'
import {
  approveDeposit,
  approveWithdrawal,
  type DepositDone,
  payWithdrawal,
  rejectDeposit,
  rejectWithdrawal,
  reverseDeposit,
  type WithdrawalDone,
  withdrawDepositApproval,
  withdrawWithdrawalApproval,
} from '../cashier/index.ts'
import { FileReply, type Handlers, type WhoOperates } from '../platform/http/index.ts'
import { act, type Step } from './act.ts'
import { deposits, receiptPicture } from './deposits.ts'
import type { DeskDeps } from './deps.ts'
import { answerList } from './lists.ts'
import { claimHandlers, shown } from './queue-routes.ts'
import { bankDetails, withdrawals } from './withdrawals.ts'

/** Money in and money out. */
export function cashierRoutes(deps: DeskDeps): Handlers<keyof typeof deskCashierCalls> {
  const { reads } = deps
  const ins = claimHandlers(deps, 'deposits')
  const outs = claimHandlers(deps, 'withdrawals')
  return {
    'GET /desk/deposits': ({ who, query }) =>
      answerList('deposits', DeskDeposit, query, (page) => deposits(reads, who, query, page), parsePublicId),
    'GET /desk/deposits/:id/receipt': async ({ who, params }) =>
      new FileReply(await receiptPicture(deps, who, params.id), 'image/jpeg', {
        'content-disposition': 'inline; filename="receipt.jpg"',
        'cross-origin-resource-policy': 'same-origin',
      }),
    'POST /desk/deposits/:id/claim': ins.claim,
    'POST /desk/deposits/:id/release': ins.release,
    'POST /desk/deposits/:id/approve': async ({ who, params, body }) => {
      const amount = cents(body.amount)
      const asked = { queue: 'deposits', id: params.id, action: 'approve' } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfDeposit(await approveDeposit(deps.cashier, tx, { depositId: id, operator: person(who), amount }), amount),
      )
      return shown(deps, who, item, deposits)
    },
    'POST /desk/deposits/:id/withdraw-approval': async ({ who, params }) => {
      const asked = { queue: 'deposits', id: params.id, action: 'withdraw-approval' } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfDeposit(await withdrawDepositApproval(deps.cashier, tx, { depositId: id, operator: person(who) })),
      )
      return shown(deps, who, item, deposits)
    },
    'POST /desk/deposits/:id/reject': async ({ who, params, body }) => {
      const { reason } = body
      const asked = { queue: 'deposits', id: params.id, action: 'reject', why: reason } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfDeposit(await rejectDeposit(deps.cashier, tx, { depositId: id, operator: person(who), reason })),
      )
      return shown(deps, who, item, deposits)
    },
    'POST /desk/deposits/:id/reverse': async ({ who, params, body }) => {
      const { reason, reference } = body
      const amount = cents(body.amount)
      const asked = { queue: 'deposits', id: params.id, action: 'reverse', why: reason } as const
      const item = await act(deps, who, asked, async (tx, { id }) => {
        const command = { depositId: id, operator: person(who), amount, reference }
        const done = await reverseDeposit(deps.cashier, tx, command)
        if (!done) throw new Problem('wrong_state', 'This reference was taken back already.')
        return stepOfDeposit(done, amount)
      })
      return shown(deps, who, item, deposits)
    },

    'GET /desk/withdrawals': ({ who, query }) =>
      answerList('withdrawals', DeskWithdrawal, query, (page) => withdrawals(reads, who, query, page), parsePublicId),
    'GET /desk/withdrawals/:id/bank': async ({ who, params }) => ({
      status: true,
      // The table's checks hold the type to the words of the contract.
      data: (await bankDetails(deps, who, params.id)) as { type: 'Checking' | 'Savings' } & Awaited<
        ReturnType<typeof bankDetails>
      >,
    }),
    'POST /desk/withdrawals/:id/claim': outs.claim,
    'POST /desk/withdrawals/:id/release': outs.release,
    'POST /desk/withdrawals/:id/approve': async ({ who, params }) => {
      const asked = { queue: 'withdrawals', id: params.id, action: 'approve' } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfWithdrawal(await approveWithdrawal(deps.cashier, tx, { withdrawalId: id, operator: person(who) })),
      )
      return shown(deps, who, item, withdrawals)
    },
    'POST /desk/withdrawals/:id/withdraw-approval': async ({ who, params }) => {
      const asked = { queue: 'withdrawals', id: params.id, action: 'withdraw-approval' } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfWithdrawal(
          await withdrawWithdrawalApproval(deps.cashier, tx, { withdrawalId: id, operator: person(who) }),
        ),
      )
      return shown(deps, who, item, withdrawals)
    },
    'POST /desk/withdrawals/:id/paid': async ({ who, params, body }) => {
      const { reference } = body
      const asked = { queue: 'withdrawals', id: params.id, action: 'paid', why: reference } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfWithdrawal(await payWithdrawal(deps.cashier, tx, { withdrawalId: id, operator: person(who), reference })),
      )
      return shown(deps, who, item, withdrawals)
    },
    'POST /desk/withdrawals/:id/reject': async ({ who, params, body }) => {
      const { reason } = body
      const asked = { queue: 'withdrawals', id: params.id, action: 'reject', why: reason } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfWithdrawal(await rejectWithdrawal(deps.cashier, tx, { withdrawalId: id, operator: person(who), reason })),
      )
      return shown(deps, who, item, withdrawals)
    },
  }
}

const person = (who: WhoOperates) => ({ id: who.operatorId, email: who.email })

const stepOfDeposit = ({ before, after, committed }: DepositDone, amount?: Usd): Step => {
  const state = (row: DepositDone['after']) => ({
    status: row.status,
    approvals: row.approvals,
    reversed: usdToText(usd(row.reversed)),
  })
  return {
    before: state(before),
    after: { ...state(after), ...(amount === undefined ? {} : { amount: usdToText(amount) }) },
    committed,
  }
}

const stepOfWithdrawal = ({ before, after, committed }: WithdrawalDone): Step => ({
  before: { status: before.status, approvals: before.approvals },
  after: { status: after.status, approvals: after.approvals, amount: usdToText(usd(after.amount)) },
  committed,
})

function cents(dollars: number): Usd {
  const amount = parseUsd(dollars)
  assert(amount !== undefined, 'the contract lets only amounts through')
  return amount
}
