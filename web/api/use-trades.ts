import { useCallback, useEffect, useRef } from 'react'
import type { Mode } from '#contract/trading.ts'
import { call } from './browser.ts'
import { messageOf } from './client.ts'
import { useStreamStatus, useUserMessages } from './hooks.ts'
import { readUser } from './start-up.ts'
import { useMode, useUser } from './store.ts'
import { followTrades, setTrades, type TradeState, takeTrade, useTradeStore } from './trades.ts'

/** Rows of the newest trades; open ones are read besides, however old they are. */
const NEWEST = '50'
const OPEN_MOST = '200'

async function readTrades(owner: string, mode: Mode): Promise<void> {
  try {
    const [newest, open] = await Promise.all([
      call('GET /trading', { query: { mode, limit: NEWEST } }),
      call('GET /trading', { query: { mode, status: 'Pending', limit: OPEN_MOST } }),
    ])
    setTrades(owner, mode, [...newest.data, ...open.data])
  } catch (error) {
    const state = useTradeStore.getState()
    if (state.owner === owner && state.mode === mode) useTradeStore.setState({ error: messageOf(error) })
  }
}

/**
 * The trades of the cached mode: the newest and all open ones, read once and then kept up to date by the stream. After
 * a gap or a lost connection they are read again.
 */
export function useTrades(): TradeState & { reread: () => void } {
  const mode = useMode()
  const { id } = useUser()
  const reread = useCallback(() => void readTrades(id, mode), [id, mode])

  useEffect(() => {
    followTrades(id, mode)
    reread()
  }, [id, mode, reread])

  useUserMessages((message) => {
    if (message.op === 'trade') takeTrade(message.data)
  }, reread)
  useReconnected(() => {
    reread()
    void readUser()
  })

  const state = useTradeStore()
  const isMine = state.owner === id && state.mode === mode
  return isMine ? { ...state, reread } : { owner: id, mode, list: [], initialised: false, error: undefined, reread }
}

/** Calls `onBack` when the stream is open again after it was down. */
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
