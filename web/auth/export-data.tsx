import { useState } from 'react'
import * as z from 'zod/mini'
import { password } from '#contract/fields.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, Modal, saveFile, toast, useRules } from '#web/ui/index.ts'
import styles from './screen.module.css'

const Rules = z.object({ password })

/** Downloads everything that is stored about the trader. */
export function ExportData() {
  const [asks, setAsks] = useState(false)
  return (
    <div className={styles.form}>
      <p>
        One file with your profile, trades, movements of money, deposits, withdrawals, messages, settings and sessions,
        for a spreadsheet or another service. Passwords and other secrets aren't in it. A statement as PDF is under
        Statement.
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
  const ask = submit((body) =>
    run(async () => {
      const text = await call('POST /users/export', { body })
      saveFile(
        new Blob([text], { type: 'application/json' }),
        `account-data-${new Date().toISOString().slice(0, 10)}.json`,
      )
      toast.success('Your data is downloaded.')
      onDone()
    }),
  )
  return (
    <form className={styles.form} noValidate onSubmit={ask}>
      <p>The file shows all your money and messages, so keep it where nobody else finds it.</p>
      <Alert>{error}</Alert>
      <Field label="Password" type="password" autoComplete="current-password" autoFocus {...field('password')} />
      <Button type="submit" size="large" wide loading={loading}>
        Download
      </Button>
    </form>
  )
}
