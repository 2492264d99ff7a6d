import type { FrameMessage } from '#contract/messages/push.ts'
import type { Instrument, PriceSource } from '#contract/prices/prices.ts'
import { must } from '#kernel/must.ts'
import { read } from './read.ts'

export interface Quote {
  symbol: string
  price: string | undefined
  /** Percentage change over one day; undefined if unknown. */
  change: number | undefined
}

export const SOURCE_WORDS: Record<PriceSource, string> = {
  live: '',
  replay: 'Replayed prices',
  simulation: 'Simulated prices',
}

/**
 * How long until the page connects again. There is a frame every second, so a connection without one for so long is
 * dead, whatever the browser believes.
 */
const AGAIN_MS = 15_000
/** Event of the window after which the page makes no more requests by itself. */
export const QUIET = 'quiet'

/**
 * Follows the prices of some symbols while the page is visible: current prices first, then every change. Closes when
 * the page is hidden, so that the browser can cache the page as it was; reports nothing while the server is
 * unreachable.
 */
export function followQuotes(symbols: readonly string[], report: (quotes: Quote[], source: PriceSource) => void): void {
  const known = new Map<string, Instrument>()
  let source: PriceSource = 'live'
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isQuiet = false

  const toQuote = ({ symbol, price, price_before: before }: Instrument): Quote => ({
    symbol,
    price,
    change: price && Number(before) ? (Number(price) / Number(before) - 1) * 100 : undefined,
  })
  async function start(): Promise<void> {
    const reply = await read<{ data: Instrument[]; source: PriceSource }>(`prices/instruments?symbols=${symbols}`)
    source = reply.source
    for (const one of reply.data) known.set(one.symbol, one)
    report(reply.data.map(toQuote), source)
  }
  function listen(): void {
    end()
    if (isQuiet) return
    const opened = new WebSocket(`${location.origin.replace('http', 'ws')}/api/stream`)
    socket = opened
    wait(again)
    opened.onopen = () => opened.send(JSON.stringify({ op: 'subscribe', symbols }))
    opened.onmessage = ({ data }) => {
      wait(again)
      const { op, p } = JSON.parse(data) as FrameMessage
      if (op !== 'frame') return
      report(
        p.flatMap(([symbol, price]) => {
          const one = known.get(symbol)
          if (!one) return []
          one.price = price
          return [toQuote(one)]
        }),
        source,
      )
    }
    opened.onclose = again
  }
  const begin = () => {
    if (!isQuiet) start().then(listen, again)
  }
  function again(): void {
    end()
    wait(begin)
  }
  function wait(next: () => void): void {
    clearTimeout(timer)
    timer = setTimeout(next, AGAIN_MS)
  }
  function end(): void {
    clearTimeout(timer)
    if (socket) socket.onclose = null
    socket?.close()
    socket = undefined
  }
  addEventListener('pageshow', ({ persisted }) => persisted && begin())
  addEventListener('pagehide', end)
  addEventListener(QUIET, () => {
    isQuiet = true
    end()
  })
  begin()
}

const figures = new Map<number, Intl.NumberFormat>()
/** Formats a price as recorded on the tape, with thousands separators. */
export function priceText(price: string): string {
  const scale = price.split('.')[1]?.length ?? 0
  const format =
    figures.get(scale) ?? new Intl.NumberFormat('en-US', { minimumFractionDigits: scale, maximumFractionDigits: scale })
  figures.set(scale, format)
  return format.format(Number(price))
}

/** Fills the second and the third child of a row: price and change. */
export function showRow(row: Element, price: string, change: number | undefined): void {
  const [, shown, way] = [...row.children] as HTMLElement[]
  must(shown).textContent = price
  showChange(must(way), change)
}

/** Shows a change with its sign and sets its direction for the colour. */
export function showChange(place: HTMLElement, change: number | undefined): void {
  const text = change === undefined ? '' : `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(2)}%`
  if (place.textContent !== text) place.textContent = text
  place.dataset.way = !change || Math.abs(change) < 0.005 ? '' : change > 0 ? 'up' : 'down'
}
