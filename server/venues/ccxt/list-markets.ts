import { Worker } from 'node:worker_threads'
import { must } from '#kernel/must.ts'

export interface ListRequest {
  /** ccxt's id of the exchange. */
  id: string
  options: object
  address: string | undefined
  /** Sent with the request for the list. */
  params: Record<string, string> | undefined
}

/** A spot market as its exchange lists it. */
export interface ListedMarket {
  symbol: string
  base: string
  quote: string
  /** All that ccxt knows about it, as JSON: most of the thousands of markets are never used. */
  json: string
}

export type ListReply = { number: number } & ({ markets: ListedMarket[] } | { error: string })

const IDLE_MS = 10_000

interface Waiting {
  resolve(markets: ListedMarket[]): void
  reject(error: Error): void
}

let worker: Worker | undefined
let idle: NodeJS.Timeout | undefined
let requests = 0
const waiting = new Map<number, Waiting>()

/**
 * Reads which spot markets an exchange has, in a worker thread: parsing Binance's 3,300 takes 0.4 s that the event loop
 * needs for the tape. All exchanges share the thread, which ends when it has nothing to do.
 */
export function listMarkets(request: ListRequest): Promise<ListedMarket[]> {
  clearTimeout(idle)
  worker ??= start()
  const number = ++requests
  return new Promise((resolve, reject) => {
    waiting.set(number, { resolve, reject })
    must(worker).ref()
    must(worker).postMessage({ number, ...request })
  })
}

function start(): Worker {
  const started = new Worker(new URL('./list-markets-worker.ts', import.meta.url))
  started.on('message', (reply: ListReply) => {
    const asked = waiting.get(reply.number)
    waiting.delete(reply.number)
    if ('error' in reply) asked?.reject(new Error(reply.error))
    else asked?.resolve(reply.markets)
    if (waiting.size > 0) return
    started.unref()
    idle = setTimeout(() => end(started), IDLE_MS)
    idle.unref()
  })
  started.on('error', (error) => {
    if (worker === started) worker = undefined
    for (const { reject } of waiting.values()) reject(error instanceof Error ? error : new Error(String(error)))
    waiting.clear()
  })
  return started
}

function end(started: Worker): void {
  if (worker === started) worker = undefined
  void started.terminate()
}
