import type { Signal } from '#contract/trading/signals.ts'

/** What a signal says, as in the public chain (`signal_text` in the database). */
export const signalText = ({ strategy, version, symbol, side, duration, candle_close }: Signal): string =>
  [strategy, version, symbol, side, duration, Date.parse(candle_close)].join()

/** Returns what the public chain has of a sealed signal: the SHA-256 of its random value and its text, in hexadecimal. */
export async function sealedHash(signal: Signal, seal: string): Promise<string> {
  const random = (seal.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))
  const bytes = new Uint8Array([...random, ...new TextEncoder().encode(signalText(signal))])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
