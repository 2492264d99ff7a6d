import { lazy, type ReactNode, useMemo } from 'react'
import type { CandleInterval } from '#contract/prices/prices.ts'
import { tapeNow } from '#web/api/index.ts'
import { cx, Loaded, titled } from '#web/ui/index.ts'
import { alertLine, isLine, orderLine } from './alerts/lines.ts'
import { Chart } from './chart/chart.tsx'
import { shownChart } from './chart/chart-handle.ts'
import { Coach } from './coach.tsx'
import { ProfitPanel } from './dock/profit-panel.tsx'
import { TradeToasts } from './dock/trade-toasts.tsx'
import { Transactions } from './dock/transactions.tsx'
import { FavouritesRow } from './market/favourites-row.tsx'
import { MarketHead } from './market/market-head.tsx'
import { MarketsPanel } from './market/markets-panel.tsx'
import styles from './quick-trading.module.css'
import { OrderBar } from './ticket/order-bar.tsx'
import { isOld } from './ticket/order-block.ts'
import { OrderPanel } from './ticket/order-panel.tsx'
import { ChartTools } from './tools/chart-tools.tsx'
import { TradeDialogs } from './trade-dialogs.tsx'
import { type TradingScreen, useTradingScreen } from './use-trading-screen.ts'

const KeysHelp = lazy(() => import('./ticket/keys-help.tsx'))
const RealTradeQuestion = lazy(() => import('./ticket/real-trade-question.tsx'))

export const meta = () => [{ title: titled('Quick trading') }]

/** The trading screen: the chart in the centre, the order panel on its right, the transactions below. */
export default function QuickTrading() {
  const screen = useTradingScreen()
  const { form, block, isReady, isMobile, markets, full, coach } = screen
  const onProof = (tradeId: string) => screen.views.onOpen([tradeId])
  const toasts = <TradeToasts {...screen.toasts} scaleOf={screen.scaleOf} onProof={onProof} />
  return (
    <div
      className={cx(styles.screen, markets.isOpen && !full.is && styles.withMarkets, full.is && styles.full)}
      data-coach={coach.of}
    >
      <MarketTop {...screen} />
      <ChartStage {...screen}>{!isMobile && toasts}</ChartStage>
      {isMobile ? (
        <OrderBar form={form} block={block} loading={!isReady} onSymbol={screen.choose} above={toasts} />
      ) : (
        <div className={styles.order}>
          <OrderPanel
            form={form}
            block={block}
            loading={!isReady}
            keys={screen.keys}
            settled={screen.trades.list.filter(({ status }) => status !== 'Pending')}
            onSymbol={screen.choose}
            onHelp={screen.help.open}
          />
        </div>
      )}
      {!full.is && <Dock {...screen} />}
      {markets.isOpen && !full.is && (
        <div className={styles.markets}>
          <MarketsPanel
            instruments={screen.instruments}
            symbol={screen.symbol}
            onSymbol={screen.choose}
            onHide={markets.toggle}
          />
        </div>
      )}
      <Dialogs {...screen} />
    </div>
  )
}

function MarketTop({
  instruments,
  symbol,
  choose,
  markets,
  choice,
  charts,
  drawing,
  full,
  alerts,
  ...market
}: TradingScreen) {
  return (
    <div className={styles.market}>
      {!markets.isOpen && (
        <FavouritesRow
          instruments={instruments}
          symbol={symbol}
          onSymbol={choose}
          onShow={markets.hasRoom ? markets.toggle : undefined}
        />
      )}
      <MarketHead
        symbol={symbol}
        instrument={market.instrument}
        state={market.state}
        source={market.source}
        note={market.note}
      />
      <ChartTools
        choice={choice}
        symbol={symbol}
        document={charts}
        alerts={onLines(alerts, symbol).length}
        isDrawing={drawing.isOpen}
        onDraw={drawing.isOpen ? drawing.close : drawing.open}
        onPicture={() => void share(symbol, choice.interval, market)}
        isFull={full.is}
        onFull={full.toggle}
      />
    </div>
  )
}

/** Shares a picture of the chart, with the trade that it shows or the newest one of its symbol. */
async function share(
  symbol: string,
  interval: CandleInterval,
  { instrument, source, trades, views }: Pick<TradingScreen, 'instrument' | 'source' | 'trades' | 'views'>,
): Promise<void> {
  const chart = shownChart()
  if (!chart) return
  const ofSymbol = trades.list.filter((trade) => trade.symbol === symbol)
  const trade = ofSymbol.find(({ trade_id }) => trade_id === views.goal?.tradeId) ?? ofSymbol[0]
  const { sharePicture } = await import('./tools/share-picture.ts')
  await sharePicture(chart, { symbol, interval, scale: instrument?.scale ?? 8, source, trade, timeMs: tapeNow() })
}

/** The alerts that are lines on the chart of a symbol. */
const onLines = (alerts: TradingScreen['alerts'], symbol: string) =>
  alerts.filter((one) => one.symbol === symbol && one.kind === 'price' && !one.fired)

function ChartStage({
  isReady,
  symbol,
  instrument,
  state,
  choice,
  charts,
  drawing,
  trades,
  views,
  coach,
  alerts,
  waiting,
  children,
}: TradingScreen & { children: ReactNode }) {
  const ofSymbol = useMemo(() => trades.list.filter((trade) => trade.symbol === symbol), [trades.list, symbol])
  const lines = useMemo(
    () => [...onLines(alerts, symbol).map(alertLine), ...waiting.filter((one) => isLine(one, symbol)).map(orderLine)],
    [alerts, waiting, symbol],
  )
  return (
    <div className={styles.chart}>
      {isReady && (
        <Chart
          symbol={symbol}
          scale={instrument?.scale ?? 8}
          {...choice}
          {...views}
          document={charts}
          isDrawing={drawing.isOpen}
          onDrawn={drawing.close}
          trades={ofSymbol}
          lines={lines}
          isOld={isOld(state)}
        />
      )}
      {isReady && coach.isOn && <Coach onMark={coach.onMark} onEnd={coach.onEnd} />}
      {children}
    </div>
  )
}

function Dock({ trades, waiting, scaleOf, today, views, form, coach }: TradingScreen) {
  return (
    <>
      <div className={styles.history}>
        <Transactions
          trades={trades.list}
          waiting={waiting}
          initialised={trades.initialised}
          problem={trades.problem}
          scaleOf={scaleOf}
          today={today}
          onShowMe={coach.onShow}
          {...views}
          onDetails={(tradeId, among) => views.onOpen([tradeId], among)}
        />
      </div>
      <div className={styles.profit}>
        <ProfitPanel mode={form.mode} trades={trades.list} initialised={trades.initialised} today={today.results} />
        <p className={styles.notice}>
          Lightweight Charts™ ©{' '}
          <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
            TradingView, Inc.
          </a>
        </p>
      </div>
    </>
  )
}

/** What opens over the screen. */
function Dialogs({ form, symbol, trades, views, scaleOf, help, ...screen }: TradingScreen) {
  return (
    <>
      <TradeDialogs trades={trades.list} scaleOf={scaleOf} {...views} />
      <p className="visually-hidden" role="status">
        {views.filled}
      </p>
      <Loaded when={help.isOpen}>
        <KeysHelp open={help.isOpen} onClose={help.close} keys={screen.keys} />
      </Loaded>
      <Loaded when={form.asked !== undefined}>
        <RealTradeQuestion form={form} />
      </Loaded>
    </>
  )
}
