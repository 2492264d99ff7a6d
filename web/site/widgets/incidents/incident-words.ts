import type { Incident, VoidReason } from '#contract/prices/incidents.ts'
import type { PriceSource } from '#contract/prices/prices.ts'
import { FINDINGS } from '#contract/terms.ts'

const REASONS: Record<VoidReason, string> = {
  no_entry: 'no price came within 10 seconds of the trade',
  no_exit: 'there was no fresh price at the end',
  source_changed: 'the source of prices changed while they ran',
  operators: 'two operators voided them early',
}
const PRICES: Record<PriceSource, string> = { live: 'live', replay: 'replayed', simulation: 'simulated' }
const SYMBOLS_NAMED = 3

/** What happened, as text. */
export function incidentText(incident: Incident): string {
  switch (incident.kind) {
    case 'voids':
      return `${tradesText(incident)} void: ${REASONS[incident.reason]}. The stakes were returned.`
    case 'no_prices':
      return incident.to === null
        ? 'No prices are published. No trade can be placed.'
        : 'No prices were published, so no trade could be placed.'
    case 'source_changed': {
      const { length } = incident.symbols
      const symbols = length > SYMBOLS_NAMED ? `${length} symbols` : incident.symbols.join(', ')
      return `Prices of ${symbols} changed from ${PRICES[incident.was]} to ${PRICES[incident.is]}.`
    }
    case 'exchange_switched':
      return `Operators ${incident.out ? 'took' : 'put'} ${incident.exchange} ${incident.out ? 'out of' : 'back into'} the prices.`
    case 'terms_changed':
      return `Operators changed how the price of ${incident.symbol} is made: which exchanges, how many, or how far apart they may be.`
    case 'payouts_halted':
      return incident.to === null
        ? "Withdrawals are halted: our books don't agree. We're finding out why."
        : "Withdrawals were halted because our books didn't agree. Two operators resumed them."
    case 'instrument_closed':
      return `${incident.symbol} ${incident.to === null ? 'is' : 'was'} closed for new trades: ${incident.reason}`
    case 'ruling':
      return rulingText(incident)
  }
}

/** A ruling of two operators: the subject of the complaint, their finding, and the returned money. */
function rulingText({ item, finding, complaints, tick }: Extract<Incident, { kind: 'ruling' }>): string {
  const { upheld, says } = FINDINGS[finding]
  const about = complaints === 1 ? `A complaint about a ${item} was` : `${complaints} complaints about ${item}s were`
  const ruled = `${about} ${upheld ? 'upheld' : 'rejected'}: ${says}`
  if (!tick) return ruled
  const count = countText(tick)
  if (count === '') return `${ruled} Stakes are being returned.`
  const money =
    tick.real > 0 ? `, $${tick.total.toLocaleString('en-US', { minimumFractionDigits: 2 })} of real money` : ''
  return `${ruled} The price of ${tick.symbol} at ${tick.at.slice(0, 19).replace('T', ' ')} UTC had made trades lose: ${count} ${
    tick.real + tick.demo === 1 ? 'stake was' : 'stakes were'
  } returned${money}.`
}

/** '2 real and 1 demo'; nothing if there are none. */
const countText = (of: { real: number; demo: number }): string =>
  (['real', 'demo'] as const)
    .filter((mode) => of[mode] > 0)
    .map((mode) => `${of[mode].toLocaleString('en-US')} ${mode}`)
    .join(' and ')

function tradesText({ symbol, real, demo }: { symbol: string; real: number; demo: number }): string {
  return `${countText({ real, demo })} ${real + demo === 1 ? `trade on ${symbol} was` : `trades on ${symbol} were`}`
}

/** How long it took: '3 min', '2 h 5 min', or that it still lasts. */
export function lengthText(incident: Incident): string {
  if (!('to' in incident) || incident.kind === 'voids') return ''
  if (incident.to === null) return 'ongoing'
  const minutes = Math.max(1, Math.round((Date.parse(incident.to) - Date.parse(incident.from)) / 60_000))
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes} min`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}
