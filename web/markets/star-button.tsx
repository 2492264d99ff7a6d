import { Star } from 'lucide-react'
import { cx } from '#web/ui/index.ts'
import styles from './star-button.module.css'

interface StarButtonProps {
  symbol: string
  isOn: boolean
  onToggle: (symbol: string) => void
  tabIndex?: number
}

/** Adds a market to the favourites, or takes it out. */
export const StarButton = ({ symbol, isOn, onToggle, tabIndex }: StarButtonProps) => (
  <button
    type="button"
    className={cx(styles.star, isOn && styles.on)}
    aria-label={`Favourite ${symbol}`}
    aria-pressed={isOn}
    tabIndex={tabIndex}
    onClick={(event) => {
      event.stopPropagation()
      onToggle(symbol)
    }}
  >
    <Star aria-hidden />
  </button>
)
