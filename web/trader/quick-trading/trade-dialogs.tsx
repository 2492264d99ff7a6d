import { lazy } from 'react'
import type { Trade } from '#web/api/index.ts'
import { Loaded } from '#web/ui/index.ts'

const OneTrade = lazy(() => import('./one-trade.tsx'))
const SomeTrades = lazy(() => import('./some-trades.tsx'))

interface TradeDialogsProps {
  trades: readonly Trade[]
  /** The trades that are open in a dialog: one with its details, several as a list. */
  shown: readonly string[]
  /** The list that the details were opened from. */
  among: readonly string[]
  onOpen: (tradeIds: readonly string[], among?: readonly string[]) => void
  /** Moves the chart to a trade. */
  onShow: (trade: Trade) => void
  /** Fills the order with a trade's terms. */
  onRepeat: (trade: Trade) => void
  scaleOf: (symbol: string) => number | undefined
}

/** The details of a trade, or the list of those that share a label on the chart. */
export function TradeDialogs({ trades, shown, among, onOpen, scaleOf, ...actions }: TradeDialogsProps) {
  const [first] = shown
  const one = shown.length === 1 ? trades.find((trade) => trade.trade_id === first) : undefined
  const close = () => onOpen([])
  return (
    <>
      <Loaded when={one !== undefined}>
        <OneTrade
          trade={one}
          scale={one && scaleOf(one.symbol)}
          among={among}
          onStep={(tradeId) => onOpen([tradeId], among)}
          onClose={close}
          {...actions}
        />
      </Loaded>
      <Loaded when={shown.length > 1}>
        <SomeTrades
          trades={trades.filter((trade) => shown.includes(trade.trade_id))}
          open={shown.length > 1}
          scaleOf={scaleOf}
          onDetails={(tradeId) => onOpen([tradeId], shown)}
          onClose={close}
        />
      </Loaded>
    </>
  )
}
