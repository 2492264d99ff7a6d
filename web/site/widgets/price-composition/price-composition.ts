import type { PriceComposition, PriceMember, VenueSwitch } from '#contract/prices/price-composition.ts'
import type { Instrument } from '#contract/prices/prices.ts'
import { STANDING_WORDS } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { part, write } from '../../part.ts'
import { priceText } from '../../script/quotes.ts'
import { read } from '../../script/read.ts'
import { every, round } from '../draw.ts'

const REFRESH_MS = 1_000
const SWITCHES_MS = 60_000
const SVG = 'http://www.w3.org/2000/svg'
const COUNT = new Intl.NumberFormat('en-US')
const WIDTH = 600

const SOURCES = { live: 'live', replay: 'replayed', simulation: 'simulated' } as const
const WITHOUT = {
  sources: 'Too few exchanges have a price that counts, so there is none now.',
  disagree: "The exchanges don't agree, so there is no price now.",
} as const

/** Says in a sentence how the pair's price came about. */
export function verdictOf({ members, without }: PriceComposition['pairs'][number]): string {
  if (without) return WITHOUT[without]
  const kept = members.filter(({ standing }) => standing === 'kept')
  const names = new Intl.ListFormat('en', { type: 'conjunction' }).format(kept.map(({ name }) => name))
  const dropped = members.length - kept.length
  return `The median of ${names}.${dropped > 0 ? ` ${dropped === 1 ? 'One exchange doesn’t' : `${dropped} exchanges don’t`} count right now.` : ''}`
}

/** Says in a sentence where the symbol's price comes from as a whole. */
export function whyOf({ source, reason, via, pairs }: PriceComposition, note: string | undefined): string {
  if (reason !== undefined) return reason
  if (source !== 'live')
    return note ?? `Prices are ${SOURCES[source]} on this installation, so there are no exchanges to show.`
  if (via !== undefined)
    return `Too few exchanges list this pair, so its price is ${pairs.map(({ pair }) => pair).join(' divided by ')}.`
  return ''
}

/** Fills the widget and keeps it up to date. */
export function runComposition(widget: HTMLElement): void {
  const select = part<HTMLSelectElement>(widget, 'symbol')
  const pairs = part(widget, 'pairs')
  const download = part(widget, 'download')
  const wanted = new URLSearchParams(location.search).get('symbol') ?? 'BTCUSDT'
  let note: string | undefined
  let asked = ''

  const set = (name: string, text: string) => write(widget, name, text)
  const field = (name: string) => must(download.querySelector<HTMLInputElement>(`[name=${name}]`))

  async function listSymbols(): Promise<void> {
    const answer = await read<{ data: Instrument[]; note?: string }>('prices/instruments')
    note = answer.note
    const symbols = answer.data.map(({ symbol }) => symbol).sort()
    if (select.options.length === symbols.length) return
    const chosen = symbols.includes(wanted) ? wanted : 'BTCUSDT'
    select.replaceChildren(...symbols.map((symbol) => new Option(symbol, symbol, false, symbol === chosen)))
    await load()
  }

  async function load(): Promise<void> {
    const symbol = select.value
    asked = symbol
    try {
      const { data } = await read<{ data: PriceComposition }>(`prices/composition?symbol=${symbol}`)
      // Another symbol may have been chosen meanwhile.
      if (asked === symbol) draw(data)
    } catch {
      set('state', "We couldn't load it. Trying again …")
    }
  }

  function draw(composition: PriceComposition): void {
    const { source, status, price, time, sequence, frame } = composition
    const kept = composition.pairs.map(({ members }) => members.filter(({ standing }) => standing === 'kept').length)
    const sources = Math.min(...kept)
    set('price', price === undefined ? '–' : priceText(price))
    const counted =
      source === 'live' && composition.pairs.length > 0 ? `, ${sources} ${sources === 1 ? 'source' : 'sources'}` : ''
    set('state', status === 'open' ? `${SOURCES[source]}${counted}` : status)
    set('why', whyOf(composition, note))
    set('time', time === undefined ? '–' : time.slice(0, 23).replace('T', ' '))
    set('sequence', sequence === undefined ? '–' : COUNT.format(sequence))
    set('frame', COUNT.format(frame.number))
    set('hash', frame.hash)
    drawPairs(widget, pairs, composition)
  }

  select.addEventListener('change', () => {
    const url = new URL(location.href)
    url.searchParams.set('symbol', select.value)
    history.replaceState(history.state, '', url)
    field('symbol').value = select.value
    void load()
  })
  const day = field('day')
  const today = new Date().toISOString().slice(0, 10)
  day.max = today
  day.value = today
  every(10_000, listSymbols)
  every(SWITCHES_MS, () => listSwitches(widget))
  every(REFRESH_MS, load)
}

