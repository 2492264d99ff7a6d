import { dollars, usd } from '#kernel/money.ts'
import type { ComparedMonth } from './compare.ts'
import type { SimulatedMonth } from './simulate.ts'

/** Formats the result as a Markdown table with a line per day. */
export function monthTable(
  { days, accounts, differences }: ComparedMonth,
  { placed, rejected }: SimulatedMonth,
): string {
  const cells = days.map(({ day, frames, ticks, checkpoints, trades, outcomes, staked, paidByTape, paidByLedger }) => [
    day,
    frames,
    ticks,
    checkpoints,
    trades,
    ['Won', 'Lost', 'Draw', 'Void'].map((status) => outcomes[status] ?? 0).join(' / '),
    money(staked),
    money(paidByTape),
    money(paidByLedger - paidByTape),
  ])
  const sum = (of: (day: (typeof days)[number]) => bigint) => days.reduce((total, day) => total + of(day), 0n)
  return [
    '| day | frames | ticks | checkpoints | trades | won / lost / draw / void | staked | paid by the tape | ledger differs by |',
    '|---|---|---|---|---|---|---|---|---|',
    ...cells.map((row) => `| ${row.join(' | ')} |`),
    '',
    `${placed} trades, ${rejected} orders without a fresh price, ${accounts} accounts: ${money(sum((day) => day.staked))} staked, ${money(sum((day) => day.paidByTape))} paid by the tape, ${money(sum((day) => day.paidByLedger))} by the ledger. Differences: ${differences.length}.`,
  ].join('\n')
}

const money = (cents: bigint): string => dollars(usd(cents))
