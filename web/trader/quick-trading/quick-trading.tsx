import { useCallback, useMemo, useState } from 'react'
import type { CandleInterval } from '#contract/prices.ts'
import { type Trade, useFrame, useScreen, useTrades } from '#web/api/index.ts'
import { titled } from '#web/ui/index.ts'
import { Chart } from './chart/chart.tsx'
import type { ChartKind } from './chart/draw-chart.ts'
import { ProfitPanel } from './dock/profit-panel.tsx'
import { TradeToasts, useTradeToasts } from './dock/trade-toasts.tsx'
import { Transactions } from './dock/transactions.tsx'
import { takeFrame } from './market/live-prices.ts'
import { ChartTools, MarketHead } from './market/market-head.tsx'
import { SymbolSearch } from './market/symbol-search.tsx'
import { useChartChoice } from './market/use-chart-choice.ts'
import { useMarket, useSymbolState } from './market/use-market.ts'
import styles from './quick-trading.module.css'
import { KeysHelp } from './ticket/keys-help.tsx'
import { setOrder } from './ticket/order.ts'
import { OrderBar } from './ticket/order-bar.tsx'
import { blockOf } from './ticket/order-block.ts'
import { OrderPanel } from './ticket/order-panel.tsx'
import { useKeys, useKeysOn } from './ticket/use-keys.ts'
import { useOrderForm } from './ticket/use-order-form.ts'

export const meta = () => [{ title: titled('Quick trading') }]

/** The trading screen: the chart in the centre, the order panel on its right, the transactions below. */
export default function QuickTrading() {
  const { instruments, source, note, realTrades, onFrame } = useMarket()
  const { list: trades, initialised, problem } = useTrades()
  const { toast, placed, close, hold } = useTradeToasts(trades)
  const openStake = trades.reduce((sum, trade) => sum + (trade.status === 'Pending' ? trade.stake : 0), 0)
  const form = useOrderForm(instruments, openStake, placed)
  const [searching, setSearching] = useState(false)
  const [helping, setHelping] = useState(false)
  const [keysOn, setKeysOn] = useKeysOn()
  const isMobile = useScreen() === 'mobile'
  const choice = useChartChoice()

  const { symbol } = form.order
  const instrument = instruments.find((one) => one.symbol === symbol)
  const state = useSymbolState(instrument, symbol)
  const block = blockOf({ mode: form.mode, balance: form.balance, state, realTrades, source, refused: form.refused })
  const scales = useMemo(() => new Map(instruments.map((one) => [one.symbol, one.scale])), [instruments])
  const scaleOf = useCallback((of: string) => scales.get(of), [scales])
  const tradesOfSymbol = useMemo(() => trades.filter((trade) => trade.symbol === symbol), [trades, symbol])

  // The shown symbol, and those with open trades in the list.
  const open = trades.filter((trade) => trade.status === 'Pending').map((trade) => trade.symbol)
  useFrame([...new Set([symbol, ...open])].sort(), (frame) => {
    takeFrame(frame)
    onFrame(frame)
  })

  const search = () => setSearching(true)
  useKeys({ on: keysOn, form, blocked: block !== undefined, onSearch: search, onHelp: () => setHelping(true) })

  const show = (trade: Trade) => setOrder({ symbol: trade.symbol, trading_type: trade.trading_type })
  const toasts = <TradeToasts toast={toast} close={close} hold={hold} scaleOf={scaleOf} />
  return (
    <div className={styles.screen}>
      <div className={styles.market}>
        <MarketHead
          symbol={symbol}
          instrument={instrument}
          state={state}
          source={source}
          note={note}
          onSearch={search}
        />
        <ChartTools
          interval={choice.interval}
          kind={choice.kind}
          onInterval={(interval: CandleInterval) => choice.choose({ interval })}
          onKind={(kind: ChartKind) => choice.choose({ kind })}
        />
      </div>
      <div className={styles.chart}>
        <Chart
          symbol={symbol}
          scale={instrument?.scale ?? 8}
          interval={choice.interval}
          kind={choice.kind}
          trades={tradesOfSymbol}
          onCount={choice.onCount}
        />
      </div>
      {isMobile ? (
        <OrderBar form={form} block={block} onSearch={search} above={toasts} />
      ) : (
        <div className={styles.order}>
          <OrderPanel form={form} block={block} onSearch={search} onHelp={() => setHelping(true)} />
        </div>
      )}
      <div className={styles.history}>
        <Transactions trades={trades} initialised={initialised} problem={problem} scaleOf={scaleOf} onShow={show} />
        <p className={styles.notice}>
          Chart: Lightweight Charts™, © TradingView, Inc.{' '}
          <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
            tradingview.com
          </a>
        </p>
      </div>
      <div className={styles.profit}>
        <ProfitPanel mode={form.mode} trades={trades} initialised={initialised} />
      </div>
      <SymbolSearch
        open={searching}
        onClose={() => setSearching(false)}
        instruments={instruments}
        tradingType={form.order.trading_type}
        onTradingType={form.setTradingType}
        symbol={symbol}
        onSymbol={(chosen) => setOrder({ symbol: chosen })}
        source={source}
      />
      <KeysHelp open={helping} onClose={() => setHelping(false)} on={keysOn} onSwitch={setKeysOn} />
      {!isMobile && toasts}
    </div>
  )
}
