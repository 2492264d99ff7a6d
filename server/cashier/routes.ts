import type { addressBookCalls } from '#contract/money/address-book.ts'
import { type Coin, type cashierCalls, cashierMessages } from '#contract/money/cashier.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { toIso } from '#kernel/time.ts'
import { requireNoBlock } from '../guardrails/index.ts'
import { findAccountById, isLocked } from '../identity/index.ts'
import { keyOf } from '../ledger/index.ts'
import { type Call, FileReply, type Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/http/page.ts'
import { beginCardDeposit, notSetUp } from './deposits/card.ts'
import { takeCardEvent } from './deposits/card-event.ts'
import { coinsFor, rateOf, rateText } from './deposits/convert.ts'
import { cancelRequest, openRequests, requestDeposit } from './deposits/deposit-requests.ts'
import { requireBirthDate } from './deposits/may-deposit.ts'
import { paymentProofOf } from './deposits/payment-proof.ts'
import { depositById, depositsOf, pendingDeposits } from './deposits/store.ts'
import { submitDeposit } from './deposits/submit-deposit.ts'
import type { CashierDeps } from './deps.ts'
import { withdrawalRequirements } from './requirements.ts'
import { toDeposit, toWithdrawal } from './view.ts'
import { addAddress, addressBookOf, removeAddress, setBookOnly } from './withdrawals/address-book.ts'
import { isBurnAddress } from './withdrawals/burn-addresses.ts'
import { cancelWithdrawal } from './withdrawals/cancel-withdrawal.ts'
import type { Destination } from './withdrawals/destination.ts'
import { previewWithdrawal } from './withdrawals/preview-withdrawal.ts'
import { requestWithdrawal } from './withdrawals/request-withdrawal.ts'
import { withdrawalById, withdrawalsOf } from './withdrawals/store.ts'
import { coinOf } from './withdrawals/wallet.ts'

/** The default coin. */
const DEFAULT_COIN = 'BTC'

/** The routes of `contract/money/cashier.ts`. */
export function cashierRoutes(deps: CashierDeps): Handlers<keyof typeof cashierCalls | keyof typeof addressBookCalls> {
  return {
    ...depositRoutes(deps),
    ...withdrawalRoutes(deps),
    ...previewRoutes(deps),
    ...addressBookRoutes(deps),
  }
}

/** Deposits: how to make one, and those that were made. */
function depositRoutes(
  deps: CashierDeps,
): Handlers<
  | 'GET /deposit/wallet-address'
  | 'GET /deposit/methods'
  | 'GET /deposit/convert'
  | RequestCalls
  | 'POST /deposit'
  | 'POST /deposit/card'
  | 'POST /deposit/card/webhook'
  | 'GET /deposit'
  | 'GET /deposit/:deposit_id'
  | 'GET /deposit/:deposit_id/receipt'
> {
  return {
    ...depositInfoRoutes(deps),
    ...depositRequestRoutes(deps),
    ...depositCallRoutes(deps),
  }
}

/** What a trader needs to make a deposit. */
function depositInfoRoutes(
  deps: CashierDeps,
): Handlers<'GET /deposit/wallet-address' | 'GET /deposit/methods' | 'GET /deposit/convert'> {
  const { db } = deps
  return {
    'GET /deposit/wallet-address': async ({ who, query }) => {
      if (await isLocked(db, who.userId, 'deposits'))
        throw new Problem('account_locked', 'Deposits are locked for your account. Contact support.')
      const account = await findAccountById(db, who.userId)
      if (account) requireBirthDate(account)
      await requireNoBlock(db, who.userId)
      const { address, test } = await deps.addressFor(query.currency ?? DEFAULT_COIN, who.userId)
      return { status: true, data: address, ...(test ? { test } : {}) }
    },
    'GET /deposit/methods': async ({ who }) => {
      const isSetUp = (coin: Coin) =>
        deps.addressFor(coin, who.userId).then(
          () => true,
          (error: unknown) => {
            if (error instanceof Problem && error.code === 'not_configured') return false
            throw error
          },
        )
      const [BTC, ETH] = await Promise.all([isSetUp('BTC'), isSetUp('ETH')])
      return { status: true, data: { card: deps.card !== undefined, BTC, ETH } }
    },
    'GET /deposit/convert': async ({ query }) => {
      const rate = rateOf(deps.tape, query.currency ?? DEFAULT_COIN)
      const coins = coinsFor(query.amount, rate)
      return { status: true, data: Number(coins), rate: rateText(rate), time: toIso(rate.time) }
    },
  }
}

type RequestCalls =
  | 'GET /deposit/requests'
  | 'POST /deposit/requests'
  | 'POST /deposit/requests/:request_id/submit'
  | 'POST /deposit/requests/:request_id/cancel'

/** Requests of deposits, until they are submitted. */
function depositRequestRoutes(deps: CashierDeps): Handlers<RequestCalls> {
  const { db } = deps
  return {
    'GET /deposit/requests': async ({ who }) => ({
      status: true,
      data: await openRequests(deps, who.userId),
      pending: await pendingDeposits(db, who.userId),
    }),
    'POST /deposit/requests': async ({ who, body }) => ({
      status: true,
      data: await requestDeposit(deps, {
        userId: who.userId,
        coin: body.currency ?? DEFAULT_COIN,
        amount: body.usd_amount,
      }),
    }),
    'POST /deposit/requests/:request_id/submit': async ({ who, params, files, request }) => ({
      status: true,
      message: cashierMessages.deposited,
      data: await submitDeposit(deps, {
        userId: who.userId,
        of: { requestId: params.request_id },
        paymentProof: must(files.receipt).bytes,
        key: keyOf(request),
      }),
    }),
    'POST /deposit/requests/:request_id/cancel': async ({ who, params }) => {
      await cancelRequest(deps, who.userId, params.request_id)
      return { status: true, message: cashierMessages.requestCancelled }
    },
  }
}

/** Making deposits, and those that were made. */
function depositCallRoutes(
  deps: CashierDeps,
): Handlers<
  | 'POST /deposit'
  | 'POST /deposit/card'
  | 'POST /deposit/card/webhook'
  | 'GET /deposit'
  | 'GET /deposit/:deposit_id'
  | 'GET /deposit/:deposit_id/receipt'
> {
  const { db } = deps
  return {
    'POST /deposit': async ({ who, form, files, request }) => ({
      status: true,
      message: cashierMessages.deposited,
      data: await submitDeposit(deps, {
        userId: who.userId,
        of: { coin: form.currency ?? DEFAULT_COIN, amount: form.usd_amount },
        paymentProof: must(files.receipt).bytes,
        key: keyOf(request),
      }),
    }),
    'POST /deposit/card': async ({ who, body, request }) => ({
      status: true,
      data: await beginCardDeposit(deps, { userId: who.userId, amount: body.amount, key: keyOf(request) }),
    }),
    'POST /deposit/card/webhook': async ({ request }) => {
      if (!deps.card) throw notSetUp()
      await takeCardEvent(deps, deps.card.read(request.rawText ?? '', request.header('stripe-signature')))
      return { status: true, message: 'Taken.' }
    },
    'GET /deposit': async ({ who, query, reads }) => {
      const page = pageOf(query)
      return listReply(await depositsOf(reads, who.userId, page), page, toDeposit)
    },
    'GET /deposit/:deposit_id': async ({ who, params, reads }) => {
      const row = await depositById(reads, params.deposit_id)
      if (row?.user_id !== who.userId) throw new Problem('not_found', 'Deposit not found.')
      return { status: true, data: toDeposit(row) }
    },
    'GET /deposit/:deposit_id/receipt': async ({ who, params }) => {
      const row = await depositById(db, params.deposit_id)
      if (row?.user_id !== who.userId) throw new Problem('not_found', 'Receipt not found.')
      return new FileReply(await paymentProofOf(deps, row), 'image/jpeg', {
        'content-disposition': 'inline; filename="receipt.jpg"',
        'cross-origin-resource-policy': 'same-origin',
      })
    },
  }
}

/** Withdrawals. */
function withdrawalRoutes(
  deps: CashierDeps,
): Handlers<
  | 'GET /withdraw/requirements'
  | 'POST /withdraw'
  | 'POST /withdraw/bank'
  | 'GET /withdraw'
  | 'GET /withdraw/:withdraw_id'
  | 'POST /withdraw/:withdraw_id/cancel'
> {
  return {
    'GET /withdraw/requirements': async ({ who }) => ({
      status: true,
      data: await withdrawalRequirements(deps, who.userId),
    }),
    'POST /withdraw': async ({ who, body, request }) => ({
      status: true,
      message: cashierMessages.withdrawn,
      data: await requestWithdrawal(deps, {
        userId: who.userId,
        amount: body.amount,
        destination: () => walletDestination(body.wallet),
        key: keyOf(request),
        confirm: () => deps.requireStepUp(who, request),
      }),
    }),
    'POST /withdraw/bank': async ({ who, body, request }) => ({
      status: true,
      message: cashierMessages.withdrawn,
      data: await requestWithdrawal(deps, {
        userId: who.userId,
        amount: body.amount,
        destination: () => bankDestination(body),
        key: keyOf(request),
        confirm: () => deps.requireStepUp(who, request),
      }),
    }),
    'GET /withdraw': async ({ who, query, reads }) => {
      const page = pageOf(query)
      return listReply(await withdrawalsOf(reads, who.userId, page), page, toWithdrawal)
    },
    'GET /withdraw/:withdraw_id': async ({ who, params, reads }) => {
      const row = await withdrawalById(reads, params.withdraw_id)
      if (row?.user_id !== who.userId) throw new Problem('not_found', 'Withdrawal not found.')
      return { status: true, data: toWithdrawal(row) }
    },
    'POST /withdraw/:withdraw_id/cancel': async ({ who, params, request }) => ({
      status: true,
      message: cashierMessages.cancelled,
      data: await cancelWithdrawal(deps, {
        userId: who.userId,
        withdrawalId: params.withdraw_id,
        key: keyOf(request),
      }),
    }),
  }
}

/** What a withdrawal would be, before it's requested. */
const previewRoutes = (deps: CashierDeps): Handlers<'POST /withdraw/preview' | 'POST /withdraw/bank/preview'> => ({
  'POST /withdraw/preview': async ({ who, body }) => ({
    status: true,
    data: await previewWithdrawal(deps, {
      userId: who.userId,
      amount: body.amount,
      to: walletDestination(body.wallet),
    }),
  }),
  'POST /withdraw/bank/preview': async ({ who, body }) => ({
    status: true,
    data: await previewWithdrawal(deps, { userId: who.userId, amount: body.amount, to: bankDestination(body) }),
  }),
})

/** The address book for withdrawals. Each change needs the password, and the second factor where it is on. */
const addressBookRoutes = (deps: CashierDeps): Handlers<keyof typeof addressBookCalls> => ({
  'GET /withdraw/addresses': async ({ who }) => ({ status: true, data: await addressBookOf(deps.db, who.userId) }),
  'POST /withdraw/addresses': async ({ who, body, request }) => {
    const to = walletDestination(body.wallet)
    await deps.checkPassword(who, body.password)
    await deps.requireStepUp(who, request)
    const { name, beneficiary = null, hosted_by = null } = body
    return {
      status: true,
      data: await addAddress(deps, { userId: who.userId, to, name, beneficiary, hostedBy: hosted_by }),
    }
  },
  'POST /withdraw/addresses/bank': async ({ who, body, request }) => {
    const to = bankDestination({ ...body, type: 'Checking' })
    await deps.checkPassword(who, body.password)
    await deps.requireStepUp(who, request)
    const { name, beneficiary = null } = body
    return { status: true, data: await addAddress(deps, { userId: who.userId, to, name, beneficiary, hostedBy: null }) }
  },
  'DELETE /withdraw/addresses/:id': async ({ who, params }) => {
    await removeAddress(deps, who.userId, params.id)
    return { status: true, message: 'Removed from your address book.' }
  },
  'POST /withdraw/addresses/only': async ({ who, body, request }) => {
    await deps.checkPassword(who, body.password)
    await deps.requireStepUp(who, request)
    return { status: true, data: await setBookOnly(deps, who.userId, body.only) }
  },
})

function walletDestination(wallet: string): Destination {
  const coin = coinOf(wallet)
  if (!coin) throw fieldProblem('wallet', 'is not a Bitcoin or Ethereum address')
  if (isBurnAddress(wallet)) throw fieldProblem('wallet', 'belongs to no one: coins sent there are lost')
  return { method: 'crypto', coin, wallet }
}

const bankDestination = (body: Omit<Call<'POST /withdraw/bank'>['body'], 'amount'>): Destination => ({
  method: 'bank',
  bankName: body.bank_name,
  type: body.type,
  accountNumber: body.account_number,
  routingNumber: body.routing_number,
})
