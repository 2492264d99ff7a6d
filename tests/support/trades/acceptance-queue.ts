import { usd } from '#kernel/money.ts'
import { accountOf } from '#server/ledger/index.ts'
import type { Connection } from '#server/platform/database/connection.ts'
import { createLog } from '#server/platform/process/log.ts'
import type { AcceptRow } from '#server/trading/acceptance/accept.sql.ts'
import { acceptanceQueue } from '#server/trading/acceptance/acceptance.ts'
import type { Order } from '#server/trading/acceptance/order.ts'
import type { StoredOrder } from '#server/trading/acceptance/stored-order.ts'
import { orderOf as anOrder, newId } from './orders.ts'

const OPEN_STAKE_MAX = usd(5_000n)
const TRADE_TIME = 1_790_000_000_000

export const orderOf = (userId: number, more: Parameters<typeof anOrder>[1] = {}) => anOrder(BigInt(userId), more)

/** Returns the row of a rejected account: `why` over values that would be accepted. */
export const refusal = (userId: number, why: Partial<AcceptRow> = {}): Partial<AcceptRow> => ({
  id: accountOf(BigInt(userId), 'demo'),
  busy: false,
  balance: usd(1_000n),
  escrow: usd(0n),
  repeated: false,
  full: false,
  locked: false,
  stop: null,
  guard: null,
  guard_room: null,
  ahead: false,
  ...why,
})

/** Returns the stored trade of an order. */
export const storedOrder = (order: Order, tradeTime: bigint): StoredOrder & Record<string, unknown> => ({
  id: order.id,
  account_id: order.accountId,
  symbol_id: order.symbolId,
  side: order.side,
  strike_rate: order.strikeRate,
  stake: order.stake,
  duration_seconds: order.durationSeconds,
  key: order.key ?? null,
  fingerprint: order.key === undefined ? null : order.fingerprint,
  salt: order.salt,
  trade_time: tradeTime,
})

interface Run {
  statement: string
  /** The ids of the batch's orders. */
  ids: bigint[]
  answer(refused?: Partial<AcceptRow>[]): void
  found(rows: Record<string, unknown>[]): void
  fail(code: string, constraint?: string): void
}

const failure = (code: string) => Object.assign(new Error(`error ${code}`), { code })

/** Opens a queue on a fake connection: the test answers its statements. */
export function openQueue(options: { batchMax?: number } = {}) {
  const runs: Run[] = []
  let next: ((run: Run) => void) | undefined
  const logged: unknown[] = []
  const connection: Connection = {
    run: <Row>(statement: string, _text: string, values: unknown[]) =>
      new Promise<Row[]>((resolve, reject) => {
        const looksBack = statement === 'accepted_of'
        const ids = looksBack ? (values[0] as bigint[]) : listOf(values[3]).map(BigInt)
        const accounts = new Set(looksBack ? [] : listOf(values[4])).size
        const run: Run = {
          statement,
          ids,
          answer(refused = []) {
            const totals = {
              trade_time: BigInt(TRADE_TIME),
              price_list: 1,
              accepted: BigInt(accounts - refused.length),
              balances: null,
            }
            const rows = refused.length === 0 ? [{ id: null }] : refused
            resolve(rows.map((row) => ({ ...row, ...totals })) as Row[])
          },
          found: (rows) => resolve(rows as Row[]),
          fail: (code, constraint) => reject(Object.assign(failure(code), { constraint })),
        }
        if (next) next(run)
        else runs.push(run)
        next = undefined
      }),
    close: async () => undefined,
  }
  const log = createLog('silent')
  log.error = ((fields: unknown) => logged.push(fields)) as typeof log.error
  const queue = acceptanceQueue({ connection, openStakeMax: () => OPEN_STAKE_MAX, newId, log, ...options })
  return {
    TRADE_TIME,
    queue,
    logged,
    /** Waits for the next statement. */
    next: () =>
      new Promise<Run>((resolve, reject) => {
        const run = runs.shift()
        if (run) return resolve(run)
        const late = setTimeout(() => reject(new Error('no statement was sent')), 1_000)
        next = (one) => {
          clearTimeout(late)
          resolve(one)
        }
      }),
    /** Whether no statement waits for the test's answer. */
    isIdle: () => runs.length === 0,
    /** Submits an order and returns the result as text: `accepted`, `repeated`, or why it was rejected. */
    submit: (order: Order) =>
      queue.submit(order).then(
        (result) => (result.kind === 'accepted' ? `accepted at ${result.accepted.tradeTime}` : result.kind),
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      ),
  }
}

const listOf = (text: unknown) => String(text).slice(1, -1).split(',')
export const ACCEPTED = `accepted at ${TRADE_TIME}`
export const DOWN = "unavailable: The service can't reach its database right now. Try again shortly."
