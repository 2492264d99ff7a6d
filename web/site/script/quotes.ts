import type { Instrument, PriceSource } from '#contract/prices.ts'
import type { FrameMessage } from '#contract/push.ts'

export interface Quote {
  symbol: string
  price: string | undefined
  /** Per cent since a day ago; undefined where that is not known. */
  change: number | undefined
}

export const SOURCE_WORDS: Record<PriceSource, string> = {
  live: '',
  replay: 'Replayed prices',
  simulation: 'Simulated prices',
}

const AGAIN_MS = 15_000

/**
 * Follows the prices of some symbols while the page is looked at: what they are now, then each change. Closed when the
 * page is left, so that it can come back as it was; answers nothing while the server cannot be reached.
 */
export function followQuotes(symbols: readonly string[], told: (quotes: Quote[], source: PriceSource) => void): void {
  const known = new Map<string, Instrument>()
  let source: PriceSource = 'live'
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const toQuote = ({ symbol, price, price_before: before }: Instrument): Quote => ({
    symbol,
    price,
    change: price === undefined || !Number(before) ? undefined : (Number(price) / Number(before) - 1) * 100,
  })
  async function read(): Promise<void> {
    const answer = await fetch(`/api/prices/instruments?symbols=${symbols}`)
    const reply = (await answer.json()) as { data: Instrument[]; source: PriceSource }
    source = reply.source
    for (const one of reply.data) known.set(one.symbol, one)
    told(reply.data.map(toQuote), source)
  }
  function listen(): void {
    end()
    const opened = new WebSocket(`${location.origin.replace('http', 'ws')}/api/stream`)
    socket = opened
    opened.onopen = () => opened.send(JSON.stringify({ op: 'subscribe', symbols }))
    opened.onmessage = ({ data }) => {
      const { op, p } = JSON.parse(data) as FrameMessage
      if (op !== 'frame') return
      told(
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
    read().then(listen, again)
  }
  function again(): void {
    end()
    timer = setTimeout(begin, AGAIN_MS)
  }
  function end(): void {
    clearTimeout(timer)
    if (socket) {
      socket.onclose = null
      socket.close()
      socket = undefined
    }
  }
  addEventListener('pageshow', ({ persisted }) => persisted && begin())
  addEventListener('pagehide', end)
  begin()
}

const figures = new Map<number, Intl.NumberFormat>()
/** A price as it is written on the tape, with thousands. */
export function priceText(price: string): string {
  const scale = price.split('.')[1]?.length ?? 0
  const format =
    figures.get(scale) ?? new Intl.NumberFormat('en-US', { minimumFractionDigits: scale, maximumFractionDigits: scale })
  figures.set(scale, format)
  return format.format(Number(price))
}

/** Writes a change with its sign, and says its way for the colour. */
export function showChange(place: HTMLElement, change: number | undefined): void {
  const text = change === undefined ? '' : `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(2)}%`
  if (place.textContent !== text) place.textContent = text
  place.dataset.way = !change || Math.abs(change) < 0.005 ? '' : change > 0 ? 'up' : 'down'
}
