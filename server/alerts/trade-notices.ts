import { dollars, type Usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { HOUR_MS, MINUTE_MS, type Ms, SECOND_MS, toIso } from '#kernel/time.ts'
import { modeOf, userOf } from '../ledger/index.ts'
import { pathOfTrade, usersWanting } from '../notices/index.ts'
import { inTransaction, sql, type Tx } from '../platform/database/db.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import { endingTrades, type NoticedTrade, settledLately, settledOf } from '../trading/index.ts'
import type { AlertsDeps } from './deps.ts'
import { priceText } from './words.ts'

type Kind = 'trade-ending' | 'trade-settled'

const LOOK_MS = 2 * SECOND_MS
/** While nobody has switched them on. */
const IDLE_LOOK_MS = 10 * SECOND_MS
/** Shorter trades have no minute before their end that would be worth a notification. */
const LEAST_SECONDS = 180
/** Settled trades are looked for this far back, and this often, in case a message was lost. */
const LATELY_MS = 5 * MINUTE_MS
/** Trades that are announced in one transaction. */
const AT_ONCE = 500

/**
 * Notifies those who have switched it on: a minute before the end of a trade, and when it has settled. It follows
 * settlement and never delays it.
 */
export class TradeNotices {
  readonly #deps: AlertsDeps
  readonly #loop: Loop | undefined
  #wanting = new Map<string, bigint[]>()
  readonly #settled = new Set<bigint>()
  /** Trades that end up to this time were looked at. */
  #endsUntil: Ms = 0
  #lookedBackAt = Number.NEGATIVE_INFINITY
  #purgedAt = 0

  /** `byHand`: tests run each round. */
  constructor(deps: AlertsDeps, { byHand = false } = {}) {
    this.#deps = deps
    const pause = () => (this.#wanting.size > 0 ? LOOK_MS : IDLE_LOOK_MS)
    this.#loop = byHand ? undefined : startLoop('trade notices', pause, deps.log, () => this.round())
  }

  /** Trades of these users were settled. */
  settled({ tradeIds, userIds }: { tradeIds: readonly string[]; userIds: readonly string[] }): void {
    const users = new Set(this.#wanting.get('trade-settled'))
    if (users.size === 0 || !userIds.some((userId) => users.has(BigInt(userId)))) return
    for (const id of tradeIds) this.#settled.add(BigInt(id))
    this.#loop?.wake()
  }

  async stop(): Promise<void> {
    await this.#loop?.stop()
  }

  async round(): Promise<void> {
    this.#wanting = await usersWanting(this.#deps.db, ['trade-ending', 'trade-settled'])
    await this.#announceEnding(this.#wanting.get('trade-ending') ?? [])
    await this.#announceSettled(this.#wanting.get('trade-settled') ?? [])
    if (performance.now() < this.#purgedAt + HOUR_MS) return
    this.#purgedAt = performance.now()
    await sql`delete from alert_trades where at < clock_timestamp() - interval '2 days'`.execute(this.#deps.db)
  }

  async #announceEnding(users: readonly bigint[]): Promise<void> {
    const { db, tape, instruments } = this.#deps
    const now = tape.head().t
    const until = now + MINUTE_MS
    if (users.length > 0 && now > 0) {
      const symbolIds = instruments.current().map(({ id }) => id)
      const after = Math.max(now, this.#endsUntil)
      const trades = await endingTrades(db, users, { symbolIds, after, until, leastSeconds: LEAST_SECONDS })
      await this.#announce('trade-ending', trades)
    }
    this.#endsUntil = users.length > 0 ? until : 0
  }

  async #announceSettled(users: readonly bigint[]): Promise<void> {
    const { db } = this.#deps
    const ids = [...this.#settled]
    if (users.length > 0 && ids.length > 0) await this.#announce('trade-settled', await settledOf(db, users, ids))
    for (const id of ids) this.#settled.delete(id)
    if (users.length === 0 || performance.now() < this.#lookedBackAt + MINUTE_MS) return
    this.#lookedBackAt = performance.now()
    await this.#announce('trade-settled', await settledLately(db, users, LATELY_MS))
  }

  async #announce(kind: Kind, trades: readonly NoticedTrade[]): Promise<void> {
    for (let at = 0; at < trades.length; at += AT_ONCE)
      await inTransaction(this.#deps.db, (tx) => this.#write(tx, kind, trades.slice(at, at + AT_ONCE)))
  }

  async #write(tx: Tx, kind: Kind, trades: readonly NoticedTrade[]): Promise<void> {
    const byId = new Map(trades.map((trade) => [trade.id, trade]))
    const { rows } = await sql<{ trade_id: bigint }>`
      insert into alert_trades (user_id, trade_id, kind)
      select user_id, trade_id, ${kind}::notice_kind
      from unnest(${trades.map(({ account_id }) => userOf(account_id))}::bigint[], ${[...byId.keys()]}::bigint[]) t(user_id, trade_id)
      order by user_id, trade_id
      on conflict do nothing returning trade_id`.execute(tx)
    const texts = rows.map((row) => {
      const trade = must(byId.get(row.trade_id))
      return { userId: userOf(trade.account_id), path: pathOfTrade(trade.id), ...this.#news(kind, trade) }
    })
    await this.#deps.notices.writeEach(tx, texts, { kind, path: '/user/trade-history' })
  }

  #news(kind: Kind, trade: NoticedTrade): { title: string; text: string } {
    const { symbol, scale } = must(this.#deps.instruments.byId(trade.symbol_id))
    const name = `${symbol} ${trade.side}`
    const of = `${dollars(trade.stake)} ${modeOf(trade.account_id)} trade`
    const entry = trade.entry_price === null ? '' : ` Entry ${priceText(trade.entry_price, scale)}.`
    if (kind === 'trade-ending')
      return { title: `${name} ends in a minute`, text: `Your ${of} ends at ${utc(Number(trade.end_time))}.${entry}` }
    const exit = trade.exit_price === null ? '' : ` Exit ${priceText(trade.exit_price, scale)}.`
    return { title: `${name} ${resultOf(trade)}`, text: `Your ${of} has settled.${entry}${exit}` }
  }
}

const utc = (time: Ms) => `${toIso(time).slice(11, 19)} UTC`

function resultOf({ status, stake, payout }: NoticedTrade): string {
  if (status === 'Won') return `won ${dollars(((payout ?? stake) - stake) as Usd)}`
  if (status === 'Sold') return `sold for ${dollars(payout ?? stake)}`
  if (status === 'Lost') return `lost ${dollars(stake)}`
  return `returned ${dollars(stake)}`
}
