import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { type Trade, useOfferedFor } from '#web/api/index.ts'
import { formatDuration, formatUsd } from '#web/ui/index.ts'
import { setOrder, useOrder } from './ticket/draft-order.ts'
import { oddsToRepeat } from './ticket/order.ts'

/** A trade to move the chart to; a new object for each time. */
export interface Goal {
  tradeId: string
  symbol: string
  entryMs: number
}

interface Opened {
  shown: readonly string[]
  among: readonly string[]
}

const NOTHING: Opened = { shown: [], among: [] }

/**
 * What the trader does with a trade on the screen: its details or the list of several, the chart at its time, and the
 * order filled with its terms, which places nothing.
 */
export function useTradeViews(choose: (symbol: string) => void, isReady: boolean) {
  const [{ shown, among }, setOpen] = useState<Opened>(NOTHING)
  const [goal, setGoal] = useState<Goal>()
  const [filled, setFilled] = useState('')
  const offered = useOfferedFor()
  const chooseOther = (symbol: string) => {
    if (useOrder.getState().symbol !== symbol) choose(symbol)
  }
  /** Opens a trade's details, from this list, or several trades as a list. */
  const onOpen = (ids: readonly string[], from: readonly string[] = []) => setOpen({ shown: ids, among: from })
  const views = {
    /** The trades in the dialog: one with its details, several as a list. */
    shown,
    /** The list that the details were opened from. */
    among,
    onOpen,
    goal,
    /** What the order was filled with, for screen readers. */
    filled,
    onShow: (trade: Trade) => {
      onOpen([])
      chooseOther(trade.symbol)
      setGoal({
        tradeId: trade.trade_id,
        symbol: trade.symbol,
        entryMs: Date.parse(trade.entry_time ?? trade.trade_time),
      })
    },
    onRepeat: (trade: Trade) => {
      onOpen([])
      const { symbol, side, stake, duration } = trade
      chooseOther(symbol)
      // Whether it's offered, the ticket says.
      const pairs = offered.now({ symbol, tradingType: trade.trading_type, duration })
      setOrder({ duration, stake: String(stake), strike_rate: oddsToRepeat(trade, pairs) })
      useOrder.setState({ meant: side })
      setFilled(
        `The order is ${side} ${symbol} for ${formatUsd(stake)}, ${formatDuration(duration)}. Nothing is placed.`,
      )
      // The order itself and not its button: a key that is still held must not place it.
      document.getElementById('order')?.focus()
    },
  }
  useAsked('repeat', isReady && offered.isRead, views.onRepeat)
  useAsked('show', isReady, views.onShow)
  return views
}

/** Does what another screen asked for a trade, once: to repeat it, or to show it on the chart. */
function useAsked(what: 'repeat' | 'show', isReady: boolean, answer: (trade: Trade) => void): void {
  const { state, search } = useLocation() as { state: { repeat?: Trade; show?: Trade } | null; search: string }
  const navigate = useNavigate()
  const asked = state?.[what]
  const act = useEffectEvent((trade: Trade) => {
    void navigate({ search }, { replace: true, state: null })
    answer(trade)
  })
  useEffect(() => {
    if (isReady && asked) act(asked)
  }, [isReady, asked])
}
