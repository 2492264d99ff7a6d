import { MANY_COMPARED } from '#contract/prices/measured.ts'
import { dollars, subtract } from '#kernel/money.ts'
import { first, last, must } from '#kernel/must.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import { strategyOf } from '../strategies/index.ts'
import { type Backtest, type Outcomes, outcomesOf } from './backtest.ts'
import type { Market } from './candles.ts'
import { type PublishedSettings, symbolsOf } from './settings.ts'
import type { Range } from './signals.ts'

/** Returns a back-test as plain text for a terminal. */
export function reportOf(
  settings: PublishedSettings,
  markets: readonly Market[],
  range: Range,
  result: Backtest,
): string {
  const { trades, measured, allSignals, skipped, stopped, drawdown } = result
  const balance = last(result.equity)[1]
  const minutes = markets.reduce((sum, market) => sum + market.minutes.length, 0)
  const bySymbol = symbolsOf(settings).map((symbol) => ({
    symbol,
    outcomes: outcomesOf(trades.filter((trade) => trade.symbol === symbol)),
  }))
  const hours = result.hours
    .map(({ won, lost }, hour) => ({ label: `${String(hour).padStart(2, '0')}:00`, won, lost }))
    .filter(({ won, lost }) => won + lost > 0)
  return [
    ...settings.strategies.map(({ strategy, durationSeconds }) => {
      const { name, version, rule } = strategyOf(strategy)
      return `${name}, version ${version}, trades of ${durationSeconds} s. ${rule}`
    }),
    '',
    `${shortTime(range.from)} to ${shortTime(range.to)} UTC, ${count(minutes)} one-minute candles`,
    '',
    table([
      ['', 'trades', 'won', 'lost', 'draw', 'void', 'hit rate'],
      ...bySymbol.map(({ symbol, outcomes }) => [symbol, ...cells(outcomes)]),
      ...(bySymbol.length > 1 ? [['all', ...cells(measured.outcomes)]] : []),
    ]),
    '',
    ...(hours.length > 0
      ? [
          table([
            [`hour (${settings.timeZone ?? 'UTC'})`, 'won', 'lost', 'hit rate'],
            ...hours.map(({ label, won, lost }) => [label, count(won), count(lost), rate({ won, lost })]),
          ]),
          '',
        ]
      : []),
    table([
      ['starting balance', dollars(settings.startingBalance)],
      ['ending balance', dollars(balance)],
      ['profit', dollars(subtract(balance, settings.startingBalance))],
      ['largest drawdown', drawdown ? `${dollars(drawdown.amount)} (${drawdown.percent.toFixed(1)}%)` : 'none'],
    ]),
    '',
    `Signals that weren't traded: ${skippedText(skipped)}.`,
    ...(stopped ? [`A stop ended trading at ${shortTime(stopped.time)} UTC: ${STOPS[stopped.stop]}.`] : []),
    '',
    `${measured.sentence}.`,
    `All signals: ${allSignals.sentence}.`,
    '',
    MANY_COMPARED,
    '',
  ].join('\n')
}

const SKIPPED: Record<keyof Backtest['skipped'], string> = {
  side: 'on the other side',
  schedule: 'outside of the schedule',
  stop: 'after a stop',
  profit: 'after the take-profit of the day',
  pause: 'in a pause after losses',
  open: 'while a trade was open',
  limit: 'above the daily limit',
  balance: 'without the balance',
  odds: 'without the odds in the price lists',
}

const STOPS = {
  loss_in_all: 'the maximum total loss',
  losses_in_row: 'losses in a row',
  profit_in_all: 'the take-profit',
} as const

function skippedText(skipped: Backtest['skipped']): string {
  const parts = Object.entries(skipped).filter(([, number]) => number > 0)
  return (
    parts.map(([reason, number]) => `${count(number)} ${SKIPPED[reason as keyof typeof SKIPPED]}`).join(', ') || 'none'
  )
}

const cells = ({ won, lost, draws, voids }: Outcomes): string[] => [
  ...[won + lost + draws + voids, won, lost, draws, voids].map(count),
  rate({ won, lost }),
]

const rate = ({ won, lost }: { won: number; lost: number }): string =>
  won + lost > 0 ? `${((won / (won + lost)) * 100).toFixed(1)}%` : '–'

const count = (number: number): string => number.toLocaleString('en-US')
const shortTime = (time: Ms): string => toIso(time).slice(0, 16).replace('T', ' ')

/** Aligns the first column to the left and all others to the right. */
function table(rows: readonly string[][]): string {
  const widths = first(rows).map((_, column) => Math.max(...rows.map((row) => must(row[column]).length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(first(widths)) : cell.padStart(must(widths[column]))))
        .join('  '),
    )
    .join('\n')
}
