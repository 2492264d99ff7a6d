import { write } from '../part.ts'
import type { Islands } from '../script/islands.ts'
import { whenSeen } from '../script/when-seen.ts'
import { runOrder } from './order.ts'

/**
 * Fills a page's widgets from the tape when they are about to scroll into view, and keeps them up to date while the
 * page is visible.
 */
export function runWidgets(islands: Islands): void {
  const widgets = [...document.querySelectorAll<HTMLElement>('[data-widget]')]
  const fill: Record<string, (widget: HTMLElement) => void> = {
    // The top of the home page.
    order: runOrder,
    overview: (widget) => once(import('./quote-widgets.ts'), ({ runOverview }) => runOverview(widget)),
    heat: () => once(import('./quote-widgets.ts'), ({ runQuotes }) => runQuotes()),
    payouts: (widget) => once(import('./payouts.ts'), ({ runPayouts }) => runPayouts(widget)),
    composition: (widget) =>
      once(import('./price-composition/price-composition.ts'), ({ runComposition }) => runComposition(widget)),
    signals: (widget) => once(import('./signals/signals.ts'), ({ runSignals }) => runSignals(widget)),
    odds: (widget) => once(import('./odds/odds.ts'), ({ runOdds }) => runOdds(widget)),
    incidents: (widget) => once(import('./incidents/incidents.ts'), ({ runIncidents }) => runIncidents(widget)),
    check: (widget) => once(import('./check/check.ts'), ({ runCheck }) => runCheck(widget, islands.check)),
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
