import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Problem } from '#contract/problem.ts'
import type { TradingType } from '#contract/terms.ts'
import type { BacktestFigures } from '#contract/trading/backtest.ts'
import { SECOND_MS } from '#kernel/time.ts'
import { atMost } from '../platform/process/at-most.ts'
import type { BacktestSettings } from './settings.ts'
import type { Range } from './signals.ts'

/** What the worker gets: the minutes as bytes of JSON text, which it parses itself. */
export interface Work {
  settings: BacktestSettings
  range: Range
  data: SymbolData[]
}

export interface SymbolData {
  symbol: string
  symbolId: number
  tradingType: TradingType
  /** Decimal places of its prices. */
  scale: number
  /** `[[time, open, high, low, close], …]` in units, in consecutive parts, which are moved to the worker. */
  parts: Uint8Array<ArrayBuffer>[]
}

/** Maximum back-tests at once on a node. With several processors, one stays free for the event loop. */
const RUNNING = Math.max(1, Math.min(2, availableParallelism() - 1))
/** Far more than the largest back-test takes. */
const PATIENCE_MS = 30 * SECOND_MS
const MEMORY_MB = 512

/** Runs at most `RUNNING` back-tests at once on this node, and one per trader. `read` is called when it's their turn. */
export function backtestRunner(): (userId: bigint, read: () => Promise<Work>) => Promise<BacktestFigures> {
  const whenFree = atMost(RUNNING, { waiting: 20, patienceMs: 10 * SECOND_MS })
  const busy = new Set<bigint>()
  return async (userId, read) => {
    if (busy.has(userId)) {
      throw new Problem('too_many_requests', 'Your last back-test is still running. Wait for it to finish.', {
        retryAfterSeconds: 5,
      })
    }
    busy.add(userId)
    try {
      return await whenFree(async () => inWorker(await read()))
    } finally {
      busy.delete(userId)
    }
  }
}

async function inWorker(work: Work): Promise<BacktestFigures> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: work,
    // Copying tens of megabytes would hold up the event loop.
    transferList: work.data.flatMap(({ parts }) => parts.map(({ buffer }) => buffer)),
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    const [reply] = (await once(worker, 'message', { signal })) as [BacktestFigures]
    return reply
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Problem('unavailable', 'This back-test took too long. Choose fewer symbols or days, or try again later.')
  } finally {
    await worker.terminate()
  }
}
