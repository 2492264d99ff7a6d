import { MANY_COMPARED } from '#contract/prices/measured.ts'
import type { TradeStatistics } from '#contract/trading/trading.ts'
import { FEW_TRADES, timeZone } from '#web/api/index.ts'
import { formatDate, formatUsdSigned } from '#web/ui/index.ts'
import styles from './statistics.module.css'

interface NotesProps {
  data: Pick<TradeStatistics, 'trades' | 'since' | 'archived' | 'returned'>
}

/** How the figures are counted, and what they lack. */
export function Notes({ data: { trades, since, archived, returned } }: NotesProps) {
  return (
    <div className={styles.notes}>
      <p>
        Days, hours and days of the week are those in {timeZone()}; a trade counts when it ended. Draws and voids return
        the stake and don’t count towards win rates or runs. Ranges are 95% confidence intervals. Trades placed in the
        same hour count together there, because prices move together.
      </p>
      {trades >= FEW_TRADES && <p>{MANY_COMPARED}</p>}
      {returned > 0 && (
        <p>
          A ruling returned what {returned === 1 ? '1 trade' : `${returned} trades`} lost: the money counts, and the
          {returned === 1 ? ' result stays' : ' results stay'} as {returned === 1 ? 'it is' : 'they are'}.
        </p>
      )}
      {since && <p>Counts the newest 25,000 trades of this time, those placed since {formatDate(since)}.</p>}
      {archived && (
        <p>
          {archived.trades.toLocaleString('en-US')} trades before {archived.before} (UTC) are no longer listed and not
          included here. Their net result is {formatUsdSigned(archived.net)}.
        </p>
      )}
    </div>
  )
}
