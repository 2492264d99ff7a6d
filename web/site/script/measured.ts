import type { Reply } from '#contract/api.ts'

const NUMBERS = new Intl.NumberFormat('en-US')

/**
 * Shows the measured figures above the advertised ones, on pages that have a place for them and if the sample is large
 * enough.
 */
export async function showMeasured(): Promise<void> {
  if (!document.querySelector('[data-figures]')) return
  const answer = await fetch('/api/public/figures')
  if (!answer.ok) return
  const { data } = (await answer.json()) as Reply<'GET /public/figures'>
  for (const { mode, percent, won, lost, from, to } of data.win_rates) {
    const place = document.querySelector<HTMLElement>(`[data-measured="${mode}"]`)
    if (!place) continue
    place.dataset.rate = `${percent}%`
    const name = mode === 'real' ? 'Real' : 'Demo'
    const [first, last] = [from, to].map((time) => time.slice(0, 10))
    const days = first === last ? last : `${first} to ${last}`
    const prices = data.source === 'live' ? '' : `, on ${data.source === 'replay' ? 'replayed' : 'simulated'} prices`
    place.textContent = `${name} trades: ${percent}% of ${NUMBERS.format(won + lost)} won, ${days}${prices}.`
  }
}
