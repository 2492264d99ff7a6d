import { useQuery } from '@tanstack/react-query'
import type { DeskFeeds } from '#contract/desk/markets/feeds.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Badge,
  Card,
  cx,
  formatDateTime,
  formatPrice,
  ListError,
  Page,
  SkeletonRows,
  SourceBadge,
} from '#web/ui/index.ts'
import { queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import styles from './feeds.module.css'
import { Venues } from './venues.tsx'

const LIVE_MS = 1_000
type Row = DeskFeeds['symbols'][number]

/** Feed health: one tile per symbol, which fades as its price ages. */
export default function Feeds() {
  const feeds = useQuery(queryOf('GET /desk/feeds', undefined, LIVE_MS))
  const problem = problemOf(feeds)
  const data = feeds.data?.data
  return (
    <Page title="Feeds" intro="Each tile is a symbol. The bar shows the age of its price, up to the limit.">
      <DeskTitle>Feeds</DeskTitle>
      {problem && <ListError {...problem} />}
      {feeds.isPending && !problem && <SkeletonRows rows={6} label="Loading the feeds" />}
      {data && (
        <>
          <p className={styles.health}>
            <SourceBadge source={data.source} />
            <Badge tone={data.health === '' ? 'up' : 'down'}>{data.health === '' ? 'Healthy' : data.health}</Badge>
            <Badge tone={data.clock_agrees ? 'up' : 'down'}>
              {data.clock_agrees ? 'Clocks in sync' : 'Clocks out of sync'}
            </Badge>
            <span>
              Frame {data.frame.n.toLocaleString('en-US')}, {formatDateTime(data.frame.time)}
            </span>
          </p>
          {data.note && <p>{data.note}</p>}
          <Venues venues={data.venues} />
          <ul className={styles.tiles}>
            {withPricesFirst(data.symbols).map((row) => (
              <Tile key={row.symbol} row={row} />
            ))}
          </ul>
          <Card title="Rejected quotes by reason">
            {Object.keys(data.refused).length === 0 ? (
              <p className={styles.quiet}>None since the start.</p>
            ) : (
              <ul className={styles.refused}>
                {Object.entries(data.refused).map(([reason, count]) => (
                  <li key={reason}>
                    <span>{reason}</span> <span>{count.toLocaleString('en-US')}</span>
                  </li>
                ))}
              </ul>
            )}
          </Card>
        </>
      )}
    </Page>
  )
}

/** There are many symbols that can't have a price, and they need no attention. */
const withPricesFirst = (rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => Number(a.status === 'unavailable') - Number(b.status === 'unavailable'))

function Tile({ row }: { row: Row }) {
  const seconds = row.age_ms === undefined ? undefined : row.age_ms / 1_000
  return (
    <li
      className={cx(styles.tile, row.status === 'stale' && styles.bad, row.status === 'unavailable' && styles.none)}
      title={row.reason}
    >
      <span className={styles.symbol}>{row.symbol}</span>
      <span className={styles.price}>{formatPrice(row.price)}</span>
      <meter
        className={styles.age}
        min={0}
        max={row.stale_after_ms}
        value={Math.min(row.age_ms ?? 0, row.stale_after_ms)}
        aria-label={`Age of the price of ${row.symbol}`}
      />
      <span className={styles.quiet}>
        {row.status === 'open' && seconds !== undefined ? `${seconds.toFixed(1)} s` : (row.reason ?? row.status)}
      </span>
    </li>
  )
}
