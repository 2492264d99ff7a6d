import { BACKTEST, type BacktestFigures } from '#contract/trading/backtest.ts'
import { subtract, usdToNumber } from '#kernel/money.ts'
import { first, last, must } from '#kernel/must.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import type { Backtest, BacktestTrade, Measured } from './backtest.ts'
import type { BacktestSettings } from './settings.ts'
import type { Range } from './signals.ts'

interface ReplyInput {
  settings: BacktestSettings
  range: Range
  result: Backtest
  /** Decimal places of the symbols' prices. */
  scales: ReadonlyMap<string, number>
  /** Minutes with prices in the range. */
  minutes: number
}

/** Returns a back-test as the API shows it: bounded, however long it ran. */
export function toReply({ settings, range, result, scales, minutes }: ReplyInput): BacktestFigures {
  const { trades, drawdown, stopped, equity } = result
  const balance = last(equity)[1]
  return {
    from: toIso(range.from),
    to: toIso(range.to),
    time_zone: settings.timeZone ?? 'UTC',
    minutes,
    trades: measuredReply(result.measured),
    signals: measuredReply(result.allSignals),
    skipped: result.skipped,
    stopped: stopped ? { stop: stopped.stop, time: toIso(stopped.time) } : null,
    balance: usdToNumber(balance),
    profit: usdToNumber(subtract(balance, settings.startingBalance)),
    drawdown: drawdown
      ? {
          amount: usdToNumber(drawdown.amount),
          percent: drawdown.percent,
          from: toIso(drawdown.from),
          to: toIso(drawdown.to),
        }
      : null,
    equity: thinned(
      equity.map(([time, value]): [Ms, number] => [time, usdToNumber(value)]),
      BACKTEST.points,
    ),
    hours: result.hours.map(({ won, lost }): [number, number] => [won, lost]),
    newest: trades
      .slice(-BACKTEST.trades)
      .reverse()
      .map((trade) => tradeReply(trade, must(scales.get(trade.symbol)))),
  }
}

const measuredReply = ({ outcomes, hitRate, breakEven, sentence }: Measured): BacktestFigures['trades'] => ({
  ...outcomes,
  hit_rate: hitRate ?? null,
  break_even: breakEven,
  sentence,
})

function tradeReply(trade: BacktestTrade, scale: number): BacktestFigures['newest'][number] {
  const shown = (units: number) => Number(formatPrice(price(BigInt(units)), scale))
  return {
    symbol: trade.symbol,
    trade_mode: trade.side,
    strike_rate: trade.strikeRate,
    percent: trade.percent,
    trade_time: toIso(trade.time),
    end_time: toIso(trade.endTime),
    ...(trade.entry === undefined ? {} : { start_price: shown(trade.entry) }),
    ...(trade.exit === undefined ? {} : { end_price: shown(trade.exit) }),
    status: trade.status,
    amount: usdToNumber(trade.stake),
    payout: usdToNumber(trade.payout),
    balance: usdToNumber(trade.balance),
  }
}

/** Keeps at most `max` points: the first, the last, and the lowest and highest of each part between them. */
function thinned(points: readonly [Ms, number][], max: number): [Ms, number][] {
  if (points.length <= max) return [...points]
  const inner = points.slice(1, -1)
  const parts = Math.floor((max - 2) / 2)
  const kept = Array.from({ length: parts }, (_, part) => {
    const of = inner.slice(Math.floor((part * inner.length) / parts), Math.floor(((part + 1) * inner.length) / parts))
    const low = of.reduce((best, point) => (point[1] < best[1] ? point : best))
    const high = of.reduce((best, point) => (point[1] > best[1] ? point : best))
    return low === high ? [low] : [low, high].sort((a, b) => a[0] - b[0])
  })
  return [first(points), ...kept.flat(), last(points)]
}
