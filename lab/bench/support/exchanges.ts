import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startExchanges } from '#tests/support/exchanges/quoting.ts'

const bases = 'BCH BTC EOS ETC ETH LTC MKR ADA SOL SHIB TRX DOT XLM XRP ZEC ZRX'.split(' ')
export const pairs = bases.flatMap((base) =>
  ['BTC', 'USDT', 'EUR', 'GBP', 'USD'].filter((quote) => quote !== base).map((quote) => ({ base, quote })),
)

interface Exchanges {
  addresses: { id: string; address: string }[]
  stop(): void
}

/**
 * Starts four fake exchanges in another process. Each sends every market's best bid and ask `perSecond` times a second.
 */
export async function startQuoting(perSecond: number): Promise<Exchanges> {
  const child = fork(fileURLToPath(import.meta.url), [String(perSecond)])
  const [addresses] = (await once(child, 'message')) as [Exchanges['addresses']]
  return { addresses, stop: () => child.disconnect() }
}

async function quote(perSecond: number): Promise<void> {
  const prices = Object.fromEntries(pairs.map(({ base, quote }, n) => [`${base}/${quote}`, 50 + n * 7]))
  const exchanges = await startExchanges(prices, { everyMs: 1_000 / perSecond, trades: false })
  process.send!(exchanges.all.map(({ id, address }) => ({ id, address })))
  process.on('disconnect', () => process.exit())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await quote(Number(process.argv[2]))
