import type { DeskTrade } from '#contract/desk/markets/trades.ts'
import { parseRowId, publicId } from '#kernel/id.ts'
import { dollars, type Usd, usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { findAnyUser } from '../../identity/index.ts'
import { accountOf, userOf, userOfSql } from '../../ledger/index.ts'
import { pathOfTrade } from '../../notices/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { entrySql, type ShownTradeRow, toTrade, tradesByIds, voidTrade } from '../../trading/index.ts'
import { isOwn, notFound, refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { inDays, inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'

interface TradeFilter {
  status?: DeskTrade['status'] | undefined
  mode?: DeskTrade['mode'] | undefined
  symbol?: string | undefined
  user?: string | undefined
  /** Settled in the last UTC days. */
  settled?: string | undefined
  id?: bigint
}

type Deps = Pick<DeskDeps, 'db' | 'prices' | 'notices' | 'trading'>

/** A trade in the JSON format: 64-bit numbers as text. */
type TextOf<Row, Columns extends keyof Row> = {
  [C in keyof Row]: C extends Columns ? string | Extract<Row[C], null> : Row[C]
}
type Big =
  | 'id'
  | 'stake'
  | 'trade_time'
  | 'end_time'
  | 'entry_price'
  | 'entry_time'
  | 'exit_price'
  | 'exit_time'
  | 'payout'

interface DeskTradeRow extends TextOf<ShownTradeRow, Big | 'settled_at'> {
  user_id: string
  email: string
  name: string
  void_reason: string | null
  proposed_at: string | null
  proposer: string | null
  proposer_email: string | null
  completer: string | null
  completer_email: string | null
}

/** Selects everyone's trades, newest first, with proposed voids. */
const tradeRows = (
  instruments: DeskDeps['prices']['instruments'],
  filter: TradeFilter,
  page: Page,
): List<DeskTradeRow> => {
  const user = filter.user ? (parseRowId(filter.user) ?? 0n) : undefined
  return sql`
  select t.id::text, t.mode, t.symbol_id, t.side, t.strike_rate, t.percent, t.stake::text, t.duration_seconds,
    t.trade_time::text, t.end_time::text, t.rule_version, t.status,
    coalesce(t.entry_price, e.price)::text as entry_price, coalesce(t.entry_time, e.source_ms)::text as entry_time,
    t.exit_price::text, t.exit_time::text, t.settled_at, t.payout::text, t.outcome_reason,
    u.id::text as user_id, u.email, u.firstname || ' ' || u.lastname as name, v.reason as void_reason, v.proposed_at,
    p.id::text as proposer, p.email as proposer_email, c.id::text as completer, c.email as completer_email
  from trades t join users u on u.id = ${sql.raw(userOfSql('t.account_id'))}
    left join lateral (${sql.raw(entrySql('t'))}) e on t.status = 'Pending'
    left join proposals v on v.kind = 'voids' and v.subject = t.id::text
    left join operators p on p.id = v.proposed_by
    left join operators c on c.id = v.decided_by
  where ${where(
    filter.status !== undefined && sql`t.status = ${sql.lit(filter.status)}`,
    filter.mode !== undefined && sql`t.mode = ${filter.mode}`,
    // An unknown symbol matches no trades.
    !!filter.symbol && sql`t.symbol_id = ${instruments.bySymbol(filter.symbol)?.id ?? -1}`,
    user !== undefined && sql`t.account_id in (${accountOf(user, 'real')}, ${accountOf(user, 'demo')})`,
    filter.settled !== undefined && where(sql`t.status <> 'Pending'`, inDays(sql`t.settled_at`, filter.settled)),
    filter.id !== undefined && sql`t.id = ${filter.id}`,
    isAfter('t.id', page),
  )}
  ${inOrder('t.id', page)}`
}

function toDeskTrade(instruments: DeskDeps['prices']['instruments'], who: WhoOperates, row: DeskTradeRow): DeskTrade {
  const big = (text: string | null) => (text === null ? null : BigInt(text))
  const trade = toTrade(instruments, {
    ...row,
    id: BigInt(row.id),
    stake: usd(BigInt(row.stake)),
    trade_time: BigInt(row.trade_time),
    end_time: BigInt(row.end_time),
    entry_price: big(row.entry_price),
    entry_time: big(row.entry_time),
    exit_price: big(row.exit_price),
    exit_time: big(row.exit_time),
    payout: row.payout === null ? null : usd(BigInt(row.payout)),
    settled_at: row.settled_at === null ? null : new Date(row.settled_at),
  })
  return {
    ...trade,
    id: trade.trade_id,
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    own: isOwn(who, row.email),
    void:
      row.proposer === null
        ? null
        : {
            proposed_by: { operator_id: row.proposer, email: must(row.proposer_email) },
            reason: must(row.void_reason),
            at: isoOf(must(row.proposed_at)),
            completed_by:
              row.completer === null ? null : { operator_id: row.completer, email: must(row.completer_email) },
          },
  }
}

/** Lists everyone's trades, newest first. */
export async function trades(
  deps: Pick<DeskDeps, 'prices'> & { db: Db | Tx },
  who: WhoOperates,
  filter: TradeFilter,
  page: Page,
): Promise<DeskTrade[]> {
  const { instruments } = deps.prices
  return (await readList(deps.db, tradeRows(instruments, filter, page))).map((row) =>
    toDeskTrade(instruments, who, row),
  )
}

/**
 * Voids a trade in two steps: the first risk operator proposes it, a second one completes it. Throws `not_found`,
 * `own_item`, `second_person_required`, and `wrong_state` for a trade that has ended.
 */
export function voidOfTrade(
  deps: Deps,
  who: WhoOperates,
  { id: tradeId, reason }: { id: bigint; reason: string },
): Promise<DeskTrade> {
  return audited(deps.db, who, async (tx) => {
    const owner = await ownerOf(tx, tradeId)
    if (!owner) throw notFound()
    refuseOwn(who, owner.email)
    const { userId, step } = await voidTrade(tx, {
      tradeId,
      operatorId: who.operatorId,
      reason: reason.toWellFormed(),
    })
    const [answer] = await trades({ ...deps, db: tx }, who, { id: tradeId }, { after: undefined, limit: 1 })
    if (step === 'completed') {
      deps.trading.pushVoided(tx, tradeId, userId)
      await deps.notices.write(tx, {
        userId,
        kind: 'trade',
        title: `A trade on ${must(answer).symbol} was voided`,
        text: `Your stake of ${dollars(owner.stake)} was returned. ${must(answer).outcome_reason}`,
        path: pathOfTrade(tradeId),
      })
    }
    return {
      answer: must(answer),
      entry: {
        action: step === 'completed' ? 'void' : 'propose-void',
        item: { kind: 'trades', id: publicId(tradeId) },
        userId,
        before: { status: 'Pending' },
        after: { status: must(answer).status },
        why: reason,
      },
    }
  })
}

async function ownerOf(tx: Tx, tradeId: bigint): Promise<{ email: string; stake: Usd } | undefined> {
  const [trade] = await tradesByIds(tx, [tradeId])
  const user = trade && (await findAnyUser(tx, userOf(trade.account_id)))
  return user && { email: user.email, stake: trade.stake }
}
