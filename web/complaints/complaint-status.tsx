import { Check, Clock3, Gavel, X } from 'lucide-react'
import { type ComplaintStatus, REASON_WORDS } from '#contract/terms.ts'
import type { Complaint } from '#contract/trading/complaints.ts'
import { Steps } from '#web/receipts/index.ts'
import { Badge, Fact, Facts, formatDate, formatDateTime, formatUsd } from '#web/ui/index.ts'
import styles from './complaints.module.css'
import { rulingText } from './words.ts'

const STATUS = {
  Open: { icon: Clock3, tone: 'accent', words: 'Open' },
  Proposed: { icon: Gavel, tone: 'accent', words: 'Being decided' },
  Rejected: { icon: X, tone: 'neutral', words: 'Rejected' },
  Upheld: { icon: Check, tone: 'up', words: 'Upheld' },
} as const

/** The status of a complaint, with its icon. */
export function ComplaintBadge({ status }: { status: ComplaintStatus }) {
  const { icon: Icon, tone, words } = STATUS[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {words}
    </Badge>
  )
}

/** Who is working on a complaint and by when, or the decision and the returned money. */
export function ComplaintFacts({ complaint }: { complaint: Complaint }) {
  const { held_by, due_by, ruling, remedy, reason, createdAt, text } = complaint
  return (
    <>
      {ruling && <p className={styles.ruling}>{rulingText(ruling)}</p>}
      <Facts>
        <Fact name="Reported">{formatDateTime(createdAt)}</Fact>
        <Fact name="Reason">{REASON_WORDS[reason]}</Fact>
        {text !== '' && (
          <Fact name="Your words">
            <span className={styles.text}>{text}</span>
          </Fact>
        )}
        {held_by && <Fact name="Handled by">{held_by}</Fact>}
        {held_by && <Fact name="Decision due">{formatDate(due_by)}</Fact>}
        {ruling && <Fact name="Decided">{formatDateTime(ruling.decided_at)}</Fact>}
        {remedy !== undefined && (
          <Fact name="Returned to you">
            <strong className={styles.returned}>{formatUsd(remedy)}</strong>
          </Fact>
        )}
      </Facts>
    </>
  )
}

/** The server's checks, step by step. */
export function ComplaintEvidence({ complaint: { evidence, status } }: { complaint: Complaint }) {
  if (!evidence)
    return status === 'Open' ? (
      <p className={styles.note}>We're checking the records again. It takes about a minute.</p>
    ) : null
  const steps = evidence.steps.map(({ name, ok, says }) => ({ step: name, title: name, ok, says }))
  return (
    <details className={styles.evidence}>
      <summary>
        {evidence.verified
          ? `The records were checked again: all ${steps.length} checks passed`
          : 'The records were checked again: a check failed'}
      </summary>
      <Steps steps={steps} titles={{}} />
      <div className={styles.facts}>
        <Facts>
          {evidence.facts.map(({ label, value }) => (
            <Fact key={label} name={label}>
              {value}
            </Fact>
          ))}
        </Facts>
      </div>
    </details>
  )
}
