import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { DeskReconciliation } from '#contract/desk/money/reconciliation.ts'
import { PAGES, QUEUES } from '#contract/desk/terms.ts'
import { LENGTH } from '#contract/fields.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Alert,
  Badge,
  Button,
  Card,
  formatDateTime,
  formatUsd,
  ListError,
  Page,
  SkeletonRows,
  Textarea,
} from '#web/ui/index.ts'
import { call, OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useAction } from '../parts/use-action.ts'
import { useMay } from '../session.ts'
import styles from './reconciliation.module.css'

type Halt = NonNullable<DeskReconciliation['halt']>

/** Whether ledger, lists and holds agree, the rows that don't, and how payouts resume. */
export default function Reconciliation() {
  const reconciliation = useQuery(queryOf('GET /desk/reconciliation', undefined, OFTEN_MS))
  const problem = problemOf(reconciliation)
  const data = reconciliation.data?.data
  return (
    <Page
      title="Reconciliation"
      intro="Within five minutes of any change, the engine compares ledger, lists and holds. If one cent differs, it halts payouts. Trades settle as usual."
    >
      <DeskTitle>Reconciliation</DeskTitle>
      {problem && <ListError {...problem} />}
      {reconciliation.isPending && !problem && <SkeletonRows rows={3} label="Loading the reconciliation" />}
      {data && (
        <>
          <p className={styles.state}>
            {data.halt ? <Badge tone="down">Payouts halted</Badge> : <Badge tone="up">Payouts run</Badge>}
            <span>{lastWords(data.last)}</span>
          </p>
          {data.halt && <HaltCard halt={data.halt} />}
          <Card title="Owed to traders" className={styles.card}>
            <Statement statement={data.statement} />
          </Card>
        </>
      )}
    </Page>
  )
}

function Statement({ statement }: { statement: DeskReconciliation['statement'] }) {
  const may = useMay(PAGES.reconciliation.acts)
  const { loading, error, act } = useAction()
  const request = () => act(async () => (await call('POST /desk/solvency')).message)
  return (
    <>
      {statement ? (
        <p className={styles.state}>
          <span>
            Statement {statement.number} of {formatDateTime(statement.time)}: {formatUsd(Number(statement.total))} to{' '}
            {statement.accounts === 1 ? '1 trader' : `${statement.accounts.toLocaleString('en-US')} traders`}.
          </span>
        </p>
      ) : (
        <p>The first statement is made once a trader is owed something.</p>
      )}
      <Alert>{error}</Alert>
      {may && (
        <p>
          <Button look="secondary" loading={loading} onClick={() => void request()}>
            Make a statement now
          </Button>
        </p>
      )}
    </>
  )
}

function lastWords(last: DeskReconciliation['last']): string {
  if (!last) return 'The first comparison follows within five minutes of the start.'
  const found = last.differences === 0 ? 'no difference' : `${last.differences} broken invariants`
  return `Last compared ${formatDateTime(last.finished_at)}: ${found} (${(last.took_ms / 1_000).toFixed(1)} s). Nothing is compared again until something changes.`
}

function HaltCard({ halt }: { halt: Halt }) {
  return (
    <>
      <Card title={halt.clean_at ? 'What differed' : 'What differs'} className={styles.card}>
        <p>
          Payouts have been halted since {formatDateTime(halt.started_at)}.{' '}
          {halt.clean_at
            ? `The books have agreed again since ${formatDateTime(halt.clean_at)}.`
            : `Last found ${formatDateTime(halt.found_at)}. Correct the rows below; the next comparison checks them.`}
        </p>
        <ul className={styles.differences}>
          {halt.differences.map(({ name, says, rows }) => (
            <li key={says} className={styles.difference}>
              <span>
                <Badge tone={halt.clean_at ? 'neutral' : 'down'}>{name}</Badge> Broken: {says}
              </span>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
              <ul className={styles.rows} tabIndex={0} aria-label={`Rows that break ${name}`}>
                {rows.map((row) => (
                  <li key={row}>{row}</li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Resume payouts" className={styles.card}>
        <Resume halt={halt} />
      </Card>
    </>
  )
}

function Resume({ halt }: { halt: Halt }) {
  const may = useMay(QUEUES['payout-resumptions'].acts)
  if (halt.resumption)
    return (
      <p>
        {halt.resumption.proposed_by} proposed to resume payouts.{' '}
        <Link to={`/payout-resumptions/${halt.resumption.id}`}>Open the proposal</Link>
      </p>
    )
  if (!halt.clean_at) return <p>Two finance operators can resume payouts once the books agree again.</p>
  return may ? <ResumeForm /> : <p>Two finance operators can resume payouts now.</p>
}

function ResumeForm() {
  const [typed, setTyped] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const reason = typed.trim()

  function submit(event: FormEvent) {
    event.preventDefault()
    void act(async () => {
      await call('POST /desk/payout-resumptions', { body: { reason } })
      return 'Proposed. Another finance operator decides.'
    })
  }

  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      <Alert>{error}</Alert>
      <Textarea
        label="What was wrong, and how it was corrected"
        error={errorOf('reason')}
        hint="The operator who decides sees this. It stays in the audit log."
        maxLength={LENGTH.reason}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit" loading={loading} disabled={reason === ''}>
        Propose to resume payouts
      </Button>
    </form>
  )
}
