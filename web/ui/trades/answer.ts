import type { Trade } from '#web/client/index.ts'
import { formatDate, formatDateTime, formatTime, formatUsd } from '../format.ts'
import { winOf } from './trade-words.ts'

/** Says in a sentence or two how a trade ended and what it brought, or what it takes to win while it's open. */
export function answerOf(trade: Trade, nowMs: number): string {
  const { symbol, side, stake, status } = trade
  const end = timeOf(trade.end_time, nowMs)
  const [better, worse] = side === 'Buy' ? ['higher', 'lower'] : ['lower', 'higher']
  const when = `than when you ${side === 'Buy' ? 'bought' : 'sold'}`
  const returned = `Your stake of ${formatUsd(trade.payout ?? stake)} was returned.`
  switch (status) {
    case 'Pending':
      return `You win ${formatUsd(winOf(stake, trade.percent))} if ${symbol} is ${better} at ${end} ${when}. You lose ${formatUsd(stake)} otherwise.`
    case 'Won':
      return `${symbol} was ${better} at ${end} ${when}. You staked ${formatUsd(stake)} and were paid ${formatUsd(trade.payout ?? 0)}.`
    case 'Lost':
      return `${symbol} was ${worse} at ${end} ${when}. You lost your stake of ${formatUsd(stake)}.`
    case 'Draw':
      return `${symbol} had the same price at ${end} as ${when.slice(5)}. ${returned}`
    case 'Void':
      return returned
    case 'Sold':
      return `You sold it before its end, for ${formatUsd(trade.payout ?? 0)}${trade.sale?.fee === undefined ? '' : ` after a fee of ${formatUsd(trade.sale.fee)}`}. You had staked ${formatUsd(stake)}.`
  }
}

/** The time of day, with the day unless that is today. */
function timeOf(time: string, nowMs: number): string {
  return formatDate(time) === formatDate(nowMs) ? formatTime(time) : formatDateTime(time)
}
