import { candles, element, every, round, scaled } from './draw.ts'

const BARS = 44
const READ_MS = 10_000
/** Where the end of the trade is, in units of the picture; the candles end before it. */
const [LEFT, RIGHT, TOP, BOTTOM] = [8, 330, 12, 128]
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Runs the order of the home page: its candles, the time of its end, and the side under the pointer. */
export function runOrder(card: HTMLElement): void {
  const part = (name: string) => card.querySelector<HTMLElement>(`[data-${name}]`)!
  every(READ_MS, () => draw(card))
  every(1_000, async () => {
    part('end').textContent = `at ${TIME.format(Date.now() + 60_000)}.`
  })
  for (const side of card.querySelectorAll<HTMLElement>('[data-side]')) {
    const show = () => {
      part('win').textContent = side.dataset.pays!
      part('outcome').textContent = side.dataset.goes!
    }
    side.addEventListener('pointerenter', show)
    side.addEventListener('focus', show)
  }
}

async function draw(card: HTMLElement): Promise<void> {
  const { data } = await candles('BTCUSDT', '1m', BARS)
  if (data.length === 0) return
  const bars = data.map(([, open, high, low, close]) => [open, high, low, close].map(Number))
  const y = scaled(Math.min(...bars.map((bar) => bar[2]!)), Math.max(...bars.map((bar) => bar[1]!)), BOTTOM, TOP)
  const step = (RIGHT - LEFT) / BARS
  card.querySelector('[data-bars]')!.replaceChildren(
    ...bars.flatMap(([open, high, low, close], n) => {
      const x = LEFT + n * step
      const [top, bottom] = [y(Math.max(open!, close!)), y(Math.min(open!, close!))]
      const way = close! >= open! ? 'data-up' : 'data-down'
      const wick = { x: round(x + step / 2 - 0.5), width: 1, y: round(y(high!)), height: round(y(low!) - y(high!)) }
      const body = { x: round(x + 1), width: round(step - 2), y: round(top), height: round(Math.max(1, bottom - top)) }
      return [wick, body].map((size) => element('rect', { ...size, [way]: '' }))
    }),
  )
  const last = card.querySelector('[data-last]')!
  for (const end of ['y1', 'y2']) last.setAttribute(end, String(round(y(bars.at(-1)![3]!))))
  last.removeAttribute('visibility')
}
