import { breakEvenRate, hitRate, measuredSentence, type Tally } from '#contract/prices/measured.ts'
import { LEADERBOARD_FROM, percentOf, type StrikeChoice, strikeRateFor } from '#contract/terms.ts'
import type { PublishedStrategy, RetiredVersion, Signal, StrategyStatistics } from '#contract/trading/signals.ts'
import { last, must } from '#kernel/must.ts'
import { part, write } from '../../part.ts'
import { read } from '../../script/read.ts'
import { every, round, scaled } from '../draw.ts'

const REFRESH_MS = 30_000
const STAKE = 100
const ROWS = 20
const SVG = 'http://www.w3.org/2000/svg'
const USD = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 })
const COUNT = new Intl.NumberFormat('en-US')
const RETIRED = 'Retired: a newer version has replaced it, and nobody follows it. Its signals stay in the chain.'
const SOURCES = { live: 'live prices', replay: 'replayed prices', simulation: 'simulated prices' } as const

interface Statistics {
  data: {
    source: keyof typeof SOURCES
    strategies: StrategyStatistics[]
    retired: RetiredVersion[]
    published: PublishedStrategy[]
  }
}

/** What a follower of all signals would have, with the same stake on each. Draws and voids change nothing. */
interface Outcome extends Tally {
  draws: number
  voids: number
  /** US dollars after each bucket, from 0. */
  curve: number[]
  /** The largest fall from a peak of the curve, US dollars. */
  fall: number
  /** Hit rate needed at this strike rate, in percent. */
  breakEven: number
}

export function outcomeOf(
  { buckets, spread }: Pick<RetiredVersion, 'buckets' | 'spread'>,
  rate: StrikeChoice,
): Outcome {
  const buy = percentOf(strikeRateFor(rate, 'Buy'), 'Buy')
  const sell = percentOf(strikeRateFor(rate, 'Sell'), 'Sell')
  const sum = { won: 0, lost: 0, spread, draws: 0, voids: 0, curve: [0], fall: 0 }
  let profits = 0
  let dollars = 0
  let peak = 0
  for (const [, buyWon, buyLost, sellWon, sellLost, draws, voids] of buckets) {
    sum.won += buyWon + sellWon
    sum.lost += buyLost + sellLost
    sum.draws += draws
    sum.voids += voids
    profits += buy * (buyWon + buyLost) + sell * (sellWon + sellLost)
    dollars += (STAKE * (buy * buyWon + sell * sellWon)) / 100 - STAKE * (buyLost + sellLost)
    peak = Math.max(peak, dollars)
    sum.fall = Math.max(sum.fall, peak - dollars)
    sum.curve.push(dollars)
  }
  const decided = sum.won + sum.lost
  return { ...sum, breakEven: breakEvenRate(decided > 0 ? profits / decided : (buy + sell) / 2) }
}

