import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import sharp from 'sharp'
import { expect } from 'vitest'
import type { Notice } from '#contract/messages/notices.ts'
import type { Deposit, Withdrawal } from '#contract/money/cashier.ts'
import { idSource, parsePublicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import {
  approveDeposit,
  approveWithdrawal,
  type DecideDeps,
  fixCoins,
  payWithdrawal,
  recordArrival,
  rejectDeposit,
  rejectWithdrawal,
  reverseDeposit,
  revokeDepositApproval,
  revokeWithdrawalApproval,
} from '#server/cashier/index.ts'
import type { Operator } from '#server/cashier/operator.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql, type Tx } from '#server/platform/database/db.ts'
import { arrive as writeArrival } from '../arrivals.ts'
import { photo } from '../pictures.ts'
import { type Reply, sharedApp, startWholeApp, type Trader } from '../servers/app.ts'
import { connectTo } from '../servers/database.ts'
import { transactionId } from '../transaction-id.ts'
import { openTestNotices, testPush } from './notices.ts'
import { changeSettings } from './settings.ts'

export const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
export const ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
export const BANK = {
  bank_name: 'Bank of Ada',
  type: 'Checking',
  account_number: '0001 2345 6789',
  routing_number: '021000021',
}

/** Returns an image that stays unique after re-encoding. */
export const drawn = () => {
  const [width, height] = [64, 64]
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

export const keyed = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key }
export const numberOf = (publicId: string) => parsePublicId(publicId)!
export const refused = (code: string) => expect.objectContaining({ code })

/**
 * Starts the whole server for tests of the cashier, with three operators. Traders act over HTTP; the desk's steps are
 * the cashier's use cases, each in a separate transaction.
 */
export async function startCashier(settings: Record<string, string> = {}) {
  const app = await (Object.keys(settings).length === 0 ? sharedApp() : startWholeApp(settings))
  const picture = await photo()
  /** Notices of the use cases that tests call directly, oldest first. */
  const notices: Notice[] = []
  /** The price of a coin, as the tests set it. */
  const coin = { cents: 200_000n, open: true }
  const deps: DecideDeps = {
    tape: {
      status: () => ({ status: coin.open ? 'open' : 'stale' }),
      latest: (symbol) => ({
        symbol,
        symbolId: 1,
        price: price(coin.cents),
        scale: 2,
        sourceMs: Date.now(),
        seq: 1,
        kind: 2,
      }),
      kind: () => 2,
    },
    priceAt: async (_, at) => (coin.open ? { price: price(coin.cents), scale: 2, time: at } : undefined),
    push: testPush(),
    balances: { afterCommit: () => undefined },
    notices: openTestNotices(notices),
    card: undefined,
    newId: idSource(1_000),
  }

  async function operator(email: string): Promise<Operator> {
    const { id } = await app.db
      .insertInto('operators')
      .values({ email, password_hash: 'x', totp_secret: Buffer.from('x'), roles: ['finance'] })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, email }
  }

  // The operators of these tests work off many items a day.
  const day = { deposit_operator_day_amount: 1_000_000, withdraw_operator_day_amount: 1_000_000 }
  await changeSettings(app.db, day, (tx) =>
    sql`
      update cashier_settings set deposit_operator_day_above = 100000000, withdrawal_operator_day_above = 100000000`.execute(
      tx,
    ),
  )

  /** Creates a trader with a confirmed e-mail, an approved ID and this much real money. */
  async function trader(dollars = 0): Promise<Trader> {
    const one = await app.trader()
    await app.verify(one)
    if (dollars > 0) await app.fund(one, dollars)
    return one
  }

  /** Returns a picture with unique bytes. */
  const fresh = () => Buffer.concat([picture, randomBytes(16)])

  function submitDeposit(
    who: Trader,
    usdAmount: string,
    more: { currency?: string; file?: Buffer; key?: string; name?: string; type?: string } = {},
  ): Promise<Reply> {
    const form = new FormData()
    form.set('usd_amount', usdAmount)
    if (more.currency !== undefined) form.set('currency', more.currency)
    const type = more.type ?? 'image/jpeg'
    form.set('receipt', new Blob([new Uint8Array(more.file ?? fresh())], { type }), more.name ?? 'receipt.jpg')
    return app.send('POST', '/api/deposit', { token: who.token, body: form, headers: keyed(more.key) })
  }

  const withdraw = (who: Trader, amount: number, wallet: string = ETH, key?: string) =>
    app.send('POST', '/api/withdraw', { token: who.token, body: { amount, wallet }, headers: keyed(key) })
  const withdrawToBank = (who: Trader, amount: number, more: object = {}, key?: string) =>
    app.send('POST', '/api/withdraw/bank', {
      token: who.token,
      body: { ...BANK, amount, ...more },
      headers: keyed(key),
    })
  const cancel = (who: Trader, id: string, key?: string) =>
    app.send('POST', `/api/withdraw/${id}/cancel`, { token: who.token, headers: keyed(key) })
  const deposits = async (who: Trader) =>
    (await app.send('GET', '/api/deposit', { token: who.token })).json!.data as Deposit[]
  const withdrawals = async (who: Trader) =>
    (await app.send('GET', '/api/withdraw', { token: who.token })).json!.data as Withdrawal[]
  const balance = async (who: Trader) => (await app.balances(who)).balance
  const account = (who: Trader) =>
    app.db
      .selectFrom('accounts')
      .select(['balance', 'hold', 'owed'])
      .where('id', '=', accountOf(BigInt(who.id), 'real'))
      .executeTakeFirstOrThrow()

  /** Runs a step of the desk in a separate transaction. */
  const step = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => inTransaction(app.db, work)
  const approve = (id: bigint, who: Operator, dollars: number) =>
    step((tx) =>
      approveDeposit(deps, tx, { depositId: id, operator: who, amount: usd(BigInt(Math.round(dollars * 100))) }),
    )
  const reject = (id: bigint, who: Operator, reason = 'Nothing arrived.') =>
    step((tx) => rejectDeposit(deps, tx, { depositId: id, operator: who, reason }))
  /** Reverses a deposit as an event of the card provider would. */
  const reverse = (id: bigint, dollars: number, reference: string = randomUUID()) =>
    step(async (tx) => {
      await sql`insert into card_events (id, kind) values (${reference}, 'test') on conflict do nothing`.execute(tx)
      return reverseDeposit(deps, tx, { depositId: id, amount: usd(BigInt(Math.round(dollars * 100))), reference })
    })
  const approveOut = (id: bigint, who: Operator) =>
    step((tx) => approveWithdrawal(deps, tx, { withdrawalId: id, operator: who }))
  const revoke = (id: bigint, who: Operator) =>
    step((tx) => revokeDepositApproval(deps, tx, { depositId: id, operator: who }))
  const revokeOut = (id: bigint, who: Operator) =>
    step((tx) => revokeWithdrawalApproval(deps, tx, { withdrawalId: id, operator: who }))
  const arrive = (id: bigint, who: Operator, coins: string, arrivedAt: number, transaction = transactionId()) =>
    step((tx) =>
      recordArrival(deps, tx, { depositId: id, operator: who, uncheckedTransactionId: transaction, coins, arrivedAt }),
    )
  const fix = (id: bigint, who: Operator) => step((tx) => fixCoins(deps, tx, { withdrawalId: id, operator: who }))
  const pay = (id: bigint, who: Operator, reference = transactionId('ETH')) =>
    step((tx) => payWithdrawal(deps, tx, { withdrawalId: id, operator: who, reference }))
  const rejectOut = (id: bigint, who: Operator, reason = 'The payment bounced.') =>
    step((tx) => rejectWithdrawal(deps, tx, { withdrawalId: id, operator: who, reason }))

  /** Submits a deposit whose arrival is entered, and returns its id; it stays pending. */
  async function pendingDeposit(who: Trader, usdAmount: string): Promise<bigint> {
    const reply = await submitDeposit(who, usdAmount)
    expect(reply.status, reply.text).toBe(200)
    const id = numberOf((reply.json!.data as Deposit).deposit_id)
    await writeArrival(app.db, id)
    return id
  }

  /** Requests a withdrawal and returns its id; it stays pending. */
  async function pendingWithdrawal(who: Trader, amount: number): Promise<bigint> {
    const reply = await withdraw(who, amount)
    expect(reply.status, reply.text).toBe(200)
    return numberOf((reply.json!.data as Withdrawal).withdraw_id)
  }

  /** Runs `work` as the superuser, bypassing the triggers too with `replica`, and rolls it back at the end. */
  async function asSuper<T>(work: (client: pg.Client) => Promise<T>, how: 'origin' | 'replica' = 'origin'): Promise<T> {
    const client = await connectTo(app.superUrl)
    try {
      await client.query('begin')
      await client.query(`set local session_replication_role = '${how}'`)
      return await work(client)
    } finally {
      await client.query('rollback')
      await client.end()
    }
  }

  return {
    app,
    coin,
    arrive,
    fix,
    deps,
    notices,
    picture,
    ops: await Promise.all(['anna', 'bert', 'cleo'].map((name) => operator(`${name}-${randomUUID()}@desk.example`))),
    operator,
    trader,
    fresh,
    submitDeposit,
    withdraw,
    withdrawToBank,
    cancel,
    deposits,
    withdrawals,
    balance,
    account,
    step,
    approve,
    reject,
    reverse,
    approveOut,
    revoke,
    revokeOut,
    pay,
    rejectOut,
    pendingDeposit,
    pendingWithdrawal,
    asSuper,

    /** Stops the server. Fails unless all money adds up. */
    async stop() {
      const broken = await app.broken()
      await app.stop()
      expect(broken, 'the money adds up after all of it').toEqual([])
    },
  }
}

/** Removes the locks of a trader, which only an operator with the role that set them could. */
export async function unlock(superUrl: string, userId: string): Promise<void> {
  const client = await connectTo(superUrl)
  try {
    await client.query(`set session_replication_role = 'replica'`)
    await client.query('delete from user_locks where user_id = $1', [userId])
  } finally {
    await client.end()
  }
}
