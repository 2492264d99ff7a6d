import { parentPort } from 'node:worker_threads'
import { must } from '#kernel/must.ts'
import type { ListedMarket, ListReply, ListRequest } from './list-markets.ts'
import { type Ccxt, loadCcxt } from './load-ccxt.ts'

must(parentPort).on('message', async ({ number, ...request }: ListRequest & { number: number }) => {
  const reply: ListReply = await list(request).then(
    (markets) => ({ number, markets }),
    (error: unknown) => ({ number, error: error instanceof Error ? error.message : String(error) }),
  )
  must(parentPort).postMessage(reply)
})

async function list({ id, options, address, params }: ListRequest): Promise<ListedMarket[]> {
  const ccxt: Ccxt = await loadCcxt(id, options, address)
  const markets = await ccxt.create().fetchMarkets(params)
  return markets
    .filter(({ spot, active }) => spot && active !== false)
    .map((market) => {
      const { symbol, base, quote } = market
      return { symbol, base, quote, json: JSON.stringify({ ...market, info: {} }) }
    })
}
