import type { PriceSource } from '#contract/prices/prices.ts'
import { must } from '#kernel/must.ts'
import { write } from '../part.ts'
import type { Islands } from '../script/islands.ts'
import { followQuotes, priceText, type Quote, SOURCE_WORDS, showChange, showRow } from '../script/quotes.ts'
import { whenSeen } from '../script/when-seen.ts'
import { candles, every, round, scaled, simulatedBefore } from './draw.ts'
import { runPayouts } from './payouts.ts'
import { HEAT_SYMBOLS, OVERVIEW_SYMBOLS } from './symbols.ts'

const CANDLES_MS = 60_000

/**
 * Fills a page's widgets from the tape when they are about to scroll into view, and keeps them up to date while the
 * page is visible.
 */
export function runWidgets(islands: Islands): void {
  const widgets = [...document.querySelectorAll<HTMLElement>('[data-widget]')]
  const has = (kind: string) => widgets.some((widget) => widget.dataset.widget === kind)
  let isFollowing = false
  function follow(): void {
    if (isFollowing) return
    isFollowing = true
    const symbols = new Set([...(has('overview') ? OVERVIEW_SYMBOLS : []), ...(has('heat') ? HEAT_SYMBOLS : [])])
    followQuotes([...symbols], (quotes, source) => {
      for (const quote of quotes) showQuote(quote, source)
    })
  }
  const fill: Record<string, (widget: HTMLElement) => void> = {
    overview(widget) {
      follow()
      every(CANDLES_MS, () => drawWays(widget))
    },
    heat: follow,
    payouts: runPayouts,
    composition: (widget) =>
      once(import('./price-composition/price-composition.ts'), ({ runComposition }) => runComposition(widget)),
    signals: (widget) => once(import('./signals/signals.ts'), ({ runSignals }) => runSignals(widget)),
    odds: (widget) => once(import('./odds/odds.ts'), ({ runOdds }) => runOdds(widget)),
    incidents: (widget) => once(import('./incidents/incidents.ts'), ({ runIncidents }) => runIncidents(widget)),
    check: (widget) => once(import('./check/check.ts'), ({ runCheck }) => runCheck(widget, islands.check)),
    order: (widget) => once(import('./order.ts'), ({ runOrder }) => runOrder(widget)),
    chart: (widget) => once(import('./chart.ts'), ({ runChart }) => runChart(widget)),
  }
  for (const widget of widgets) {
    whenSeen(widget, () => {
      fill[widget.dataset.widget ?? '']?.(widget)
      watchThirdParty(widget)
    })
  }
}

/** Runs a widget when its code is loaded; if that fails, the page stays as it was built. */
function once<M>(code: Promise<M>, run: (code: M) => void): void {
  code.then(run, () => undefined)
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

/**
 * Loads a third party's widget on request, or immediately, depending on the operator's setting. Nothing of it is loaded
 * before that, not even the loader.
 */
function watchThirdParty(widget: HTMLElement): void {
  const { mode, name } = widget.dataset
  const button = widget.querySelector<HTMLButtonElement>('[data-load]')
  if (!button || (mode !== 'choice' && mode !== 'tradingview')) return
  const load = () => void import('./third-party.ts').then(({ loadThirdParty }) => loadThirdParty(widget, button))
  button.textContent = `Load ${name}`
  button.addEventListener('click', load)
  if (mode === 'tradingview') load()
  else {
    button.hidden = false
    write(widget, 'status', `Our own. Loading ${name} shares your IP address with them.`)
  }
}
