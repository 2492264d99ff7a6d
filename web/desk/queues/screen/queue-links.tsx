import { useEffect, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import type { INBOX_FILTERS } from '#contract/desk/inbox.ts'
import { QUEUES, type Queue, type QueueTerms } from '#contract/desk/terms.ts'
import { cx } from '#web/ui/index.ts'
import { sumOf, usePending, useRoles } from '../pending.ts'
import styles from './queue-links.module.css'
import { useKeys } from './use-keys.ts'

/** The keys of the first filters. */
const KEYS = 8

interface QueueLinksProps {
  /** The queues of the inbox, or those of the proposals. */
  work: QueueTerms['work']
  /** The filter that is shown: a queue, one of the inbox, or nothing for all. */
  here: Queue | Exclude<(typeof INBOX_FILTERS)[number], 'second'> | undefined
  /** How many items are overdue; undefined if it isn't known. */
  overdue?: number | undefined
}

/** The filters of the inbox or of the proposals: each queue that the operator sees, empty ones too. 1 to 8 choose one. */
export function QueueLinks({ work, here, overdue }: QueueLinksProps) {
  const pending = usePending()
  const roles = useRoles()
  const navigate = useNavigate()
  const queues = Object.entries<QueueTerms>(QUEUES)
    .filter(([, terms]) => terms.work === work && terms.sees.some((role) => roles.includes(role)))
    .map(([queue, { title }]) => ({
      is: queue,
      to: `/${queue}`,
      label: title,
      count: pending.find((row) => row.queue === queue)?.waiting,
    }))
  const links = [
    ...(work === 'claimed'
      ? [
          { is: undefined, to: '/', label: 'All', count: sumOf(pending, 'waiting') },
          { is: 'overdue', to: '/?show=overdue', label: 'Overdue', count: overdue },
          { is: 'mine', to: '/?show=mine', label: 'Mine', count: sumOf(pending, 'mine') },
        ]
      : [{ is: undefined, to: '/proposals', label: 'All', count: sumOf(pending, 'second') }]),
    ...queues,
  ]
  useKeys(Object.fromEntries(links.slice(0, KEYS).map(({ to }, place) => [String(place + 1), () => void navigate(to)])))
  const row = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is shown
  useEffect(() => showCurrent(row.current), [here])
  return (
    <nav ref={row} className={styles.links} aria-label="Filters">
      {links.map(({ is, to, label, count }, place) => (
        <Link
          key={to}
          to={to}
          className={cx(styles.link, !count && styles.none, is === here && styles.here)}
          aria-current={is === here ? 'page' : undefined}
          aria-keyshortcuts={place < KEYS ? String(place + 1) : undefined}
        >
          {label}
          {count !== undefined && count > 0 && <span>{count}</span>}
        </Link>
      ))}
    </nav>
  )
}

/** Scrolls the row of a phone to the filter that is shown. */
function showCurrent(row: HTMLElement | null): void {
  const current = row?.querySelector<HTMLElement>('[aria-current=page]')
  if (!row || !current) return
  const [box, link] = [row.getBoundingClientRect(), current.getBoundingClientRect()]
  row.scrollLeft += link.left - box.left - (box.width - link.width) / 2
}
