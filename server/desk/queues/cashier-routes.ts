import { DeskDeposit, type depositCalls } from '#contract/desk/deposits.ts'
import { DeskReversal, type reversalCalls } from '#contract/desk/reversals.ts'
import { DeskWithdrawal, type withdrawalCalls } from '#contract/desk/withdrawals.ts'
import { assert } from '#kernel/assert.ts'
import { parsePublicId } from '#kernel/id.ts'
import { parseUsd, type Usd, usd, usdToText } from '#kernel/money.ts'
import {
  approveDeposit,
  approveWithdrawal,
  closeCheckout,
  type DepositDone,
  depositById,
  payWithdrawal,
  rejectDeposit,
  rejectWithdrawal,
  type WithdrawalDone,
  withdrawDepositApproval,
  withdrawWithdrawalApproval,
} from '../../cashier/index.ts'
import { FileReply, type Handlers, type WhoOperates } from '../../platform/http/index.ts'
import { act, claim, type Step } from '../actions/act.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList } from '../lists/lists.ts'
import { deposits, receiptPicture } from './deposits.ts'
import { claimHandlers, shown } from './queue-routes.ts'
import { approveReversal, proposeReversal, rejectReversal, reversals } from './reversals.ts'
import { bankDetails, withdrawals } from './withdrawals.ts'

/** The routes for deposits, withdrawals and other money movements. */
export function cashierRoutes(
  deps: DeskDeps,
): Handlers<keyof typeof depositCalls | keyof typeof reversalCalls | keyof typeof withdrawalCalls> {
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
      await closeOpenCheckout(deps, who, params.id)
      const asked = { queue: 'deposits', id: params.id, action: 'reject', why: reason } as const
      const item = await act(deps, who, asked, async (tx, { id }) =>
        stepOfDeposit(await rejectDeposit(deps.cashier, tx, { depositId: id, operator: person(who), reason })),
      )
      return shown(deps, who, item, deposits)
    },
    'POST /desk/deposits/:id/reverse': async ({ who, params, body }) => {
      const { reason, reference } = body
      const command = { amount: cents(body.amount), reference, reason }
      return { status: true, data: await proposeReversal(deps.db, who, params.id, command) }
    },
    'GET /desk/reversals': ({ who, query }) =>
      answerList('reversals', DeskReversal, query, (page) => reversals(reads, who, query, page)),
    'POST /desk/reversals/:id/approve': async ({ who, params }) => ({
      status: true,
      data: await approveReversal(deps, who, params.id),
    }),
    'POST /desk/reversals/:id/reject': async ({ who, params, body }) => ({
      status: true,
      data: await rejectReversal(deps, who, params.id, body.reason),
    }),

    'GET /desk/withdrawals': ({ who, query }) =>
      answerList('withdrawals', DeskWithdrawal, query, (page) => withdrawals(reads, who, query, page), parsePublicId),
    'GET /desk/withdrawals/:id/bank': async ({ who, params }) => ({
      status: true,
      // A check constraint limits the column to the contract's values.
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

/**
 * Closes the checkout of a card deposit before the rejection. Runs outside a transaction because the provider may take
 * seconds. The claim comes first, so only the operator who may reject the deposit can close its checkout.
 */
async function closeOpenCheckout(deps: DeskDeps, who: WhoOperates, unchecked: string): Promise<void> {
  const id = parsePublicId(unchecked)
  const deposit = id === undefined ? undefined : await depositById(deps.db, id)
  if (deposit?.method !== 'card' || deposit.status !== 'Pending') return
  // Leave out the key: it belongs to the rejection.
  const { operatorId, sessionId, email, roles } = who
  await claim(deps, { operatorId, sessionId, email, roles }, 'deposits', unchecked)
  await closeCheckout(deps.cashier, deps.db, deposit)
}

const person = (who: WhoOperates) => ({ id: who.operatorId, email: who.email })

const stepOfDeposit = ({ before, after }: DepositDone, amount?: Usd): Step => {
  const state = (row: DepositDone['after']) => ({
    status: row.status,
    approvals: row.approvals,
    reversed: usdToText(usd(row.reversed)),
  })
  return {
    before: state(before),
    after: { ...state(after), ...(amount === undefined ? {} : { amount: usdToText(amount) }) },
  }
}

const stepOfWithdrawal = ({ before, after }: WithdrawalDone): Step => ({
  before: { status: before.status, approvals: before.approvals },
  after: { status: after.status, approvals: after.approvals, amount: usdToText(usd(after.amount)) },
})

function cents(dollars: number): Usd {
  const amount = parseUsd(dollars)
  assert(amount !== undefined, 'the contract lets only amounts through')
  return amount
}
