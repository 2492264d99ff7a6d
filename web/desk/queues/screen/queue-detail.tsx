import { ArrowLeft, Flag } from 'lucide-react'
import { QUEUES, type Queue, type QueueTerms } from '#contract/desk/terms.ts'
import { Badge, Button } from '#web/ui/index.ts'
import { waited, whyNot } from './item.ts'
import { ItemActions } from './item-actions.tsx'
import styles from './queue.module.css'
import { setClaim } from './queue-calls.ts'
import type { QueueScreenProps, Shown } from './queue-terms.ts'

type DetailProps<Q extends Queue> = QueueScreenProps<Q> & {
  item: Shown<Q>
  may: boolean
  me: string | undefined
  since: string | undefined
  now: number
  onBack: () => void
}

/** The selected item with its actions. */
export function QueueDetail<Q extends Queue>(props: DetailProps<Q>) {
  const { queue, item, since, now, may, me, onBack } = props
  const { title, work, open: openStatuses }: QueueTerms = QUEUES[queue]
  const open = openStatuses.includes(item.status)
  const mine = item.claimed_by?.mine ?? false
  return (
    <>
      <div className={styles.detailHead}>
        <Button className={styles.back} look="quiet" size="small" onClick={onBack}>
          <ArrowLeft aria-hidden /> All {title.toLowerCase()}
        </Button>
        <Badge tone={open ? 'accent' : 'neutral'}>{item.status}</Badge>
        {since !== undefined && <span className={styles.wait}>waiting {waited(since, now)}</span>}
        {mine && <Badge tone="accent">Claimed by you</Badge>}
      </div>
      {item.flags.length > 0 && (
        <ul className={styles.flags}>
          {item.flags.map((flag) => (
            <li key={flag}>
              <Flag aria-hidden /> {flag}
            </li>
          ))}
        </ul>
      )}
      {props.detail(item, may)}
      <ItemActions
        actions={props.actions(item, me)}
        blocked={(may && open ? props.blocked?.(item, me) : undefined) ?? whyNot(item, { may, open })}
        {...(open && may && !item.own && work === 'claimed'
          ? { claim: () => setClaim(queue, mine ? 'release' : 'claim', item.id), claimed: mine }
          : {})}
      />
    </>
  )
}
