import { useState } from 'react'
import * as z from 'zod/mini'
import { password } from '#contract/fields.ts'
import { callForFile, useRequest } from '#web/api/index.ts'
import { Alert, Button, Choices, Field, Modal, saveFile, toast, useRules } from '#web/ui/index.ts'
import styles from './screen.module.css'

const Rules = z.object({ password })

/** Downloads everything that is stored about the trader. */
export function ExportData() {
  const [asks, setAsks] = useState(false)
  return (
    <div className={styles.form}>
      <p>
        One file with your profile, trades, movements of money, deposits, withdrawals, messages, settings and sessions:
        as PDF to read, or as JSON for another service. Passwords and other secrets aren't in it.
      </p>
      <div>
        <Button look="secondary" onClick={() => setAsks(true)}>
          Download my data
        </Button>
      </div>
      <Modal open={asks} onClose={() => setAsks(false)} title="Download my data">
        <AskForm onDone={() => setAsks(false)} />
      </Modal>
    </div>
  )
}

function AskForm({ onDone }: { onDone: () => void }) {
  const { field, submit, refuse } = useRules(Rules, { password: '' })
  const { loading, error, run } = useRequest(refuse)
  const [format, setFormat] = useState<'pdf' | 'json'>('pdf')
  const ask = submit((body) =>
    run(async () => {
      const file = await callForFile('POST /users/export', { body: { ...body, format } })
      saveFile(file, `account-data-${new Date().toISOString().slice(0, 10)}.${format}`)
      toast.success('Your data is downloaded.')
      onDone()
    }),
  )
  return (
    <form className={styles.form} noValidate onSubmit={ask}>
      <p>The file shows all your money and messages, so keep it where nobody else finds it.</p>
      <Alert>{error}</Alert>
      <Choices
        label="Format"
        value={format}
        onChange={setFormat}
        options={[
          { value: 'pdf', label: 'PDF' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      <Field label="Password" type="password" autoComplete="current-password" autoFocus {...field('password')} />
      <Button type="submit" size="large" wide loading={loading}>
        Download
      </Button>
    </form>
  )
}
