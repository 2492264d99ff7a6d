import type { Coin } from '#contract/terms.ts'
import { type CardProvider, type CoinSource, readCoinSource, stripeCards } from '../cashier/index.ts'
import type { Config } from '../config/config.ts'
import { StartProblem } from '../platform/process/start-problem.ts'

/** Returns the card provider that the settings name, or undefined when cards aren't set up. */
export function cardProvider(config: Config, publicUrl: () => string): Promise<CardProvider> | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config
  if (config.CARD_PROVIDER !== 'stripe' || !secretKey || !webhookSecret) return undefined
  return stripeCards({ secretKey, webhookSecret, apiUrl: config.STRIPE_API, brand: config.BRAND, publicUrl })
}

/**
 * Reads from the environment where coins are sent. Anything else than such an address, above all a private key, fails
 * the start.
 */
export function readCoinSources(config: Config): Partial<Record<Coin, CoinSource>> {
  const sources: Partial<Record<Coin, CoinSource>> = {}
  for (const [coin, text] of [
    ['BTC', config.DEPOSIT_BTC],
    ['ETH', config.DEPOSIT_ETH],
  ] as const) {
    if (text === undefined) continue
    try {
      sources[coin] = readCoinSource(coin, text)
    } catch (error) {
      throw new StartProblem(`DEPOSIT_${coin} ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return sources
}
