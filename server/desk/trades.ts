import type { DeskTrade } from '#contract/desk.ts'
import { parsePublicId, publicId } from '#kernel/id.ts'
import { usd, usdToText } from '#kernel/money.ts'
import { userOf } from '../ledger/index.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { toTrade, voidTrade } from '../trading/index.ts'
import { audited } from './audited.ts'
import type { DeskDeps } from './deps.ts'
import { isOwn, notFound, parseNumber, refuseOwn } from './items.ts'

export interface TradeFilter {
  status?: DeskTrade['status'] | undefined
  mode?: DeskTrade['mode'] | undefined
  symbol?: string | undefined
  user?: string | undefined
  id?: bigint
}

type Deps = Pick<DeskDeps, 'db' | 'prices' | 'notices' | 'tradeVoided'>

/** Trades of everyone, newest first, with what operators began to void. */
export async function trades(
  deps: Pick<DeskDeps, 'prices'> & { db: Db | Tx },
  who: WhoOperates,
  filter: TradeFilter,
  page: { before: bigint | undefined; limit: number },
): Promise<DeskTrade[]> {
  const { instruments } = deps.prices
  const user = filter.user ? (parseNumber(filter.user) ?? 0n) : undefined
  // A symbol that does not exist has no trades.
  const symbolId = filter.symbol ? (instruments.bySymbol(filter.symbol)?.id ?? -1) : undefined
  const rows = await deps.db
    .selectFrom('trades')
    .innerJoin('accounts', 'accounts.id', 'trades.account_id')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .leftJoin('trade_voids as v', 'v.trade_id', 'trades.id')
    .leftJoin('operators as p', 'p.id', 'v.proposed_by')
    .leftJoin('operators as c', 'c.id', 'v.completed_by')
    .selectAll('trades')
    .select([
      'users.email',
      'users.firstname',
      'users.lastname',
      'v.reason as void_reason',
      'v.proposed_at',
      'p.id as proposer',
      'p.email as proposer_email',
      'c.id as completer',
      'c.email as completer_email',
    ])
    .$if(filter.status !== undefined, (query) => query.where('trades.status', '=', filter.status!))
    .$if(filter.mode !== undefined, (query) => query.where('trades.book', '=', filter.mode!))
    .$if(symbolId !== undefined, (query) => query.where('trades.symbol_id', '=', symbolId!))
    .$if(user !== undefined, (query) => query.where('trades.account_id', 'in', [user! * 2n, user! * 2n + 1n]))
    .$if(filter.id !== undefined, (query) => query.where('trades.id', '=', filter.id!))
    .$if(page.before !== undefined, (query) => query.where('trades.id', '<', page.before!))
    .orderBy('trades.id', 'desc')
    .limit(page.limit)
    .execute()
  return rows.map((row) => ({
    ...toTrade(instruments, row),
    id: publicId(row.id),
    user_id: String(userOf(row.account_id)),
    email: row.email,
    name: `${row.firstname} ${row.lastname}`,
    own: isOwn(who, row.email),
    void:
      row.proposer === null
        ? null
        : {
            proposed_by: { operator_id: String(row.proposer), email: row.proposer_email! },
            reason: row.void_reason!,
            at: row.proposed_at!.toISOString(),
            completed_by:
              row.completer === null ? null : { operator_id: String(row.completer), email: row.completer_email! },
          },
  }))
}

/**
 * The first risk operator proposes to void a trade, a second completes it. Throws `not_found`, `own_item`,
 * `second_person_required`, and `wrong_state` for a trade that is at its end.
 */
export function voidOfTrade(
  deps: Deps,
  who: WhoOperates,
  { id, reason }: { id: string; reason: string },
): Promise<DeskTrade> {
  return audited(deps.db, who, async (tx) => {
    const tradeId = parsePublicId(id)
    const owner = tradeId === undefined ? undefined : await ownerOf(tx, tradeId)
    if (tradeId === undefined || !owner) throw notFound()
    refuseOwn(who, owner.email)
    const { userId, step } = await voidTrade(tx, {
      tradeId,
      operatorId: who.operatorId,
      reason: reason.toWellFormed(),
    })
    const [answer] = await trades({ ...deps, db: tx }, who, { id: tradeId }, { before: undefined, limit: 1 })
    const written =
      step === 'completed'
        ? await deps.notices.write(tx, {
            userId,
            kind: 'trade',
            title: `A trade on ${answer!.symbol} was voided`,
            text: `Your stake of ${usdToText(usd(owner.stake))} USD was returned. ${answer!.outcome_reason}`,
            path: '/user/trade-history',
          })
        : undefined
    return {
      answer: answer!,
      deed: {
        action: step === 'completed' ? 'void' : 'propose-void',
        item: { kind: 'trades', id },
        userId,
        before: { status: 'Pending' },
        after: { status: answer!.status },
        why: reason,
      },
      committed() {
        if (step !== 'completed') return
        deps.tradeVoided(tradeId, userId)
        deps.notices.committed(written)
      },
    }
  })
}

const ownerOf = (tx: Tx, tradeId: bigint) =>
  tx
    .selectFrom('trades')
    .innerJoin('accounts', 'accounts.id', 'trades.account_id')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select(['users.email', 'trades.stake'])
    .where('trades.id', '=', tradeId)
    .executeTakeFirst()
