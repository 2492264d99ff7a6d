import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { PAGES } from '#contract/desk/terms.ts'
import { problemOf } from '#web/client/index.ts'
import { Badge, ListError, Page, SkeletonRows, SourceBadge } from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useMay } from '../session.ts'
import { Books } from './books.tsx'
import { Business, type Days, Period } from './business.tsx'
import { Inbox } from './inbox.tsx'
import { OpenExposure } from './open-exposure.tsx'
import { PayoutClock } from './payout-clock.tsx'
import { Search } from './search.tsx'
import styles from './start.module.css'
import { ThirtyDays } from './thirty-days.tsx'

/** Pending work, and how prices are. */
export function Start() {
  const overview = useQuery(queryOf('GET /desk/overview', undefined, OFTEN_MS))
  const [days, setDays] = useState<Days>('1')
  const show = useSearchParams()[0].get('show')
  const only = show === 'overdue' || show === 'mine' ? show : undefined
  const seesBusiness = useMay(PAGES.business.sees)
  const problem = problemOf(overview)
  const data = overview.data?.data
  return (
    <div className={styles.page}>
      <Page
        title="Start"
        actions={
          <div className={styles.head}>
            <Books />
            {data && (
              <p className={styles.feeds}>
                <SourceBadge source={data.feeds.source} />
                {data.feeds.health === '' ? (
                  <Badge tone="up">Prices healthy</Badge>
                ) : (
                  <Badge tone="down">{data.feeds.health}</Badge>
                )}
                {data.feeds.stale > 0 && <Badge tone="warn">{data.feeds.stale} stale</Badge>}
              </p>
            )}
            <Search />
            {seesBusiness && <Period days={days} onDays={setDays} />}
          </div>
        }
      >
        <DeskTitle>Start</DeskTitle>
        {problem && <ListError {...problem} />}
        {overview.isPending && !problem && <SkeletonRows rows={4} label="Loading the start page" />}
        {seesBusiness && <Business days={days} />}
        <div className={styles.work}>
          <Inbox only={only} />
          {seesBusiness && (
            <div className={styles.aside}>
              <ThirtyDays />
              <OpenExposure days={days} />
              <PayoutClock days={days} />
            </div>
          )}
        </div>
      </Page>
    </div>
  )
}
