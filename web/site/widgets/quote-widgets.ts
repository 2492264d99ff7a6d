import type { PriceSource } from '#contract/prices/prices.ts'
import { must } from '#kernel/must.ts'
import { write } from '../part.ts'
import { followQuotes, priceText, type Quote, SOURCE_WORDS, showChange, showRow } from '../script/quotes.ts'
import { candles, every, round, scaled, simulatedBefore } from './draw.ts'
import { HEAT_SYMBOLS, OVERVIEW_SYMBOLS } from './symbols.ts'

const CANDLES_MS = 60_000

let isFollowing = false

/** Runs the heat map, and the quotes of the overview: the first call follows those of both that the page has. */
export function runQuotes(): void {
  if (isFollowing) return
  isFollowing = true
  const has = (kind: string) => document.querySelector(`[data-widget="${kind}"]`) !== null
  const symbols = new Set([...(has('overview') ? OVERVIEW_SYMBOLS : []), ...(has('heat') ? HEAT_SYMBOLS : [])])
  followQuotes([...symbols], (quotes, source) => {
    for (const quote of quotes) showQuote(quote, source)
  })
}

/** Runs the overview: quotes, and the last day of each symbol. */
export function runOverview(widget: HTMLElement): void {
  runQuotes()
  every(CANDLES_MS, () => drawWays(widget))
}

function showQuote({ symbol, price, change }: Quote, source: PriceSource): void {
  for (const row of document.querySelectorAll(`[data-row="${symbol}"]`)) {
    showRow(row, price ? priceText(price) : '', change)
  }
  for (const cell of document.querySelectorAll<HTMLElement>(`[data-cell="${symbol}"]`)) {
    const shown = cell.children[1] as HTMLElement
    showChange(shown, change)
    const step = Math.min(3, Math.ceil(Math.abs(change ?? 0) / 1.5))
    cell.dataset.heat = change ? `${change > 0 ? 'up' : 'down'}${step}` : ''
    cell.title = SOURCE_WORDS[source]
  }
}

async function drawWays(widget: HTMLElement): Promise<void> {
  // On phones the charts are hidden: one symbol is enough to say how far back the tape goes.
  const shown = must(widget.querySelector('svg')).getClientRects().length > 0
  let note = ''
  for (const symbol of shown ? OVERVIEW_SYMBOLS : OVERVIEW_SYMBOLS.slice(0, 1)) {
    const { data, simulated_until } = await candles(symbol, '1h', 24)
    note ||= simulatedBefore(data, simulated_until)
    const closes = data.map((candle) => Number(candle[4]))
    const [low, high] = [Math.min(...closes), Math.max(...closes)]
    const y = scaled(low, high, 29, 3)
    const points = closes.map((close, n) => `${round((n / Math.max(1, closes.length - 1)) * 120)},${round(y(close))}`)
    widget.querySelector(`[data-row="${symbol}"] polyline`)?.setAttribute('points', points.join(' '))
  }
  write(widget, 'span', `Last 24 hours${note && `, ${note}`}`)
}
