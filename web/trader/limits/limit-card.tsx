import { useState } from 'react'
import type { Guarded, GuardLimit } from '#contract/account/guardrails.ts'
import { Button, Card, formatUsd } from '#web/ui/index.ts'
import { EditLimit } from './edit-limit.tsx'
import styles from './limits.module.css'
import { PendingLine } from './pending-line.tsx'
import { amountText, countedOf, HEADINGS, PERIOD_WORDS, utcDay } from './words.ts'

interface LimitCardProps {
  guarded: Guarded
  limits: readonly GuardLimit[]
  openStakes: number
}

/** The limits of one kind: a bar for each period, and what is left. */
export function LimitCard({ guarded, limits, openStakes }: LimitCardProps) {
  const [editing, setEditing] = useState<GuardLimit>()
  const { title, text } = HEADINGS[guarded]
  return (
    <Card title={title}>
      <div className={styles.body}>
        <p className={styles.note}>{text}</p>
        <ul className={styles.limits}>
          {limits.map((limit) => (
            <li key={limit.period} className={styles.limit}>
              <div className={styles.line}>
                <h3 className={styles.period}>{PERIOD_WORDS[limit.period].title}</h3>
                {limit.max === null && <p className={styles.unlimited}>{unlimited(guarded, limit)}</p>}
                <Button
                  look="quiet"
                  size="small"
                  aria-label={`${limit.max === null ? 'Set' : 'Change'} the ${PERIOD_WORDS[limit.period].adjective} ${HEADINGS[guarded].noun}`}
                  onClick={() => setEditing(limit)}
                >
                  {limit.max === null ? 'Set' : 'Change'}
                </Button>
              </div>
              <Use guarded={guarded} limit={limit} />
              {limit.pending && (
                <PendingLine
                  pending={limit.pending}
                  text={limit.pending.to === null ? 'No limit' : amountText(guarded, limit.pending.to)}
                />
              )}
            </li>
          ))}
        </ul>
        {guarded === 'losses' && openStakes > 0 && (
          <p className={styles.small}>{formatUsd(openStakes)} is in open trades, and counts until they settle.</p>
        )}
      </div>
      <EditLimit limit={editing} onClose={() => setEditing(undefined)} />
    </Card>
  )
}

function Use({ guarded, limit }: { guarded: Guarded; limit: GuardLimit }) {
  const { max, left, resets_at } = limit
  const counted = countedOf(limit)
  if (max === null || left === null) return null
  return (
    <>
      <p className={styles.figures}>
        <span>
          {amountText(guarded, counted)} <span className={styles.quiet}>of {amountText(guarded, max)}</span>
        </span>
        <span className={left <= 0 ? styles.usedUp : styles.quiet}>
          {left <= 0 ? 'Used up' : `${amountText(guarded, left)} left`}
        </span>
      </p>
      <progress
        className={left <= 0 ? styles.full : styles.bar}
        max={max}
        value={Math.min(counted, max)}
        aria-label={`${PERIOD_WORDS[limit.period].title}: ${amountText(guarded, counted)} of ${amountText(guarded, max)}`}
      />
      <p className={styles.small}>Resets on {utcDay(resets_at)}, 00:00 UTC</p>
    </>
  )
}

/** The amount used in a period without a limit. */
const unlimited = (guarded: Guarded, { used }: GuardLimit): string =>
  guarded === 'losses' && used < 0 ? `${formatUsd(-used)} won` : `${amountText(guarded, Math.max(0, used))}, no limit`
