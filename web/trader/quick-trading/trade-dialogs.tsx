import { lazy } from 'react'
import type { Trade } from '#web/api/index.ts'
import { Loaded } from '#web/ui/index.ts'

const OneTrade = lazy(() => import('./one-trade.tsx'))
const SomeTrades = lazy(() => import('./some-trades.tsx'))

interface TradeDialogsProps {
  trades: readonly Trade[]
  /** The trades that are open in a dialog: one with its details, several as a list. */
  shown: readonly string[]
  onShow: (tradeIds: readonly string[]) => void
  scaleOf: (symbol: string) => number | undefined
}

/** The details of a trade, or the list of those that share a label on the chart. Loaded when first needed. */
export function TradeDialogs({ trades, shown, onShow, scaleOf }: TradeDialogsProps) {
  const [first] = shown
  const one = shown.length === 1 ? trades.find((trade) => trade.trade_id === first) : undefined
  const close = () => onShow([])
  return (
    <>
      <Loaded when={one !== undefined}>
        <OneTrade trade={one} scale={one && scaleOf(one.symbol)} onClose={close} />
      </Loaded>
      <Loaded when={shown.length > 1}>
        <SomeTrades
          trades={trades.filter((trade) => shown.includes(trade.trade_id))}
          open={shown.length > 1}
          scaleOf={scaleOf}
          onDetails={(tradeId) => onShow([tradeId])}
          onClose={close}
        />
      </Loaded>
    </>
  )
}