/** Fills the measured signals, and keeps them up to date. */
export function runSignals(widget: HTMLElement): void {
  const form = part<HTMLFormElement>(widget, 'controls')
  const source = part(widget, 'measured-on')
  const retired = part(widget, 'retired')
  const published = part(widget, 'published')
  const publishedCards = part(widget, 'published-cards')
  const retiredCards = part(widget, 'retired-cards')
  let shown: Statistics['data'] | undefined
  let asked = ''

  const value = (name: string) => String(new FormData(form).get(name) ?? '')
  function draw(): void {
    if (!shown) return
    source.textContent = `Measured on ${SOURCES[shown.source]}.`
    const rate = value('rate') as StrikeChoice
    for (const strategy of shown.strategies) {
      const card = widget.querySelector<HTMLElement>(`[data-strategy="${strategy.id}"]`)
      if (card) drawCard(card, strategy, outcomeOf(strategy, rate))
    }
    retired.hidden = shown.retired.length === 0
    retiredCards.replaceChildren(...shown.retired.map((version) => newCard(version, RETIRED, outcomeOf(version, rate))))
    published.hidden = shown.published.length === 0
    publishedCards.replaceChildren(
      ...shown.published.map((strategy, at) => {
        const outcome = outcomeOf(strategy, rate)
        const decided = outcome.won + outcome.lost
        const isRanked = decided >= LEADERBOARD_FROM
        const name = isRanked ? `${at + 1}. ${strategy.name}` : strategy.name
        const card = newCard({ ...strategy, name }, strategy.rule, outcome)
        if (!isRanked) write(card, 'verdict', `${decided} of ${LEADERBOARD_FROM} signals until it’s ranked`)
        const follow = part(card, 'follow')
        follow.hidden = false
        follow.setAttribute('aria-label', `Follow it: ${strategy.name}`)
        return card
      }),
    )
  }
  function newCard(version: RetiredVersion | PublishedStrategy, rule: string, outcome: Outcome): HTMLElement {
    const card = part(widget, 'strategy').cloneNode(true) as HTMLElement
    delete card.dataset.strategy
    card.dataset.version = `${version.id} ${version.version}`
    drawCard(card, { ...version, rule }, outcome)
    return card
  }
  async function load(): Promise<void> {
    const duration = value('duration')
    const query = `period=${value('period')}${duration ? `&duration=${duration}` : ''}`
    asked = query
    try {
      const { data } = await read<Statistics>(`public/signals/statistics?${query}`)
      // Another period may have been chosen meanwhile.
      if (asked !== query) return
      shown = data
      draw()
    } catch {
      source.textContent = "We couldn't load the figures. Trying again …"
    }
  }
  form.addEventListener('change', ({ target }) => {
    if ((target as HTMLSelectElement).name === 'rate') draw()
    else void load()
  })
  every(REFRESH_MS, load)
  listSignals(widget)
  watchCheck(widget)
}

function drawCard(
  card: HTMLElement,
  { name, version, rule }: Pick<StrategyStatistics, 'name' | 'version' | 'rule'>,
  outcome: Outcome,
): void {
  const set = (name: string, text: string) => write(card, name, text)
  const hit = hitRate(outcome)
  const { won, lost, draws, voids, curve, fall, breakEven } = outcome
  const result = last(curve)
  card.removeAttribute('aria-hidden')
  set('name', `${name}, version ${version}`)
  set('rule', rule)
  set('rate', hit ? `${hit.rate.toFixed(1)}%` : '–')
  set('verdict', !hit ? 'no signals yet' : hit.low > breakEven ? 'above break-even' : 'not shown to break even')
  card.toggleAttribute('data-above', hit !== undefined && hit.low > breakEven)
  set('sentence', `${measuredSentence(outcome, breakEven)}.`)
  set('result', `${result < 0 ? '−' : result > 0 ? '+' : ''}${USD.format(Math.abs(result))}`)
  set('fall', USD.format(fall))
  set('count', `${COUNT.format(won)}, ${COUNT.format(lost)}`)
  set('others', `${COUNT.format(draws)}, ${COUNT.format(voids)}`)
  drawBar(part<SVGElement>(card, 'bar'), hit, breakEven)
  drawCurve(part<SVGElement>(card, 'curve'), curve)
}

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

/** The hit rate with its interval, from 0 to 100%, and the rate needed to break even. */
function drawBar(svg: SVGElement, hit: ReturnType<typeof hitRate>, breakEven: number): void {
  const place = (percent: number) => round((percent / 100) * 300)
  svg.replaceChildren(
    shape('rect', { x: 0, y: 15, width: 300, height: 4, 'data-part': 'track' }),
    ...(hit
      ? [
          shape('rect', {
            x: place(hit.low),
            y: 11,
            width: Math.max(2, place(hit.high) - place(hit.low)),
            height: 12,
            'data-part': 'interval',
          }),
          shape('rect', { x: place(hit.rate) - 1.5, y: 7, width: 3, height: 20, 'data-part': 'rate' }),
        ]
      : []),
    shape('rect', { x: place(breakEven) - 1, y: 2, width: 2, height: 30, 'data-part': 'needed' }),
  )
}

