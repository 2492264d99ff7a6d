import { depositMethods, withdrawalMethods } from '../cashier/index.ts'
import type { Cause, Transfer } from '../ledger/index.ts'
import { plansOfCharges } from '../plans/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import { tradesByIds } from '../trading/index.ts'

/** Describes what caused a transfer: the trade, plan, request or adjustment. */
export type Details = (transfer: Pick<Transfer, 'cause' | 'cause_id'>) => string | undefined

export interface DetailDeps {
  instruments: Instruments
  /** Returns the reasons of a user's adjustments. */
  adjustmentReasons(db: Db, userId: bigint, ids: readonly bigint[]): Promise<Map<bigint, string>>
}

type Source = 'trades' | 'plans' | 'deposits' | 'withdrawals' | 'adjustments'

/** Which room describes the items of a cause. */
const SOURCES: Partial<Record<Cause, Source>> = {
  trade_open: 'trades',
  trade_settle: 'trades',
  trade_sale: 'trades',
  trade_remedy: 'trades',
  plan_charge: 'plans',
  deposit_credit: 'deposits',
  withdraw_hold: 'withdrawals',
  withdraw_paid: 'withdrawals',
  withdraw_release: 'withdrawals',
  adjust: 'adjustments',
}

/** Asks each room once about the items of these transfers. */
export async function detailsOf(
  deps: DetailDeps & { db: Db },
  userId: bigint,
  transfers: readonly Transfer[],
): Promise<Details> {
  const { db } = deps
  const ask = async (source: Source, read: (ids: bigint[]) => Promise<Map<bigint, string>>) => {
    const caused = transfers.filter(({ cause }) => SOURCES[cause] === source)
    const ids = new Set(caused.map((transfer) => transfer.cause_id))
    return ids.size === 0 ? new Map<bigint, string>() : read([...ids])
  }
  const found: Record<Source, Map<bigint, string>> = {
    trades: await ask('trades', (ids) => tradeWords(deps, ids)),
    plans: await ask('plans', (ids) => plansOfCharges(db, ids)),
    deposits: await ask('deposits', (ids) => depositMethods(db, ids)),
    withdrawals: await ask('withdrawals', (ids) => withdrawalMethods(db, ids)),
    adjustments: await ask('adjustments', (ids) => deps.adjustmentReasons(db, userId, ids)),
  }
  return ({ cause, cause_id }) => {
    const source = SOURCES[cause]
    return source && found[source].get(cause_id)
  }
}

/** Returns symbol, side and outcome of trades, as `BTCUSDT Buy Won`, or `BTCUSDT Buy (automatic) Won`. */
async function tradeWords(
  { db, instruments }: DetailDeps & { db: Db },
  ids: readonly bigint[],
): Promise<Map<bigint, string>> {
  const rows = await tradesByIds(db, ids)
  return new Map(
    rows.map(({ id, symbol_id, side, status, signal }) => [
      id,
      [
        instruments.byId(symbol_id)?.symbol,
        side,
        ...(signal === null ? [] : ['(automatic)']),
        ...(status === 'Pending' ? [] : [status]),
      ].join(' '),
    ]),
  )
}
