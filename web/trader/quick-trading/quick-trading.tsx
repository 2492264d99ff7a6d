import { lazy, useCallback, useMemo, useState } from 'react'
import type { CandleInterval } from '#contract/prices.ts'
import { useFrame, useScreen, useTrades } from '#web/api/index.ts'
import { cx, dollarsOf, Loaded, titled } from '#web/ui/index.ts'
import { Chart } from './chart/chart.tsx'
import type { ChartKind } from './chart/draw-chart.ts'
import { ProfitPanel } from './dock/profit-panel.tsx'
import { TradeToasts, useTradeToasts } from './dock/trade-toasts.tsx'
import { Transactions } from './dock/transactions.tsx'
import { useToday } from './dock/use-today.ts'
import { FavouritesRow } from './market/favourites-row.tsx'
import { takeFrame } from './market/live-prices.ts'
import { ChartTools, MarketHead } from './market/market-head.tsx'
import { MarketsPanel } from './market/markets-panel.tsx'
import { useChartChoice } from './market/use-chart-choice.ts'
import { useMarket, useSymbolState } from './market/use-market.ts'
import { useMarketsOpen } from './market/use-markets-open.ts'
import { useSymbol } from './market/use-symbol.ts'
import styles from './quick-trading.module.css'
import { payoutOf } from './ticket/order.ts'
import { OrderBar } from './ticket/order-bar.tsx'
import { blockOf } from './ticket/order-block.ts'
import { OrderPanel } from './ticket/order-panel.tsx'
import { useKeys, useKeysState } from './ticket/use-keys.ts'
import { useOrderForm } from './ticket/use-order-form.ts'
import { TradeDialogs } from './trade-dialogs.tsx'
import { useTradeViews } from './use-trade-views.ts'

const SymbolSearch = lazy(() => import('./market/symbol-search.tsx'))
const KeysHelp = lazy(() => import('./ticket/keys-help.tsx'))
const RealTradeQuestion = lazy(() => import('./ticket/real-trade-question.tsx'))

export const meta = () => [{ title: titled('Quick trading') }]

/** The trading screen: the chart in the centre, the order panel on its right, the transactions below. */
export default function QuickTrading() {
  const { instruments, source, note, realTrades, onFrame } = useMarket()
  const { isReady, choose } = useSymbol(instruments)
  const { list: trades, initialised, problem } = useTrades()
  const { toast, placed, close, hold } = useTradeToasts(trades)
  const openStake = trades.reduce((sum, trade) => sum + (trade.status === 'Pending' ? trade.stake : 0), 0)
  const form = useOrderForm(instruments, openStake, placed, choose)
  const [searching, setSearching] = useState(false)
  const [helping, setHelping] = useState(false)
  const isMobile = useScreen() === 'mobile'
  const choice = useChartChoice()
  const markets = useMarketsOpen()

  const { symbol } = form.order
  const keys = useKeysState(form.mode, symbol)
  const instrument = instruments.find((one) => one.symbol === symbol)
  const state = useSymbolState(instrument, symbol)
  const block = blockOf({ mode: form.mode, balance: form.balance, state, realTrades, source, refused: form.refused })
  const scales = useMemo(() => new Map(instruments.map((one) => [one.symbol, one.scale])), [instruments])
  const scaleOf = useCallback((of: string) => scales.get(of), [scales])
  const tradesOfSymbol = useMemo(() => trades.filter((trade) => trade.symbol === symbol), [trades, symbol])

  // The shown symbol, and those with open trades in the list.
  const open = trades.filter((trade) => trade.status === 'Pending').map((trade) => trade.symbol)
  useFrame(isReady ? [...new Set([symbol, ...open])].sort() : [], (frame) => {
    takeFrame(frame)
    onFrame(frame)
  })

  const today = useToday(form.mode, trades)
  const views = useTradeViews(choose)
  const stake = dollarsOf(form.stake) ?? 0
  const search = () => setSearching(true)
  const help = () => setHelping(true)
  useKeys({
    keys,
    form,
    blocked: block !== undefined || !isReady,
    onSearch: search,
    onHelp: help,
    onMarkets: markets.toggle,
  })

  const toasts = <TradeToasts toast={toast} close={close} hold={hold} scaleOf={scaleOf} />
  return (
    <div className={cx(styles.screen, markets.isOpen && styles.withMarkets)}>
      <div className={styles.market}>
        {!markets.isOpen && (
          <FavouritesRow
            instruments={instruments}
            symbol={symbol}
            onSymbol={choose}
            onSearch={search}
            onShow={markets.hasRoom ? markets.toggle : undefined}
          />
        )}
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
        {isReady && (
          <Chart
            symbol={symbol}
            scale={instrument?.scale ?? 8}
            interval={choice.interval}
            kind={choice.kind}
            trades={tradesOfSymbol}
            onCount={choice.onCount}
            goal={views.goal}
            onOpen={views.setDialog}
          />
        )}
      </div>
      {isMobile ? (
        <OrderBar form={form} block={block} loading={!isReady} onSearch={search} above={toasts} />
      ) : (
        <div className={styles.order}>
          <OrderPanel form={form} block={block} loading={!isReady} keys={keys} onSearch={search} onHelp={help} />
        </div>
      )}
      <div className={styles.history}>
        <Transactions
          trades={trades}
          initialised={initialised}
          problem={problem}
          scaleOf={scaleOf}
          today={today}
          onShow={views.show}
          onRepeat={views.repeat}
          onDetails={(tradeId) => views.setDialog([tradeId])}
        />
      </div>
      <div className={styles.profit}>
        <ProfitPanel mode={form.mode} trades={trades} initialised={initialised} today={today.results} />
        <p className={styles.notice}>
          Chart: Lightweight Charts™, © TradingView, Inc.{' '}
          <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
            tradingview.com
          </a>
        </p>
      </div>
      {markets.isOpen && (
        <div className={styles.markets}>
          <MarketsPanel
            instruments={instruments}
            symbol={symbol}
            onSymbol={choose}
            onSearch={search}
            onHide={markets.toggle}
          />
        </div>
      )}
      <TradeDialogs
        trades={trades}
        shown={views.dialog}
        onOpen={views.setDialog}
        onShow={views.show}
        onRepeat={views.repeat}
        scaleOf={scaleOf}
      />
      <p className="visually-hidden" role="status">
        {views.filled}
      </p>
      <Loaded when={searching}>
        <SymbolSearch
          open={searching}
          onClose={() => setSearching(false)}
          instruments={instruments}
          tradingType={form.order.trading_type}
          onTradingType={form.setTradingType}
          symbol={symbol}
          onSymbol={choose}
          source={source}
        />
      </Loaded>
      <Loaded when={helping}>
        <KeysHelp open={helping} onClose={() => setHelping(false)} keys={keys} />
      </Loaded>
      <Loaded when={form.asked !== undefined}>
        <RealTradeQuestion
          side={form.asked}
          symbol={symbol}
          duration={form.order.duration}
          stake={stake}
          profit={payoutOf(form.order.strike_rate, form.asked ?? 'Buy', stake).profit}
          onAnswer={form.answer}
        />
      </Loaded>
      {!isMobile && toasts}
    </div>
  )
}
