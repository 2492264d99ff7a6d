import { ChevronDown, TrendingDown, TrendingUp } from 'lucide-react'
import type { Instrument, PriceSource } from '#contract/prices/prices.ts'
import { useLivePrice } from '#web/api/index.ts'
import { changePercent, openSearch, pairName, StarButton, useFavourites } from '#web/markets/index.ts'
import { Badge, cx, formatPercentSigned, formatPrice } from '#web/ui/index.ts'
import styles from './market-head.module.css'
import { SourceButton } from './source-button.tsx'
import type { SymbolState } from './use-market.ts'

interface MarketHeadProps {
  symbol: string
  instrument: Instrument | undefined
  state: SymbolState
  source: PriceSource | undefined
  note: string | undefined
}

/** Star, symbol, name, price, price change and freshness; a click on the symbol opens the markets. */
export function MarketHead({ symbol, instrument, state, source, note }: MarketHeadProps) {
  const { favourites, toggle } = useFavourites()
  return (
    <div className={styles.head}>
      <div className={styles.star}>
        <StarButton symbol={symbol} isOn={favourites.includes(symbol)} onToggle={toggle} />
      </div>
      <h1 className={styles.title}>
        <button type="button" className={styles.symbol} onClick={() => openSearch()} aria-haspopup="dialog">
          <span className="visually-hidden">Quick trading, </span>
          {instrument ? (
            <>
              {instrument.base}
              <span className={styles.quote}>{instrument.quote}</span>
            </>
          ) : (
            symbol
          )}
          <span className="visually-hidden">, choose another symbol</span>
          <ChevronDown aria-hidden />
        </button>
      </h1>
      {instrument && <span className={styles.name}>{pairName(instrument)}</span>}
      <Price symbol={symbol} instrument={instrument} state={state} />
      <div className={styles.badges}>
        <SourceButton source={source} instrument={instrument} note={note} />
      </div>
    </div>
  )
}

/** The price with its 24-hour change; or, if the price isn't fresh, a note that says so. */
function Price({ symbol, instrument, state }: Pick<MarketHeadProps, 'symbol' | 'instrument' | 'state'>) {
  const live = useLivePrice(symbol)
  const isFresh = state.is === 'open' || state.is === 'loading'
  const price = live?.price ?? instrument?.price
  const change = changePercent(price, instrument?.price_before)
  const ChangeIcon = (change ?? 0) < 0 ? TrendingDown : TrendingUp
  return (
    <div className={cx(styles.prices, !isFresh && styles.old)}>
      <span className={cx(styles.price, isFresh && live?.direction && styles[live.direction])}>
        {formatPrice(price, instrument?.scale)}
      </span>
      <span className={cx(styles.change, isFresh && change !== undefined && (change < 0 ? styles.down : styles.up))}>
        {state.is === 'stale' && <Badge tone="warn">Stale{state.seconds ? ` for ${state.seconds} s` : ''}</Badge>}
        {state.is === 'closed' && <Badge tone="warn">Closed</Badge>}
        {state.is === 'unavailable' && <Badge tone="warn">Unavailable</Badge>}
        {state.is === 'offline' && <Badge tone="warn">Paused</Badge>}
        {isFresh && change !== undefined && (
          <>
            <ChangeIcon aria-hidden />
            {formatPercentSigned(change)}
            <span className={styles.day}> 24 h</span>
          </>
        )}
      </span>
    </div>
  )
}
