import { useState } from 'react'
import { Link } from 'react-router'
import type { Mode } from '#contract/terms.ts'
import { readFile, useMode, useRequest } from '#web/api/index.ts'
import { Alert, Button, Choices, Field, type FieldError, Modal, Select, saveFile } from '#web/ui/index.ts'
import { type Days, daysOf, PERIODS, type Period, problemOf } from './period.ts'
import styles from './statement-modal.module.css'

type Format = 'csv' | 'pdf'
const WORDS: Record<Period, string> = {
  'this-month': 'This month',
  'last-month': 'Last month',
  'this-year': 'This year',
  own: 'Custom dates',
}

/** Asks for account, period and format, and downloads the statement. */
export default function StatementModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Modal open={open} onClose={onClose} title="Download a statement" sheet>
      <StatementForm onDone={onClose} />
    </Modal>
  )
}

function StatementForm({ onDone }: { onDone: () => void }) {
  const mode = useMode()
  const [account, setAccount] = useState<Mode>(mode)
  const [period, setPeriod] = useState<Period>('this-month')
  const [own, setOwn] = useState<Days>(() => daysOf('own', new Date()))
  const [format, setFormat] = useState<Format>('pdf')
  const { loading, error, errorOf, run } = useRequest()
  const days = period === 'own' ? own : daysOf(period, new Date())
  const problem = problemOf(days)

  const download = () =>
    run(async () => {
      const query = new URLSearchParams({ mode: account, ...days, format })
      const name = `statement-${account === 'real' ? 'live' : 'demo'}-${days.from}-${days.to}.${format}`
      saveFile(await readFile(`/statement?${query}`), name)
      onDone()
    })

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!problem) void download()
      }}
    >
      <p className={styles.words}>Every movement in the period, with the balance after each.</p>
      <Alert>{error}</Alert>
      <Choices
        label="Account"
        value={account}
        onChange={setAccount}
        options={[
          { value: 'real', label: 'Live' },
          { value: 'demo', label: 'Demo' },
        ]}
      />
      <Select label="Period" value={period} onChange={(event) => setPeriod(event.target.value as Period)}>
        {PERIODS.map((one) => (
          <option key={one} value={one}>
            {WORDS[one]}
          </option>
        ))}
      </Select>
      {period === 'own' && (
        <OwnDays
          days={own}
          onChange={setOwn}
          errorOf={(field) => (problem?.field === field ? problem.message : errorOf(field))}
        />
      )}
      <Choices
        label="Format"
        value={format}
        onChange={setFormat}
        options={[
          { value: 'pdf', label: 'PDF' },
          { value: 'csv', label: 'CSV' },
        ]}
      />
      <p className={styles.days}>
        {problem ? 'Dates' : `${days.from} to ${days.to}`} in UTC. A movement near midnight may fall on a different day
        than in your lists.
      </p>
      <Button type="submit" size="large" wide loading={loading}>
        Download
      </Button>
      <p className={styles.days}>
        Is your money part of what we say we owe?{' '}
        <Link to="/user/solvency" onClick={onDone}>
          Proof of balances
        </Link>
      </p>
    </form>
  )
}

interface OwnDaysProps {
  days: Days
  onChange: (days: Days) => void
  errorOf: (field: keyof Days) => FieldError | undefined
}

function OwnDays({ days, onChange, errorOf }: OwnDaysProps) {
  return (
    <div className={styles.pair}>
      <Field
        label="First day"
        type="date"
        value={days.from}
        error={errorOf('from')}
        onChange={(event) => onChange({ ...days, from: event.target.value })}
      />
      <Field
        label="Last day"
        type="date"
        value={days.to}
        error={errorOf('to')}
        onChange={(event) => onChange({ ...days, to: event.target.value })}
      />
    </div>
  )
}
