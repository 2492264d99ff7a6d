import { lazy, useState } from 'react'
import type { Trade } from '#web/api/index.ts'
import { Button, formatUsd, Loaded } from '#web/ui/index.ts'
import { isForSale } from './sale-quote.ts'
import styles from './sell-button.module.css'
import { useSaleQuote } from './use-sale-quote.ts'

const SellDialog = lazy(() => import('./sell-dialog.tsx'))

interface SellButtonProps {
  trade: Trade
  tabIndex?: number
  /** As wide as its place, with the value next to the word. */
  isLarge?: boolean
}

/** Sells an open trade before its end, after asking. Shows what it's worth now; nothing for a trade that isn't for sale. */
export function SellButton({ trade, ...look }: SellButtonProps) {
  return isForSale(trade) ? <Sell trade={trade} {...look} /> : null
}

function Sell({ trade, tabIndex, isLarge }: SellButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const quote = useSaleQuote(trade)
  const isSelling = trade.sale !== undefined && trade.sale.outcome === undefined
  const isWorth = 'value' in quote
  const words = isSelling ? 'Selling…' : isWorth ? `Sell for ${formatUsd(quote.value / 100)}` : quote.label
  return (
    <>
      <Button
        look="secondary"
        size={isLarge ? undefined : 'small'}
        className={isLarge ? undefined : styles.sell}
        tabIndex={tabIndex}
        disabled={isSelling || !isWorth}
        title={isWorth ? 'What it is worth now, less the fee' : quote.reason}
        aria-label={`${words}, ${trade.side} ${trade.symbol}`}
        onClick={() => setAsking(true)}
      >
        {words}
      </Button>
      <Loaded when={isAsking}>
        <SellDialog trade={trade} open={isAsking} onClose={() => setAsking(false)} />
      </Loaded>
    </>
  )
}
