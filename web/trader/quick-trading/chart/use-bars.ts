import { useCallback, useEffect, useRef, useState } from 'react'
import type { CandleInterval, PriceSource } from '#contract/prices/prices.ts'
import {
  call,
  mayPass,
  messageOf,
  type Problem,
  retryDelayMs,
  tapeNow,
  useFrame,
  useReconnected,
} from '#web/api/index.ts'
import { type Beginning, beginningOf } from './beginning.ts'
import { type Bar, barsOf, intervalMsOf, withOlder, withPrice } from './candles.ts'

/** Rows per request. */
const ROWS = 300

export interface Bars {
  /** Identifies what the bars show; a change means a new chart. */
  of: string
  bars: readonly Bar[]
  /** The kind of source of all bars; undefined before the first price. */
  source: PriceSource | undefined
  beginning: Beginning | undefined
}

interface Listener {
  /** Called with a new list of bars; `stay` if only older ones were added or the same ones reloaded. */
  onBars: (bars: Bars, stay: boolean) => void
  /** Called when the newest bar changed or the next one began. */
  onBar: (bar: Bar) => void
}

/**
 * The bars of a symbol: loaded once (retried until it succeeds), then built from the stream's frames; older ones on
 * demand, all again after a lost connection. They go to `listener` and not through React, since a chart updates four times a second.
 */
export function useBars(symbol: string, interval: CandleInterval, listener: Listener) {
  const of = `${symbol} ${interval}`
  const intervalMs = intervalMsOf(interval)
  const [state, setState] = useState<{ of: string; failure?: Omit<Problem, 'onRetry'>; count?: number }>({
    of: '',
  })
  const held = useRef<Bars>({ of: '', bars: [], source: undefined, beginning: undefined })
  const older = useRef<'idle' | 'reading' | 'none'>('idle')
  const early = useRef<[price: number, time: number][]>([])
  const attempts = useRef<AbortController>(undefined)
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })

  const take = useCallback(
    (price: number, time: number) => {
      const last = held.current.bars.at(-1)
      const bar = withPrice(last, intervalMs, price, time)
      if (!bar) return
      const bars = held.current.bars as Bar[]
      if (last && bar.time === last.time) bars[bars.length - 1] = bar
      else bars.push(bar)
      latest.current.onBar(bar)
    },
    [intervalMs],
  )

  const read = useCallback(
    async (signal: AbortSignal, failures: number) => {
      try {
        const query = { symbol, interval, limit: String(ROWS) }
        const answer = await call('GET /prices/candles', { query, signal })
        if (signal.aborted) return
        const isSame = held.current.of === of
        held.current = {
          of,
          bars: barsOf(answer.data),
          source: answer.source,
          beginning: beginningOf(answer, tapeNow()),
        }
        older.current = 'idle'
        latest.current.onBars(held.current, isSame)
        for (const [price, time] of early.current.splice(0)) take(price, time)
        setState({ of, count: answer.data.length })
      } catch (error) {
        if (signal.aborted) return
        const isRetrying = mayPass(error)
        setState({ of, failure: { message: messageOf(error), isRetrying } })
        if (!isRetrying) return
        const timer = setTimeout(() => void read(signal, failures + 1), retryDelayMs(failures))
        signal.addEventListener('abort', () => clearTimeout(timer))
      }
    },
    [of, symbol, interval, take],
  )

  /** Starts over; earlier attempts and their retries end. */
  const reread = useCallback(() => {
    attempts.current?.abort()
    attempts.current = new AbortController()
    void read(attempts.current.signal, 0)
  }, [read])

  useEffect(() => {
    early.current = []
    reread()
    return () => attempts.current?.abort()
  }, [reread])
  useReconnected(reread)

  useFrame([symbol], (frame) => {
    const { source } = held.current
    // Kinds never mix in a chart: it begins again with the new one.
    if (frame.s !== undefined && source !== undefined && frame.s !== source && held.current.of === of) {
      held.current = { ...held.current, of: '' }
      early.current = []
      reread()
    }
    for (const [, price, time] of frame.p) {
      if (held.current.of === of) take(Number(price), time)
      else early.current.push([Number(price), time])
    }
  })

  /** Loads the bars before the first one, one request at a time, until there are no more. */
  const readOlder = useCallback(async () => {
    const { bars, source, beginning } = held.current
    const first = bars[0]
    if (!first || held.current.of !== of || older.current !== 'idle') return
    older.current = 'reading'
    try {
      const query = { symbol, interval, limit: String(ROWS), before: String(first.time) }
      const answer = await call('GET /prices/candles', { query })
      if (held.current.of !== of || held.current.source !== source) return
      older.current = answer.data.length === 0 ? 'none' : 'idle'
      if (answer.data.length === 0) return
      held.current = {
        of,
        bars: withOlder(barsOf(answer.data), held.current.bars),
        source,
        beginning: answer.simulated_until || answer.venue ? beginningOf(answer, tapeNow()) : beginning,
      }
      latest.current.onBars(held.current, true)
    } catch {
      // The next scroll tries again.
      older.current = 'idle'
    }
  }, [of, symbol, interval])

  const isCurrent = state.of === of
  return {
    ready: isCurrent && state.failure === undefined,
    problem: isCurrent && state.failure ? { ...state.failure, onRetry: reread } : undefined,
    /** Bars of the first load; unknown until it succeeds. */
    count: isCurrent ? state.count : undefined,
    held,
    readOlder,
  }
}
