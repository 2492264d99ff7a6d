import { PanelLeftOpen, Search } from 'lucide-react'
import type { Instrument } from '#contract/prices/prices.ts'
import { takeFrame, useFrame, useLivePrice } from '#web/api/index.ts'
import { changePercent, named, openSearch, pausedWord, useFavourites } from '#web/markets/index.ts'
import { cx, formatPercentSigned } from '#web/ui/index.ts'
import styles from './favourites-row.module.css'

interface FavouritesRowProps {
  instruments: readonly Instrument[]
  symbol: string
  onSymbol: (symbol: string) => void
  /** Shows the markets next to the chart again; where there is no room, undefined. */
  onShow: (() => void) | undefined
}

/** Where there is no room for the markets next to the chart: all markets behind a button, and the favourites in a row. */
export function FavouritesRow({ instruments, symbol, onSymbol, onShow }: FavouritesRowProps) {
  const { favourites } = useFavourites()
  const shown = named(instruments, favourites).filter((one) => one.trading_type !== null)
  useFrame(shown.map((one) => one.symbol).sort(), takeFrame)
  return (
    <section className={styles.row} aria-label="Favourite markets">
      <button
        type="button"
        className={styles.all}
        aria-haspopup={onShow ? undefined : 'dialog'}
        onClick={onShow ?? (() => openSearch())}
      >
        {onShow ? <PanelLeftOpen aria-hidden /> : <Search aria-hidden />}
        Markets
      </button>
      <div className={styles.scroll}>
        {shown.map((one) => (
          <Favourite key={one.symbol} instrument={one} isShown={one.symbol === symbol} onSymbol={onSymbol} />
        ))}
      </div>
    </section>
  )
}

function Favourite({
  instrument,
  isShown,
  onSymbol,
}: {
  instrument: Instrument
  isShown: boolean
  onSymbol: (symbol: string) => void
}) {
  const { symbol } = instrument
  const paused = pausedWord(instrument)
  const change = changePercent(useLivePrice(symbol)?.price ?? instrument.price, instrument.price_before)
  return (
    <button
      type="button"
      className={cx(styles.market, isShown && styles.shown)}
      aria-current={isShown || undefined}
      disabled={instrument.status === 'unavailable'}
      onClick={() => onSymbol(symbol)}
    >
      {symbol}
      {paused ? (
        <span className={styles.paused}>{paused}</span>
      ) : (
        change !== undefined && (
          <span className={change < 0 ? styles.down : styles.up}>{formatPercentSigned(change)}</span>
        )
      )}
    </button>
  )
}
