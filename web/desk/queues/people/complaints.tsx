import { CircleCheck, CircleX } from 'lucide-react'
import type { DeskComplaint, DeskRuling } from '#contract/desk/people/complaints.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { FINDINGS, REASON_WORDS } from '#contract/terms.ts'
import { CopyText, Fact, Facts, formatDateTime, formatUsd } from '#web/ui/index.ts'
import { call, send } from '../../api.ts'
import { PersonFact } from '../../parts/person-fact.tsx'
import { type Action, approval, personOf } from '../screen/item.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'
import { SecondOperator } from '../screen/second-operator.tsx'
import styles from './complaints.module.css'
import { Ruling } from './ruling.tsx'

/** Complaints of traders: the evidence, then a ruling that one operator proposes and another decides. */
export default function Complaints() {
  return (
    <QueueScreen
      queue="complaints"
      line={(item) => ({
        words: `${REASON_WORDS[item.complaint]}${item.status === 'Proposed' ? ', ruling proposed' : ''}`,
        figure: item.about,
      })}
      detail={(item, may) => (
        <>
          <Facts>
            <PersonFact {...item} />
            <Fact name="About">
              {item.about} <CopyText text={item.about_id} what={`number of the ${item.about}`} />
            </Fact>
            <Fact name="Complaint">{REASON_WORDS[item.complaint]}</Fact>
            {item.text !== '' && <Fact name="In their words">{item.text}</Fact>}
            <Fact name="Filed">{formatDateTime(item.created_at)}</Fact>
            <Fact name="Due by">{formatDateTime(item.due_by)}</Fact>
          </Facts>
          <Evidence {...item} />
          {item.status === 'Proposed' && item.ruling && (
            <SecondOperator roles={QUEUES.complaints.acts} by={item.ruling.proposed_by.operator_id} />
          )}
          {item.ruling && <RulingFacts ruling={item.ruling} status={item.status} />}
          {may && <Ruling key={`${item.id} ${item.status}`} complaint={item} />}
        </>
      )}
      actions={actionsOf}
    />
  )
}

function actionsOf(item: DeskComplaint, me: string | undefined): Action[] {
  const params = { id: item.id }
  if (item.status !== 'Proposed' || !item.ruling) return []
  const isProposer = item.ruling.proposed_by.operator_id === me
  return [
    ...(isProposer
      ? []
      : [
          approval(`the ruling for ${personOf(item)}`, async () => {
            await send('POST /desk/complaints/:id/approve', { params })
            return 'Approved and published.'
          }),
        ]),
    {
      key: 'b',
      label: isProposer ? 'Withdraw my proposal' : 'Send back',
      asks: { label: 'Reason', kind: 'long', hint: 'For the desk. The complaint is open again.' },
      run: async (reason) => {
        await call('POST /desk/complaints/:id/send-back', { params, body: { reason } })
        return 'Sent back. The complaint is open again.'
      },
    },
  ]
}

/** What the server attached when the complaint was filed, and whether it verified. */
function Evidence({ evidence }: Pick<DeskComplaint, 'evidence'>) {
  if (!evidence) return <p className={styles.note}>The records are being checked. It takes about a minute.</p>
  return (
    <section className={styles.evidence} aria-label="Evidence">
      <h2>{evidence.verified ? 'The records are correct' : "The records aren't correct"}</h2>
      <ul className={styles.steps}>
        {evidence.steps.map((step) => (
          <li key={step.name}>
            {step.ok ? (
              <CircleCheck className={styles.ok} aria-label="Verified" />
            ) : (
              <CircleX className={styles.failed} aria-label="Failed" />
            )}
            <span>
              <strong>{step.name}.</strong> {step.says}
            </span>
          </li>
        ))}
      </ul>
      <Facts>
        {evidence.facts.map(({ label, value }) => (
          <Fact key={label} name={label}>
            {value}
          </Fact>
        ))}
      </Facts>
    </section>
  )
}

function RulingFacts({ ruling, status }: { ruling: DeskRuling; status: DeskComplaint['status'] }) {
  const { finding, tick, credit } = ruling
  return (
    <section className={styles.evidence} aria-label="Ruling">
      <h2>
        {status === 'Proposed' ? 'Proposed ruling' : ruling.decision_reason === undefined ? 'Ruling' : 'Sent back'}
      </h2>
      <Facts>
        <Fact name="Ruling">
          {FINDINGS[finding].upheld ? 'Upheld' : 'Rejected'}: {FINDINGS[finding].says}
        </Fact>
        {tick && (
          <Fact name="Returns">
            {`${formatUsd(tick.total)} to ${tick.trades} ${tick.trades === 1 ? 'trade' : 'trades'} that lost on the ${tick.of} price (real and demo)`}
          </Fact>
        )}
        {credit !== null && <Fact name="Credits">{formatUsd(credit)}</Fact>}
        <Fact name="Reason">{ruling.reason}</Fact>
        <Fact name="Proposed by">{`${ruling.proposed_by.email}, ${formatDateTime(ruling.proposed_at)}`}</Fact>
        {ruling.decided_by && ruling.decided_at && (
          <Fact name={ruling.decision_reason === undefined ? 'Approved by' : 'Sent back by'}>
            {`${ruling.decided_by.email}, ${formatDateTime(ruling.decided_at)}`}
          </Fact>
        )}
        {ruling.decision_reason && <Fact name="Why">{ruling.decision_reason}</Fact>}
      </Facts>
    </section>
  )
}
