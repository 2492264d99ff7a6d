import { first, last, must } from '#kernel/must.ts'
import { part, write } from '../part.ts'
import { priceText } from '../script/quotes.ts'
import { candles, element, every, round, scaled, simulatedBefore } from './draw.ts'

const DRAW_MS = 15_000

/** Runs the chart: candles of the selected symbol. */
export function runChart(widget: HTMLElement): void {
  const choose = part<HTMLSelectElement>(widget, 'choose')
  const draw = () => drawChart(widget, choose.value, first(choose.selectedOptions).text)
  choose.addEventListener('change', () => void draw().catch(() => undefined))
  every(DRAW_MS, draw)
}

async function drawChart(widget: HTMLElement, symbol: string, name: string): Promise<void> {
  const { data, simulated_until } = await candles(symbol, '15m', 96)
  const note = simulatedBefore(data, simulated_until)
  write(widget, 'span', `24 hours in 15-minute candles${note && `, ${note}`}`)
  const svg = part<SVGElement>(widget, 'candles')
  const { clientWidth: wide, clientHeight: tall } = svg
  svg.setAttribute('viewBox', `0 0 ${wide} ${tall}`)
  if (data.length === 0) return svg.replaceChildren(word(wide / 2 - 45, tall / 2, 'No prices yet'))
  const [low, high] = [Math.min(...data.map((one) => Number(one[3]))), Math.max(...data.map((one) => Number(one[2])))]
  const y = scaled(low, high, tall - 30, 14)
  const parts: Element[] = []
  const plot = wide - 96
  const [from, to] = [first(data)[1], last(data)[4]]
  const scale = from.split('.')[1]?.length ?? 0
  for (const share of [0, 1 / 3, 2 / 3, 1]) {
    const price = low + (high - low) * share
    parts.push(element('line', { x1: 0, x2: plot, y1: round(y(price)), y2: round(y(price)) }))
    parts.push(word(plot + 8, round(y(price)) + 4, priceText(price.toFixed(scale))))
  }
  const step = plot / 96
  data.forEach((candle, n) => {
    const [open, top, bottom, close] = candle.slice(1).map(Number) as [number, number, number, number]
    const way = close >= open ? 'up' : 'down'
    const x = (96 - data.length + n) * step
    const body = [y(Math.max(open, close)), y(Math.min(open, close))] as const
    const size = { 'data-way': way, x: round(x + step * 0.17), width: round(Math.max(1, step * 0.66)) }
    parts.push(
      element('rect', {
        ...size,
        x: round(x + step / 2 - 0.5),
        width: 1,
        y: round(y(top)),
        height: round(y(bottom) - y(top)),
      }),
      element('rect', { ...size, y: round(body[0]), height: round(Math.max(1, body[1] - body[0])) }),
    )
  })
  const times = [0, Math.floor(data.length / 2), data.length - 1]
  for (const n of times) {
    const x = Math.min(plot - 40, (96 - data.length + n) * step)
    parts.push(word(round(x), tall - 6, new Date(must(data[n])[0]).toISOString().slice(11, 16)))
  }
  svg.replaceChildren(...parts)
  svg.setAttribute(
    'aria-label',
    `${name}: from ${priceText(from)} to ${priceText(to)} in 24 hours, UTC, between ${priceText(String(low))} and ${priceText(String(high))}`,
  )
}

function word(x: number, y: number, text: string): SVGElement {
  const made = element('text', { x, y })
  made.textContent = text
  return made
}
