import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskExposure } from '#contract/desk/markets/exposure.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { Card, cx, formatUsd, formatUsdSigned } from '#web/ui/index.ts'
import { queryOf } from '../api.ts'
import { useMay } from '../session.ts'
import styles from './aside.module.css'
import { useBooks } from './books.tsx'
import { businessQuery, type Days, worstCase } from './business.tsx'

const EVERY_MS = 5_000
/** The symbols with the largest worst case. */
const SHOWN = 5

/** Open stakes and their worst case, and those of the symbols that could cost most. Each row opens its trades. */
export function OpenExposure({ days }: { days: Days }) {
  const sees = useMay(PAGES.exposure.sees)
  const business = useQuery(businessQuery(days)).data?.data
  const exposure = useQuery({
    ...queryOf('GET /desk/exposure', { query: { mode: 'real' } }, EVERY_MS),
    enabled: sees,
  })
  const books = useBooks()
  if (!business || books === 'loading') return null
  if (books === 'differ')
    return (
      <Card title="Open exposure">
        <p className={styles.figure}>
          <strong>checking</strong>
        </p>
        <p className={styles.note}>The books differ. Amounts appear again once they balance.</p>
      </Card>
    )
  const open = `${business.open.trades} open`
  const rows = (exposure.data?.data ?? []).toSorted((a, b) => a.house_worst - b.house_worst).slice(0, SHOWN)
  const largest = Math.max(1, ...rows.map(({ buy, sell }) => buy.stake + sell.stake))
  return (
    <Card title="Open exposure">
      <p className={styles.figure}>
        <strong>{formatUsd(business.open.stake)}</strong>
        {sees ? <Link to="/exposure">{open}</Link> : <span>{open}</span>}
      </p>
      <p className={styles.note}>{worstCase(business)}</p>
      {rows.length > 0 && (
        <>
          <ul className={styles.rows}>
            {rows.map((row) => (
              <SymbolRow key={row.symbol} row={row} largest={largest} />
            ))}
          </ul>
          <p className={styles.note}>Buy and Sell stakes, and the result if all ended on the worse side.</p>
        </>
      )}
    </Card>
  )
}

function SymbolRow({ row: { symbol, buy, sell, house_worst }, largest }: { row: DeskExposure; largest: number }) {
  const sees = useMay(PAGES.trades.sees)
  const width = (stake: number) => ({ inlineSize: `${(100 * stake) / largest}%` })
  return (
    <li className={styles.row}>
      {sees ? <Link to={`/trades?status=Pending&mode=real&symbol=${symbol}`}>{symbol}</Link> : <span>{symbol}</span>}
      <span className={styles.bar} title={`Buy ${formatUsd(buy.stake)}, Sell ${formatUsd(sell.stake)}`} aria-hidden>
        <span className={cx(styles.part, styles.buy)} style={width(buy.stake)} />
        <span className={cx(styles.part, styles.sell)} style={width(sell.stake)} />
      </span>
      <span>{formatUsdSigned(house_worst)}</span>
    </li>
  )
}
