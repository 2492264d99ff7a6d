import type { CandleInterval, PriceSource } from '#contract/prices/prices.ts'
import type { Trade } from '#web/api/index.ts'
import { formatDateTime, formatPrice, saveFile } from '#web/ui/index.ts'
import type { DrawnChart } from '../chart/drawing/draw-chart.ts'
import { readLook } from '../chart/drawing/look.ts'

const SOURCES: Record<PriceSource, string> = {
  live: 'Live prices',
  replay: 'Replayed prices',
  simulation: 'Simulated prices',
}
const PAD = 16
const HEAD = 60

interface PictureOf {
  symbol: string
  interval: CandleInterval
  scale: number
  source: PriceSource | undefined
  /** The trade to name, if any. */
  trade: Trade | undefined
  timeMs: number
}

/** The words of a picture: the market and the trade, and never an amount of the account. */
export function pictureWords({ symbol, interval, scale, source, trade, timeMs }: PictureOf): [string, string] {
  const of = [`${symbol} · ${interval}`, ...(source ? [SOURCES[source]] : []), `${formatDateTime(timeMs)}`]
  if (trade?.entry_price === undefined) return [of.join(' · '), '']
  const entry = `${trade.side} from ${formatPrice(trade.entry_price, scale)}`
  const exit = trade.exit_price === undefined ? '' : ` to ${formatPrice(trade.exit_price, scale)} · ${trade.status}`
  return [of.join(' · '), entry + exit]
}

/** Draws the chart under its words, and shares the picture where the browser can, else saves it. */
export async function sharePicture(chart: DrawnChart, of: PictureOf): Promise<void> {
  const shot = chart.screenshot()
  const ratio = shot.width / chart.box.clientWidth
  const look = readLook(chart.box)
  const canvas = document.createElement('canvas')
  canvas.width = shot.width
  canvas.height = shot.height + HEAD * ratio
  const context = canvas.getContext('2d')
  if (!context) return
  context.fillStyle = look.background
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(shot, 0, HEAD * ratio)
  context.scale(ratio, ratio)
  const [first, second] = pictureWords(of)
  context.textBaseline = 'middle'
  context.fillStyle = look.strong
  context.font = '600 14px "Inter Variable", system-ui, sans-serif'
  context.fillText(first, PAD, second ? 20 : HEAD / 2, chart.box.clientWidth - PAD * 2)
  context.fillStyle = look.text
  context.font = '500 13px "Inter Variable", system-ui, sans-serif'
  context.fillText(second, PAD, 42)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob) await hand(blob, `${of.symbol}-${new Date(of.timeMs).toISOString().slice(0, 19).replaceAll(':', '-')}.png`)
}

async function hand(blob: Blob, name: string): Promise<void> {
  const files = [new File([blob], name, { type: 'image/png' })]
  if (!matchMedia('(pointer: coarse)').matches || !navigator.canShare?.({ files })) {
    saveFile(blob, name)
    return
  }
  // Rejects if the trader decides not to share.
  await navigator.share({ files }).catch(() => undefined)
}
