import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { QUEUES } from '#contract/desk/terms.ts'
import { LENGTH } from '#contract/fields.ts'
import { Alert, Button, Card, formatDateTime, Textarea } from '#web/ui/index.ts'
import { call, OFTEN_MS, queryOf } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import { useMay } from '../../session.ts'
import styles from './settings.module.css'

/** The keys of receipts that sign nothing, because the key before hasn't signed them. Shown only while there is one. */
export function WaitingKeys() {
  const sees = useMay(QUEUES['proof-keys'].sees)
  const keys = useQuery({ ...queryOf('GET /desk/waiting-proof-keys', undefined, OFTEN_MS), enabled: sees })
  return keys.data?.data.map(({ key, since, proposal_id }) => (
    <Card key={key} title="Receipts wait for a key">
      <div className={styles.form}>
        <Alert>
          Since {formatDateTime(since)} an engine has a key that the one before hasn't signed: {key}. It signs nothing,
          so no settled trade gets a receipt.
        </Alert>
        <p>
          If the key before isn't lost, let it sign the new one on the engine's host:{' '}
          <code>npm run proof -- new-key</code>. Otherwise compare the key with the engine's log, and begin it. It's
          published as begun without a signature, with your reason.
        </p>
        {proposal_id ? <Link to={`/proof-keys/${proposal_id}`}>Open the proposal</Link> : <Begin keyId={key} />}
      </div>
    </Card>
  ))
}

function Begin({ keyId }: { keyId: string }) {
  const may = useMay(QUEUES['proof-keys'].acts)
  const [reason, setReason] = useState('')
  const { loading, error, errorOf, act } = useAction()
  if (!may) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void act(async () => {
      await call('POST /desk/proof-keys', { body: { key: keyId, reason: reason.trim() } })
      return 'Proposed. Another admin decides.'
    })
  }
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      <Alert>{error}</Alert>
      <Textarea
        label="Reason"
        error={errorOf('reason')}
        hint="Anyone who checks a receipt reads this."
        maxLength={LENGTH.reason}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div>
        <Button type="submit" loading={loading} disabled={reason.trim() === ''}>
          Propose to begin this key
        </Button>
      </div>
    </form>
  )
}
