import type { Reply } from '#contract/api.ts'
import { formatSpan } from '#web/ui/index.ts'

const NUMBERS = new Intl.NumberFormat('en-US')

/** Shows the measured figures above the advertised ones, if the sample is large enough. */
export async function showMeasured(): Promise<void> {
  const answer = await fetch('/api/public/figures')
  if (!answer.ok) return
  const { data } = (await answer.json()) as Reply<'GET /public/figures'>
  const symbols = document.querySelector<HTMLElement>('[data-symbols]')
  if (symbols) symbols.textContent = NUMBERS.format(data.symbols)
  const paid = document.querySelector<HTMLElement>('[data-paid]')
  if (paid && data.withdrawals) {
    paid.dataset.rate = formatSpan(data.withdrawals.median_ms)
    paid.textContent = `Of ${NUMBERS.format(data.withdrawals.paid)} paid in 30 days.`
  }
  for (const { mode, percent, won, lost, from, to } of data.win_rates) {
    const place = document.querySelector<HTMLElement>(`[data-measured="${mode}"]`)
    if (!place) continue
    place.dataset.rate = `${percent}%`
    const name = mode === 'real' ? 'Real' : 'Demo'
    const [first, last] = [from, to].map((time) => time.slice(0, 10))
    const days = first === last ? last : `${first} to ${last}`
    const prices = data.source === 'live' ? '' : `, on ${data.source === 'replay' ? 'replayed' : 'simulated'} prices`
    const rate = `${percent}% of ${NUMBERS.format(won + lost)} won, without those sold early`
    place.textContent = `${name} trades: ${rate}, ${days}${prices}.`
  }
}