function drawCurve(svg: SVGElement, curve: readonly number[]): void {
  const low = Math.min(0, ...curve)
  const high = Math.max(0, ...curve)
  const y = scaled(low, high, 76, 4)
  const step = 300 / Math.max(1, curve.length - 1)
  const points = curve.map((dollars, i) => `${round(i * step)},${round(y(dollars))}`)
  svg.replaceChildren(
    shape('line', { x1: 0, x2: 300, y1: round(y(0)), y2: round(y(0)), 'data-part': 'zero' }),
    shape('polyline', { points: points.join(' '), 'data-part': 'line', 'vector-effect': 'non-scaling-stroke' }),
  )
}

function listSignals(widget: HTMLElement): void {
  const body = part(widget, 'rows')
  const template = part<HTMLTemplateElement>(widget, 'row')
  const more = part<HTMLButtonElement>(widget, 'more')
  let next: string | undefined
  async function load(): Promise<void> {
    const cursor = next ? `&cursor=${next}` : ''
    const page = await read<{ data: Signal[]; next_cursor?: string }>(`public/signals?limit=${ROWS}${cursor}`)
    next = page.next_cursor
    more.hidden = next === undefined
    for (const signal of page.data) {
      const row = template.content.cloneNode(true) as DocumentFragment
      const cells = [...row.querySelectorAll('td')]
      const texts = [
        signal.number,
        signal.at.slice(0, 19).replace('T', ' '),
        signal.strategy,
        `${signal.side} ${signal.symbol}`,
        signal.duration < 3_600 ? `${signal.duration / 60} min` : '1 h',
        String(signal.entry_price ?? '–'),
        String(signal.exit_price ?? '–'),
        signal.status === 'Pending' ? 'Open' : signal.status,
      ]
      for (const [i, cell] of cells.entries()) cell.textContent = texts[i] ?? ''
      must(cells[3]).dataset.side = signal.side
      must(cells[7]).dataset.outcome = signal.status
      body.append(row)
    }
  }
  more.addEventListener('click', () => void load().catch(() => undefined))
  void load().catch(() => undefined)
}

/** Downloads the newest part of the chain and computes every hash again. */
function watchCheck(widget: HTMLElement): void {
  const said = part(widget, 'checked')
  const button = part<HTMLButtonElement>(widget, 'check')
  button.addEventListener('click', async () => {
    button.disabled = true
    said.textContent = 'Downloading …'
    try {
      const newest = (await read<{ data: Signal[] }>('public/signals?limit=1')).data[0]
      if (!newest) said.textContent = 'There are no signals yet.'
      else {
        const from = Math.max(1, Number(newest.number) - 9_999)
        const answer = await fetch(`/api/public/signals/chain?from=${from}`)
        if (!answer.ok) throw new Error(String(answer.status))
        said.textContent = await checkChain(await answer.text())
      }
    } catch {
      said.textContent = "We couldn't check the chain. Try again in a moment."
    }
    button.disabled = false
  })
}

/** Returns what checking these CSV rows found. */
export async function checkChain(csv: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return 'This browser checks hashes on secure addresses (https) only.'
  const [head = '', ...lines] = csv.trimEnd().split('\r\n')
  const columns = head.split(',')
  const at = (name: string) => columns.indexOf(name)
  let previous: string | undefined
  for (const line of lines) {
    const cells = line.split(',')
    const number = cells[0]
    const before = cells[at('previous')] ?? ''
    if (previous !== undefined && before !== previous) return `Signal ${number} doesn't follow the one before it.`
    const text = new TextEncoder().encode(cells.slice(0, at('previous')).join(','))
    const bytes = new Uint8Array(32 + text.length)
    bytes.set(Uint8Array.from(must(before.match(/../g)), (pair) => Number.parseInt(pair, 16)))
    bytes.set(text, 32)
    const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('')
    if (hash !== cells[at('hash')]) return `Signal ${number} was changed: its hash doesn't match.`
    previous = hash
  }
  return `${COUNT.format(lines.length)} signals checked: every hash follows from the one before it.`
}
