import { candles, element, every, round, scaled } from './draw.ts'

const BARS = 44
const READ_MS = 15_000
/** Where the end of the trade is, in units of the picture; the candles end before it. */
const [LEFT, RIGHT, TOP, BOTTOM] = [8, 330, 12, 128]
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Runs the order of the home page: its candles, the time of its end, and the side under the pointer. */
export function runOrder(card: HTMLElement): void {
  const write = (name: string, text = '') => {
    const part = card.querySelector(`[data-${name}]`)
    if (part) part.textContent = text
  }
  every(READ_MS, () => draw(card))
  every(1_000, async () => {
    write('end', `at ${TIME.format(Date.now() + 60_000)}.`)
  })
  for (const side of card.querySelectorAll<HTMLElement>('[data-side]')) {
    const show = () => {
      write('win', side.dataset.pays)
      write('outcome', side.dataset.goes)
    }
    side.addEventListener('pointerenter', show)
    side.addEventListener('focus', show)
  }
}

async function draw(card: HTMLElement): Promise<void> {
  const { data } = await candles('BTCUSDT', '1m', BARS)
  const bars = data.map(([, open, high, low, close]) => ({ open: +open, high: +high, low: +low, close: +close }))
  const last = bars.at(-1)
  if (!last) return
  const y = scaled(Math.min(...bars.map(({ low }) => low)), Math.max(...bars.map(({ high }) => high)), BOTTOM, TOP)
  const step = (RIGHT - LEFT) / BARS
  card.querySelector('[data-bars]')?.replaceChildren(
    ...bars.flatMap(({ open, high, low, close }, n) => {
      const x = LEFT + n * step
      const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))]
      const way = close >= open ? 'data-up' : 'data-down'
      const wick = { x: round(x + step / 2 - 0.5), width: 1, y: round(y(high)), height: round(y(low) - y(high)) }
      const body = { x: round(x + 1), width: round(step - 2), y: round(top), height: round(Math.max(1, bottom - top)) }
      return [wick, body].map((size) => element('rect', { ...size, [way]: '' }))
    }),
  )
  const line = card.querySelector('[data-last]')
  for (const end of ['y1', 'y2']) line?.setAttribute(end, String(round(y(last.close))))
  line?.removeAttribute('visibility')
}
