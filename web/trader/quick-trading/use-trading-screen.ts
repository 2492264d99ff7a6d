import { useCallback, useMemo, useState } from 'react'
import type { Mode } from '#contract/terms.ts'
import type { Alert } from '#contract/trading/alerts.ts'
import { useAlerts } from '#web/alerts/index.ts'
import { takeFrame, useFrame, useScreen, useScreenChoices, useTrades } from '#web/api/index.ts'
import { useChartDocument } from './chart/chart-document.ts'
import { useTradeToasts } from './dock/trade-toasts.tsx'
import { useToday } from './dock/use-today.ts'
import { useChartChoice } from './market/use-chart-choice.ts'
import { useMarket, useSymbolState } from './market/use-market.ts'
import { useMarketsOpen } from './market/use-markets-open.ts'
import { useSymbol } from './market/use-symbol.ts'
import { blockOf } from './ticket/order-block.ts'
import { useKeys, useKeysState } from './ticket/use-keys.ts'
import { useOrderForm } from './ticket/use-order-form.ts'
import { useCoach } from './use-coach.ts'
import { useFullScreen } from './use-full-screen.ts'
import { useTradeViews } from './use-trade-views.ts'
import { useWaiting } from './waiting/use-waiting.ts'

export type TradingScreen = ReturnType<typeof useTradingScreen>

/** What the parts of the trading screen share: market, order, trades, and what is open over them. */
export function useTradingScreen() {
  const market = useMarket()
  const { instruments } = market
  const { isReady, choose } = useSymbol(instruments)
  const trades = useTrades()
  const toasts = useTradeToasts(trades.list)
  const pending = trades.list.filter((trade) => trade.status === 'Pending')
  const openStake = pending.reduce((sum, trade) => sum + trade.stake, 0)
  const form = useOrderForm(openStake, toasts.placed)
  const { mode } = form
  const { symbol } = form.order
  const instrument = instruments.find((one) => one.symbol === symbol)
  const state = useSymbolState(instrument, symbol)
  const block = blockOf({ ...market, mode, balance: form.balance, state, refused: form.refused })
  const scales = useMemo(() => new Map(instruments.map((one) => [one.symbol, one.scale])), [instruments])
  const scaleOf = useCallback((of: string) => scales.get(of), [scales])
  const keys = useKeysState(mode, symbol)
  const help = useOpen()
  const markets = useMarketsOpen()
  const onChart = useOnChart(mode)

  // The shown symbol, and those with open trades in the list.
  const symbols = new Set([symbol, ...pending.map((trade) => trade.symbol)])
  useFrame(isReady ? [...symbols].sort() : [], (frame) => {
    takeFrame(frame)
    market.onFrame(frame)
  })
  useKeys({
    keys,
    form,
    blocked: block !== undefined || !isReady,
    onHelp: help.open,
    onMarkets: markets.toggle,
    onFull: onChart.full.toggle,
  })
  return {
    ...market,
    isReady,
    choose,
    trades,
    toasts,
    form,
    symbol,
    instrument,
    state,
    block,
    scaleOf,
    keys,
    markets,
    isMobile: useScreen() === 'mobile',
    ...onChart,
    today: useToday(mode, trades.list),
    views: useTradeViews(choose, isReady),
    coach: useCoach(mode === 'demo' && trades.initialised && trades.list.length === 0),
    help,
  }
}

const NO_ALERTS: readonly Alert[] = []

/** What the toolbar and the chart share. */
const useOnChart = (mode: Mode) => ({
  choice: useChartChoice(),
  /** Indicators, layouts and drawings. */
  charts: useChartDocument(),
  /** Whether the drawing tools are open. */
  drawing: useOpen(),
  full: useFullScreen(),
  alerts: useAlerts(useScreenChoices()?.has_alerts === true).data?.data ?? NO_ALERTS,
  waiting: useWaiting(mode, useScreenChoices()?.has_orders === true),
})

/** Whether a dialog is open. */
function useOpen() {
  const [isOpen, setOpen] = useState(false)
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) }
}
