import type { Candle } from '#contract/prices/prices.ts'
import { read } from '../script/read.ts'

/** Runs the work now and then repeatedly while the page is visible. Failures are retried on the next run. */
export function every(ms: number, work: () => Promise<void>): void {
  const round = () => void work().catch(() => undefined)
  round()
  setInterval(() => document.visibilityState === 'visible' && round(), ms)
}

export const candles = (symbol: string, interval: string, limit: number) =>
  read<{ data: Candle[]; simulated_until?: number }>(
    `prices/candles?symbol=${symbol}&interval=${interval}&limit=${limit}`,
  )

/** Returns the note about candles that are older than the tape; nothing if there are none. */
export function simulatedBefore(data: readonly Candle[], until: number | undefined): string {
  const first = data[0]?.[0]
  if (until === undefined || first === undefined || first >= until) return ''
  return `simulated before ${new Date(until).toISOString().slice(11, 16)} UTC`
}

/** Returns a scale that maps values between two heights. */
export const scaled = (low: number, high: number, bottom: number, top: number) => (value: number) =>
  high === low ? (bottom + top) / 2 : bottom - ((value - low) / (high - low)) * (bottom - top)
export const round = (value: number) => Math.round(value * 10) / 10

/** Creates an element of a picture. */
export function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}