/** Lists what operators did to the exchanges of all prices. */
async function listSwitches(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: VenueSwitch[] }>('prices/switches')
  const none = part(widget, 'no-switch')
  none.textContent = 'Operators have never taken an exchange out of the prices.'
  none.hidden = data.length > 0
  part(widget, 'switch-list').hidden = data.length === 0
  part(widget, 'switches').replaceChildren(
    ...data.map((one) => {
      const row = document.createElement('tr')
      for (const text of [one.from.slice(0, 19).replace('T', ' '), one.name, switchText(one)])
        row.append(Object.assign(document.createElement('td'), { textContent: text }))
      return row
    }),
  )
}

const switchText = ({ out, from }: VenueSwitch): string => {
  const verb = out ? 'taken out of all prices' : 'put back'
  return Date.parse(from) > Date.now() ? `Will be ${verb}` : `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`
}

function drawPairs(widget: HTMLElement, list: Element, { pairs, terms, frame }: PriceComposition): void {
  fit(list, pairs.length, part(widget, 'pair'))
  for (const [at, pair] of pairs.entries()) {
    const card = must(list.children[at])
    const set = (name: string, text: string) => write(card, name, text)
    set('name', pair.price === undefined ? pair.pair : `${pair.pair}: ${priceText(pair.price)}`)
    set('verdict', verdictOf(pair))
    part(card, 'table').setAttribute('aria-label', `Exchanges of ${pair.pair}`)
    const reach = terms.largest_deviation_bps
    set('low', `−${round(reach / 100)}%`)
    set('high', `+${round(reach / 100)}%`)
    drawSpread(part(card, 'spread'), pair.members, reach)
    drawRows(widget, part(card, 'rows'), pair.members, Date.parse(frame.time))
  }
}

/** Removes or adds children of the list until there are `count`. The new ones come from the template. */
function fit(list: Element, count: number, template: HTMLTemplateElement): void {
  for (const extra of [...list.children].slice(count)) extra.remove()
  while (list.children.length < count) list.append(template.content.cloneNode(true))
}

/** Where each exchange stands around the median; the ends of the line are as far as a price may be off. */
function drawSpread(svg: Element, members: readonly PriceMember[], reachBps: number): void {
  const shape = (name: string, attributes: Record<string, string | number>) => {
    const element = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
    return element
  }
  const x = (bps: number) => round(WIDTH / 2 + (Math.max(-1, Math.min(1, bps / reachBps)) * (WIDTH - 24)) / 2)
  svg.replaceChildren(
    shape('line', { x1: 12, x2: WIDTH - 12, y1: 32, y2: 32, 'data-part': 'line' }),
    shape('line', { x1: WIDTH / 2, x2: WIDTH / 2, y1: 10, y2: 54, 'data-part': 'median' }),
    ...members.flatMap(({ distance_bps, standing }, at) =>
      distance_bps === undefined
        ? []
        : [
            shape('line', {
              x1: x(distance_bps),
              x2: x(distance_bps),
              y1: 32 - 14 + (at % 2) * 4,
              y2: 32 + 14 - (at % 2) * 4,
              'data-part': standing === 'kept' ? 'kept' : 'dropped',
            }),
          ],
    ),
  )
}

function drawRows(widget: HTMLElement, body: Element, members: readonly PriceMember[], nowMs: number): void {
  fit(body, members.length, part(widget, 'row'))
  for (const [at, member] of members.entries()) {
    const row = body.children[at] as HTMLElement
    const { name, price, bid, ask, distance_bps, received, standing } = member
    const texts = [
      name,
      STANDING_WORDS[standing],
      price === undefined ? '–' : priceText(price),
      distance_bps === undefined ? '–' : percentText(distance_bps),
      received === undefined ? '–' : ageText(nowMs - Date.parse(received)),
      bid === undefined || ask === undefined ? 'by its trades' : `${priceText(bid)} / ${priceText(ask)}`,
    ]
    for (const [cell, text] of texts.entries()) must(row.children[cell]).textContent = text
    row.dataset.standing = standing === 'kept' ? 'kept' : 'dropped'
  }
}

/** Hundredths of a percent as a signed percentage. */
export function percentText(bps: number): string {
  const percent = Math.abs(bps / 100)
  const text = percent > 999 ? '999+' : percent.toFixed(percent < 10 ? 3 : 0)
  return `${Number(text) === 0 ? '' : bps < 0 ? '−' : '+'}${text}%`
}

export function ageText(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  return `${Math.floor(seconds / 3_600)} h`
}
