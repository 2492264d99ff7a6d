import { must } from '#kernel/must.ts'
import type { Receipt, StepName } from '#packages/verify/verify.js'
import { formatDate, formatExactTime, formatPrice, formatUsd } from '#web/ui/index.ts'

const ENTRY_WITHIN_MS = 10_000
const VOIDED = 'An operator voided this trade'
/** A settlement is signed within about a minute. A later one is worth saying. */
const SETTLED_WITHIN_MS = 120_000

/** How a trade was decided: by its prices, or why no price decided it. */
type Decided = 'by prices' | 'no entry' | 'source changed' | 'no exit' | 'by operators'

export function decidedBy({ trade, outcome, ticks }: Pick<Receipt, 'trade' | 'outcome' | 'ticks'>): Decided {
  if (outcome.reason.startsWith(VOIDED)) return 'by operators'
  if (ticks.entry === null || ticks.entry.time > trade.trade_time + ENTRY_WITHIN_MS) return 'no entry'
  if (ticks.change !== null) return 'source changed'
  return outcome.status === 'Void' ? 'no exit' : 'by prices'
}

/** Formats the time between two moments with milliseconds: `0.239 s`. */
export const secondsBetween = (from: number, to: number): string => `${(Math.abs(to - from) / 1_000).toFixed(3)} s`

/** Says how the trade was decided, in a few sentences. Times are local. */
export const sentencesOf = (receipt: Receipt): string[] => [...decisionOf(receipt), ...lateness(receipt)]

function lateness({ trade, settlement }: Receipt): string[] {
  const late = settlement.checkpoint.time - trade.end_time
  return late > SETTLED_WITHIN_MS ? [`It was settled ${Math.round(late / 60_000)} min after the end.`] : []
}

function decisionOf(receipt: Receipt): string[] {
  const { trade, outcome, ticks } = receipt
  const day = formatDate(trade.trade_time)
  const at = (ms: number) => (formatDate(ms) === day ? formatExactTime(ms) : `${formatDate(ms)} ${formatExactTime(ms)}`)
  const returned = `Your stake of ${formatUsd(Number(outcome.payout))} was returned.`
  const decided = decidedBy(receipt)
  if (decided === 'by operators') return ['Two operators voided this trade, so no price decided it.', returned]
  const { entry } = ticks
  if (!entry)
    return [
      `No price came in the 10 seconds after your order at ${at(trade.trade_time)}. So the trade had no entry.`,
      returned,
    ]
  if (decided === 'no entry')
    return [
      `The first price after your order at ${at(trade.trade_time)} came at ${at(entry.time)}, more than 10 seconds later. So the trade had no entry.`,
      returned,
    ]
  const entered = `Entry ${formatPrice(entry.price)} at ${at(entry.time)}, the first price after your order at ${at(trade.trade_time)}.`
  if (decided === 'source changed')
    return [entered, `The source of the prices changed at ${at(must(ticks.change).time)}, before the end.`, returned]
  const exit = must(ticks.exit)
  if (outcome.status === 'Sold')
    return [
      entered,
      `You sold it at ${formatPrice(exit.price)} at ${at(exit.time)}, the first price after your order to sell at ${at(outcome.sale.ordered_at)}.`,
      `By the formula ${outcome.sale.rule} it was then worth ${formatUsd(Number(outcome.payout))}, after a fee of ${formatUsd(Number(outcome.sale.fee))}.`,
    ]
  if (decided === 'no exit')
    return [
      entered,
      exit.sequence <= entry.sequence
        ? `No price came between the entry and the end at ${at(trade.end_time)}.`
        : `The last price before the end at ${at(trade.end_time)} came at ${at(exit.time)} and was too old to be an exit.`,
      returned,
    ]
  const side = trade.side === 'Buy' ? 'bought' : 'sold'
  const isAbove = Number(exit.price) > Number(entry.price)
  const compared = `The exit is ${isAbove ? 'above' : 'below'} the entry and you ${side}`
  const result = {
    Won: `${compared}: you were paid ${formatUsd(Number(outcome.payout))}.`,
    Lost: `${compared}: the stake was lost.`,
    Draw: `The exit equals the entry: your stake of ${formatUsd(Number(outcome.payout))} was returned.`,
    Void: returned,
  }
  return [
    entered,
    `Exit ${formatPrice(exit.price)} at ${at(exit.time)}, the last price before the end at ${at(trade.end_time)}.`,
    result[outcome.status],
  ]
}

/** What each step of the check means, in plain words. */
export const EXPLAINED: Record<StepName, string> = {
  form: 'Every part is there, nothing was added, and each character is as the platform wrote it.',
  keys: 'A key is named by its fingerprint, so it can’t be swapped for another one unnoticed.',
  checkpoints:
    'Once a minute the platform signs the newest prices and all trades it settled. No one without its key can.',
  chain: 'Each frame of prices contains the hash of the one before it. Changing one breaks all that follow.',
  order:
    'When your order was accepted, its hash went into the prices that everyone got. So its side, stake, strike rate, duration and time can’t be changed later without changing those as well.',
  trade: 'Your terms and the result are in the signed list of settled trades, so neither can be changed later.',
  times:
    'All parts are of one tape, on which time only goes forward, and the trade was settled after its end. A late settlement is shown, but doesn’t fail.',
  ticks: 'The prices in this receipt are the ones that were published for everyone.',
  entry:
    'Prices are numbered. No number is missing between the order and the entry, so no price was skipped. If there is no price at all, the frames of those seconds show it.',
  exit: 'The next number belongs to a price after the end, so there was no later one to use. If no price has come since, the frames up to the end show it.',
  outcome:
    'The result is computed again from the two prices, your side, your stake and the payout rate. For a trade that was sold, its value is computed again from the variance that the prices state.',
}

/** Says why a text can't be a receipt at all, as opposed to a receipt that is not genuine. */
export function notReceipt(text: string): string | undefined {
  if (text.trim() === '') return 'The file is empty. Download the receipt again from the trade’s details.'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'This isn’t a receipt: a receipt is a JSON file. Download it from the trade’s details, and don’t edit or convert it.'
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  return type === 'cleartick receipt'
    ? undefined
    : 'This file is JSON, but not a receipt of a trade. Download the receipt from the trade’s details.'
}
