import { useCallback, useEffect, useRef } from 'react'
import type { Mode } from '#contract/trading/trading.ts'
import { mayPass, messageOf, type Problem, retryDelayMs, tradeOf } from '#web/client/index.ts'
import { call } from '../browser.ts'
import { useStreamStatus, useUserMessages } from '../hooks.ts'
import { readUser } from '../start-up.ts'
import { useMode, useUser } from '../store.ts'
import { followTrades, setTrades, type TradeState, takeTrade, useTradeStore } from './trades.ts'

/** How many of the newest trades to load; open ones are loaded as well, however old. */
export const NEWEST_TRADES = 50
const OPEN_MOST = '200'

/** The retry timer; at most one at a time. */
let nextTry: ReturnType<typeof setTimeout> | undefined

async function readTrades(owner: string, mode: Mode, failures = 0): Promise<void> {
  clearTimeout(nextTry)
  try {
    const newest = await call('GET /trading', { query: { mode, limit: String(NEWEST_TRADES) } })
    // Open ones may be older than the newest, if there are more.
    const open = newest.next_cursor
      ? await call('GET /trading', { query: { mode, status: 'Pending', limit: OPEN_MOST } })
      : { data: [] }
    setTrades(owner, mode, [...newest.data, ...open.data].map(tradeOf))
  } catch (error) {
    const state = useTradeStore.getState()
    if (state.owner !== owner || state.mode !== mode) return
    const isRetrying = mayPass(error)
    useTradeStore.setState({ error: messageOf(error), isRetrying })
    if (!isRetrying) return
    clearTimeout(nextTry)
    nextTry = setTimeout(() => void readTrades(owner, mode, failures + 1), retryDelayMs(failures))
  }
}

/**
 * The trades of the cached mode: the newest and all open ones, loaded once and then kept up to date by the stream. They
 * are reloaded after a gap, a lost connection or a failed attempt.
 */
export function useTrades(): Pick<TradeState, 'list' | 'initialised'> & { problem: Problem | undefined } {
  const mode = useMode()
  const { id } = useUser()
  const reread = useCallback(() => void readTrades(id, mode), [id, mode])

  useEffect(() => {
    followTrades(id, mode)
    reread()
    return () => clearTimeout(nextTry)
  }, [id, mode, reread])

  useUserMessages((message) => {
    if (message.op === 'trade') takeTrade(tradeOf(message.data))
  }, reread)
  useReconnected(() => {
    reread()
    void readUser()
  })

  const state = useTradeStore()
  const isMine = state.owner === id && state.mode === mode
  if (!isMine) return { list: [], initialised: false, problem: undefined }
  const { list, initialised, error, isRetrying } = state
  return {
    list,
    initialised,
    problem: error === undefined ? undefined : { message: error, isRetrying, onRetry: reread },
  }
}

/** Calls `onBack` when the stream reopens after it was down. */
export function useReconnected(onBack: () => void): void {
  const status = useStreamStatus()
  const wasDown = useRef(false)
  const latest = useRef(onBack)
  useEffect(() => {
    latest.current = onBack
  })
  useEffect(() => {
    if (status === 'down') wasDown.current = true
    if (status !== 'open' || !wasDown.current) return
    wasDown.current = false
    latest.current()
  }, [status])
}
