import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskOverview } from '#contract/desk/overview.ts'
import { problemOf } from '#web/client/index.ts'
import { Badge, cx, formatUsd, ListError, Page, SkeletonRows, SourceBadge } from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useNow } from '../parts/use-now.ts'
import { waited } from '../queues/screen/item.ts'
import { useSession } from '../session.ts'
import { PLACES, type Place } from './places.ts'
import styles from './start.module.css'

/** A queue whose oldest item is older than this is shown as late. */
const LATE_MS = 86_400_000

/** The work queue: number of items, oldest item, and the money in total. */
export function Start() {
  const overview = useQuery(queryOf('GET /desk/overview', undefined, OFTEN_MS))
  const now = useNow(30_000)
  const roles = useSession((state) => state.operator?.roles ?? [])
  const places = PLACES.flatMap((group) => group.places).filter(
    ({ queue, roles: needed }) => queue && (!needed || needed.some((role) => roles.includes(role))),
  )
  const problem = problemOf(overview)
  const data = overview.data?.data
  return (
    <Page title="Work queue" intro="Items that need an operator, with the age of the oldest in each queue.">
      <DeskTitle>Start</DeskTitle>
      {problem && <ListError {...problem} />}
      {overview.isPending && !problem && <SkeletonRows rows={4} label="Loading the work queue" />}
      {data && (
        <>
          <ul className={styles.tiles}>
            {places.map((place) => (
              <Tile
                key={place.path}
                place={place}
                waiting={data.queues.find((one) => one.queue === place.queue)}
                now={now}
              />
            ))}
          </ul>
          <dl className={styles.figures}>
            <Figure
              name="Open trades, real"
              value={`${data.open_trades.real}`}
              more={formatUsd(data.open_trades.real_stake)}
            />
            <Figure
              name="Open trades, demo"
              value={`${data.open_trades.demo}`}
              more={formatUsd(data.open_trades.demo_stake)}
            />
            <Figure name="Users" value={data.users.toLocaleString('en-US')} />
            <div className={styles.figure}>
              <dt>Prices</dt>
              <dd>
                <SourceBadge source={data.feeds.source} />{' '}
                {data.feeds.health === '' ? (
                  <Badge tone="up">Healthy</Badge>
                ) : (
                  <Badge tone="down">{data.feeds.health}</Badge>
                )}
                {data.feeds.stale > 0 && <Badge tone="warn">{data.feeds.stale} stale</Badge>}
              </dd>
            </div>
          </dl>
        </>
      )}
    </Page>
  )
}

function Tile({
  place,
  waiting,
  now,
}: {
  place: Place
  waiting: DeskOverview['queues'][number] | undefined
  now: number
}) {
  const count = waiting?.waiting ?? 0
  const late = waiting?.oldest_at ? now - Date.parse(waiting.oldest_at) > LATE_MS : false
  const { icon: Icon } = place
  return (
    <li>
      <Link to={place.path} className={cx(styles.tile, count === 0 && styles.idle)}>
        <span className={styles.tileHead}>
          <Icon aria-hidden /> {place.name}
        </span>
        <span className={styles.big}>{count}</span>
        <span className={styles.small}>
          {count === 0 || !waiting ? (
            'Nothing pending'
          ) : (
            <>
              {waiting.oldest_at && (
                <span className={late ? styles.late : undefined}>oldest {waited(waiting.oldest_at, now)}</span>
              )}
              {waiting.amount > 0 && <span>{formatUsd(waiting.amount)} in total</span>}
              <span>
                {waiting.unclaimed} unclaimed{waiting.mine > 0 && `, ${waiting.mine} yours`}
              </span>
            </>
          )}
        </span>
      </Link>
    </li>
  )
}

function Figure({ name, value, more }: { name: string; value: string; more?: string }) {
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd>
        <span className={styles.value}>{value}</span> {more && <span className={styles.more}>{more}</span>}
      </dd>
    </div>
  )
}
