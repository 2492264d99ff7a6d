import type { Coin } from '#contract/terms.ts'

/** Guesses the coin of an address while it's being typed; the server validates it. */
export function guessCoin(wallet: string): Coin | undefined {
  const typed = wallet.trim()
  if (/^0x[0-9a-f]{6,}/i.test(typed)) return 'ETH'
  return /^(bc1|[13])[0-9a-z]{6,}/i.test(typed) ? 'BTC' : undefined
}
