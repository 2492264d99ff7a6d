import type { Reply } from '#contract/api.ts'

const NUMBERS = new Intl.NumberFormat('en-US')

/**
 * Shows the measured figures next to the claimed ones, on pages that have a place for them and if the sample is large
 * enough.
 */
export async function showMeasured(): Promise<void> {
  if (!document.querySelector('[data-figures]')) return
  const answer = await fetch('/api/public/figures')
  if (!answer.ok) return
  const { data } = (await answer.json()) as Reply<'GET /public/figures'>
  for (const { mode, percent, won, lost, from, to } of data.win_rates) {
    const place = document.querySelector(`[data-measured="${mode}"]`)
    if (!place) continue
    const name = mode === 'real' ? 'Real' : 'Demo'
    const days = from.slice(0, 10) === to.slice(0, 10) ? to.slice(0, 10) : `${from.slice(0, 10)} to ${to.slice(0, 10)}`
    const prices = data.source === 'live' ? '' : `, on ${data.source === 'replay' ? 'replayed' : 'simulated'} prices`
    place.textContent = `${name} trades: ${percent}% of ${NUMBERS.format(won + lost)} won, ${days}${prices}.`
  }
}
