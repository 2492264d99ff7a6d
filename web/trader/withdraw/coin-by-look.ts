import type { Coin } from '#contract/terms.ts'

/** Which coin an address looks like while it's typed; the server checks it. */
export function coinByLook(wallet: string): Coin | undefined {
  const typed = wallet.trim()
  if (/^0x[0-9a-f]{6,}/i.test(typed)) return 'ETH'
  return /^(bc1|[13])[0-9a-z]{6,}/i.test(typed) ? 'BTC' : undefined
}
