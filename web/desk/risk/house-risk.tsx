import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import type { DeskBusiness } from '#contract/desk/money/business.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { LENGTH, text } from '#contract/fields.ts'
import { must } from '#kernel/must.ts'
import {
  Alert,
  Button,
  Card,
  Choices,
  dollarsOf,
  Fact,
  Field,
  formatDateTime,
  formatUsd,
  formatUsdSigned,
  Modal,
  readUsd,
  useRules,
  withAmount,
} from '#web/ui/index.ts'
import { queryOf, send } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import { useMay } from '../session.ts'
import styles from './exposure.module.css'
import { FiguresTable } from './figures-table.tsx'

const OFTEN_MS = 5_000
type Risk = NonNullable<DeskBusiness['risk']>

/** What the house owns, and what it can lose when one factor moves; admins propose movements of its capital. */
export function HouseRisk() {
  const business = useQuery(queryOf('GET /desk/business', { query: { days: '1' } }, OFTEN_MS))
  const [open, setOpen] = useState(false)
  const may = useMay(QUEUES['capital-moves'].acts)
  const risk = business.data?.data.risk
  if (!risk) return null
  return (
    <Card title="House risk" className={styles.risk}>
      <Warning risk={risk} />
      <dl className={styles.facts}>
        <Fact name={risk.play ? 'Play equity' : 'Equity'}>{formatUsd(risk.equity)}</Fact>
        <Fact name="May lose at most">{risk.bound === null ? 'Not limited' : formatUsd(risk.bound)}</Fact>
        <Fact name="Worst case">{formatUsdSigned(0 - risk.worst_loss)}</Fact>
        <Fact name="Counted">{formatDateTime(risk.counted_at)}</Fact>
      </dl>
      {risk.moves.length > 0 && <Moves moves={risk.moves} />}
      {may && (
        <p>
          <Button look="secondary" size="small" onClick={() => setOpen(true)}>
            Propose a movement of capital
          </Button>
        </p>
      )}
      <Modal open={open} onClose={() => setOpen(false)} title="House capital">
        <CapitalForm onDone={() => setOpen(false)} />
      </Modal>
    </Card>
  )
}

function Warning({ risk: { grace_until, equity, play } }: { risk: Risk }) {
  if (grace_until !== null)
    return (
      <Alert kind="warning">
        The house has no capital. Real trades are accepted until {formatDateTime(grace_until)}, then they are rejected.
        Two admins record its capital here.
      </Alert>
    )
  if (equity <= 0)
    return <Alert>The house has no equity, so real trades are rejected. Two admins record its capital here.</Alert>
  return play ? <Alert kind="info">The capital is play money, because this is a test installation.</Alert> : null
}

function Moves({ moves }: { moves: Risk['moves'] }) {
  return (
    <FiguresTable label="Loss by factor">
      <thead>
        <tr>
          <th scope="col">If it moves</th>
          <th scope="col">Down</th>
          <th scope="col">Up</th>
          <th scope="col">At most</th>
        </tr>
      </thead>
      <tbody>
        {moves.map(({ name, up, down, most }) => (
          <tr key={name}>
            <th scope="row">{name === 'COINS' ? 'Other coins' : name}</th>
            <td>{formatUsdSigned(0 - down)}</td>
            <td>{formatUsdSigned(0 - up)}</td>
            <td>{most === null ? '–' : formatUsd(most)}</td>
          </tr>
        ))}
      </tbody>
    </FiguresTable>
  )
}

const Rules = z.object({
  amount: text(20).check(({ value, issues }) => {
    const { amount, problem = 'must be more than 0' } = readUsd(value)
    if (amount === undefined || amount === 0n) issues.push({ code: 'custom', message: problem, input: value })
  }),
  reference: text(100),
  reason: text(LENGTH.reason),
})

function CapitalForm({ onDone }: { onDone: () => void }) {
  const [way, setWay] = useState<'in' | 'out'>('in')
  const { field, submit, watch, refuse } = useRules(Rules, { amount: '', reference: '', reason: '' })
  const { loading, error, act } = useAction(refuse)
  const propose = submit(async ({ amount, reference, reason }) => {
    const dollars = must(dollarsOf(amount)) * (way === 'out' ? -1 : 1)
    const done = await act(async () => {
      await send('POST /desk/capital-moves', { body: { amount: dollars, reference, reason } })
      return 'Proposed. Another admin decides.'
    })
    if (done) onDone()
  })
  return (
    <form noValidate onSubmit={propose} className={styles.form}>
      <Alert>{error}</Alert>
      <Choices
        label="Direction"
        value={way}
        onChange={setWay}
        options={[
          { value: 'in', label: 'Paid in' },
          { value: 'out', label: 'Taken out' },
        ]}
      />
      <Field label="Amount" unit="$" autoComplete="off" {...field('amount')} />
      <Field label="Reference of the payment" autoComplete="off" {...field('reference')} />
      <Field label="Reason" autoComplete="off" {...field('reason')} />
      <Button type="submit" loading={loading}>
        {withAmount(way === 'in' ? 'Propose to pay in' : 'Propose to take out', watch('amount'))}
      </Button>
    </form>
  )
}
