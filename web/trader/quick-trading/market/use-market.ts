import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FrameMessage } from '#contract/messages/push.ts'
import type { Instrument } from '#contract/prices/prices.ts'
import { queryOf, STALE_AFTER_MS, tapeNow, useLivePrice, useStreamStatus, useTapeSecond } from '#web/api/index.ts'

/** A symbol's state also changes when its prices stop, which no message reports. */
const REREAD_MS = 10_000
const NONE: readonly Instrument[] = []

/** All instruments with their states, the price source, and whether live trading is allowed on them. */
export function useMarket() {
  const { data, refetch } = useQuery({ ...queryOf('GET /prices/instruments'), refetchInterval: REREAD_MS })
  return {
    instruments: data?.data ?? NONE,
    source: data?.source,
    note: data?.note,
    realTrades: data?.real_trades ?? true,
    /** Call this with each frame: if its source has changed, everything is reloaded. */
    onFrame({ s }: Pick<FrameMessage, 's'>) {
      if (s !== undefined && data && s !== data.source) void refetch({ cancelRefetch: false })
    },
  }
}

export type SymbolState =
  | { is: 'loading' }
  | { is: 'open' }
  | { is: 'stale'; seconds: number | undefined }
  | { is: 'closed'; reopensMs: number | undefined }
  | { is: 'unavailable'; reason: string }
  | { is: 'offline' }

/** Derives a symbol's state from what the server reports and from what the stream delivers. */
export function stateOf(
  instrument: Instrument | undefined,
  lastPriceMs: number | undefined,
  listeningSinceMs: number,
  nowMs: number,
  isDown: boolean,
): SymbolState {
  if (isDown) return { is: 'offline' }
  if (!instrument) return { is: 'loading' }
  if (instrument.status === 'unavailable') {
    return { is: 'unavailable', reason: instrument.reason ?? 'No price source covers this symbol.' }
  }
  if (instrument.status === 'closed') {
    return { is: 'closed', reopensMs: instrument.reopens ? Date.parse(instrument.reopens) : undefined }
  }
  const newestMs = Math.max(lastPriceMs ?? 0, instrument.time ? Date.parse(instrument.time) : 0)
  const silentMs = newestMs > 0 ? nowMs - newestMs : undefined
  // The stream is more recent: a fresh price there overrides an older response.
  const isFresh = lastPriceMs !== undefined && nowMs - lastPriceMs <= STALE_AFTER_MS
  // Count silence only from when the subscription started: a price remembered from before proves nothing.
  const isSilent = nowMs - Math.max(lastPriceMs ?? 0, listeningSinceMs) > STALE_AFTER_MS
  if (isSilent || (instrument.status === 'stale' && !isFresh)) {
    return { is: 'stale', seconds: silentMs === undefined ? undefined : Math.max(0, Math.floor(silentMs / 1_000)) }
  }
  return { is: 'open' }
}

/** The state of the shown symbol, checked every second. */
export function useSymbolState(instrument: Instrument | undefined, symbol: string): SymbolState {
  useTapeSecond()
  const live = useLivePrice(symbol)
  const status = useStreamStatus()
  const listening = `${symbol} ${status}`
  const [since, setSince] = useState({ listening, ms: tapeNow() })
  if (since.listening !== listening) setSince({ listening, ms: tapeNow() })
  return stateOf(instrument, live?.time, since.ms, tapeNow(), status === 'down')
}
