import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import type { DeskComplaint } from '#contract/desk/people/complaints.ts'
import { LENGTH, text } from '#contract/fields.ts'
import { COMPLAINT_FINDINGS, type ComplaintFinding, type ComplaintTick, FINDINGS } from '#contract/terms.ts'
import { first } from '#kernel/must.ts'
import { messageOf } from '#web/client/index.ts'
import {
  Alert,
  Button,
  dollarsOf,
  Field,
  formatUsd,
  Select,
  Textarea,
  typedUsd,
  useRules,
  withAmount,
} from '#web/ui/index.ts'
import { call, OFTEN_MS, queryOf } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import pageStyles from '../../users/user-page.module.css'
import styles from './complaints.module.css'

const Rules = z.object({
  credit: typedUsd(0),
  reason: text(LENGTH.reason),
})

/** Proposes a ruling about a complaint; a second operator decides. First shows how much money a remedy would move. */
export function Ruling({ complaint }: { complaint: DeskComplaint }) {
  const [open, setOpen] = useState(false)
  if (complaint.status !== 'Open' || complaint.own) return null
  if (complaint.evidence === null)
    return <p className={styles.note}>You can propose a ruling once the records are checked, in about a minute.</p>
  if (!open) {
    return (
      <div className={pageStyles.links}>
        <Button onClick={() => setOpen(true)}>Propose a ruling</Button>
      </div>
    )
  }
  return <RulingForm complaint={complaint} onClose={() => setOpen(false)} />
}

function RulingForm({ complaint, onClose }: { complaint: DeskComplaint; onClose: () => void }) {
  const findings = COMPLAINT_FINDINGS.filter((name) => FINDINGS[name].items.includes(complaint.about))
  const [finding, setFinding] = useState<ComplaintFinding>(first(findings))
  const [tick, setTick] = useState<ComplaintTick | ''>('')
  const { field, submit, watch, refuse } = useRules(Rules, { credit: '0', reason: '' })
  const { loading, error, act } = useAction(refuse)
  const { upheld } = FINDINGS[finding]
  const isTrade = complaint.about === 'trade'
  const credits = upheld && !isTrade && (dollarsOf(watch('credit')) ?? 0) > 0
  const propose = submit(async ({ credit, reason }) => {
    const amount = upheld && !isTrade ? Number(credit) : 0
    const done = await act(async () => {
      const body = {
        finding,
        ...(upheld && isTrade && tick !== '' ? { tick } : {}),
        ...(amount > 0 ? { credit: amount } : {}),
        reason,
      }
      await call('POST /desk/complaints/:id/propose', { params: { id: complaint.id }, body })
      return 'Proposed. Another operator decides.'
    })
    if (done) onClose()
  })
  return (
    <form className={pageStyles.form} noValidate onSubmit={propose}>
      <Alert>{error}</Alert>
      <FindingSelect findings={findings} value={finding} onChange={setFinding} />
      {upheld && isTrade && complaint.ticks.length > 0 && (
        <TickSelect ticks={complaint.ticks} value={tick} onChange={setTick} />
      )}
      {upheld && isTrade && tick !== '' && <Preview id={complaint.id} tick={tick} />}
      {upheld && !isTrade && (
        <Field
          label="Credit"
          unit="$"
          hint="Added to the trader's balance as an adjustment. 0 for none."
          inputMode="decimal"
          autoComplete="off"
          {...field('credit')}
        />
      )}
      <Textarea label="Reason" hint="For the desk and the audit log only." maxLength={500} {...field('reason')} />
      <div className={pageStyles.links}>
        <Button type="submit" loading={loading}>
          {credits ? withAmount('Propose a credit of', watch('credit')) : 'Propose'}
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

interface FindingSelectProps {
  findings: readonly ComplaintFinding[]
  value: ComplaintFinding
  onChange: (finding: ComplaintFinding) => void
}

function FindingSelect({ findings, value, onChange }: FindingSelectProps) {
  return (
    <Select
      label="Ruling"
      hint="Published on the site in these words, without names."
      value={value}
      onChange={(event) => onChange(event.target.value as ComplaintFinding)}
    >
      {findings.map((one) => (
        <option key={one} value={one}>
          {`${FINDINGS[one].upheld ? 'Upheld' : 'Rejected'}: ${FINDINGS[one].says}`}
        </option>
      ))}
    </Select>
  )
}

interface TickSelectProps {
  ticks: readonly ComplaintTick[]
  value: ComplaintTick | ''
  onChange: (tick: ComplaintTick | '') => void
}

function TickSelect({ ticks, value, onChange }: TickSelectProps) {
  return (
    <Select
      label="Return stakes"
      hint="All traders who lost on the same price get their stake back. Winners keep their payout."
      value={value}
      onChange={(event) => onChange(event.target.value as ComplaintTick | '')}
    >
      <option value="">No</option>
      {ticks.map((one) => (
        <option key={one} value={one}>
          {`Yes, the ${one} price was wrong`}
        </option>
      ))}
    </Select>
  )
}

/** The cost of returning the stakes, counted again every few seconds, because open trades settle. */
function Preview({ id, tick }: { id: string; tick: ComplaintTick }) {
  const preview = useQuery({
    ...queryOf('GET /desk/complaints/:id/remedy', { params: { id }, query: { tick } }),
    retry: false,
    refetchInterval: OFTEN_MS,
  })
  return (
    <p className={styles.note} aria-live="polite">
      {preview.isPending
        ? 'Counting the trades on this price …'
        : preview.error
          ? messageOf(preview.error)
          : sizeOf(preview.data.data)}
    </p>
  )
}

function sizeOf({ trades, total, open }: { trades: number; total: number; open: number }): string {
  if (open === 1) return '1 open trade may still use this price. Wait until it settles.'
  if (open > 1) return `${open} open trades may still use this price. Wait until they settle.`
  if (trades === 0) return 'No trade lost money on this price.'
  return `${trades} ${trades === 1 ? 'trade' : 'trades'} lost on this price: ${formatUsd(total)} would be returned (real and demo).`
}
