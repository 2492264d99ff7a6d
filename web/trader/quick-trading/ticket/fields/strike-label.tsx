import { ArrowDown, ArrowUp } from 'lucide-react'
import { percentOf, type StrikeRate, strikeRateFor, type TradeSide } from '#contract/terms.ts'
import { cx } from '#web/ui/index.ts'
import type { OfferedOrder } from '../order.ts'
import styles from './strike-label.module.css'

/** What a pair pays, Buy above Sell. The percentages that the order uses are bold and in their side's colour. */
export function StrikeLabel({
  rate,
  order: { strike_rate, offered },
}: {
  rate: StrikeRate
  order: Pick<OfferedOrder, 'strike_rate' | 'offered'>
}) {
  return (
    <span className={styles.strike} aria-hidden>
      {(['Buy', 'Sell'] as const).map((side) => (
        <Percent
          key={side}
          side={side}
          rate={rate}
          isUsed={strikeRateFor(strike_rate, side, offered) === rate}
          sign="%"
        />
      ))}
    </span>
  )
}

/** The better pair of each side. */
export function BestLabel({ offered }: Pick<OfferedOrder, 'offered'>) {
  return (
    <span className={styles.strike} aria-hidden>
      <span>Best</span>
      <span>
        {(['Buy', 'Sell'] as const).map((side) => (
          <Percent key={side} side={side} rate={strikeRateFor('best', side, offered)} isUsed sign="" />
        ))}
      </span>
    </span>
  )
}

function Percent({ side, rate, isUsed, sign }: { side: TradeSide; rate: StrikeRate; isUsed: boolean; sign: string }) {
  const Arrow = side === 'Buy' ? ArrowUp : ArrowDown
  return (
    <span className={cx(styles.percent, isUsed && (side === 'Buy' ? styles.buy : styles.sell))}>
      <Arrow />
      {percentOf(rate, side)}
      {sign}
    </span>
  )
}
