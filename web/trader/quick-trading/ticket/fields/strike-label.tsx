import { ArrowDown, ArrowUp } from 'lucide-react'
import { percentOf, type StrikeChoice, type StrikeRate, strikeRateFor, type TradeSide } from '#contract/terms.ts'
import { cx } from '#web/ui/index.ts'
import styles from './strike-label.module.css'

/** What a pair pays, Buy above Sell. The percentages that the order uses are bold and in their side's colour. */
export function StrikeLabel({ rate, chosen }: { rate: StrikeRate; chosen: StrikeChoice }) {
  return (
    <span className={styles.strike} aria-hidden>
      {(['Buy', 'Sell'] as const).map((side) => (
        <Percent key={side} side={side} rate={rate} isUsed={strikeRateFor(chosen, side) === rate} sign="%" />
      ))}
    </span>
  )
}

/** The better pair of each side. */
export function BestLabel() {
  return (
    <span className={styles.strike} aria-hidden>
      <span>Best</span>
      <span>
        {(['Buy', 'Sell'] as const).map((side) => (
          <Percent key={side} side={side} rate={strikeRateFor('best', side)} isUsed sign="" />
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
