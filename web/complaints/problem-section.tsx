import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { LENGTH } from '#contract/fields.ts'
import { type ComplaintItem, type ComplaintReason, REASON_WORDS, REASONS_OF } from '#contract/terms.ts'
import type { ItemComplaint } from '#contract/trading/complaints.ts'
import { call, problemOf, queryClient, queryOf, useRequest } from '#web/api/index.ts'
import { Alert, Button, Choices, formatUsd, ListError, Textarea, toast } from '#web/ui/index.ts'
import { ComplaintBadge, ComplaintEvidence, ComplaintFacts } from './complaint-status.tsx'
import styles from './complaints.module.css'

/** How often a complaint is reloaded while its records are being checked. */
const CHECKING_MS = 5_000

/** The complaint about an item, the money returned for it, and the form to report a problem. */
export default function ProblemSection({
  item,
  itemId,
  isOpen,
}: {
  item: ComplaintItem
  itemId: string
  isOpen: boolean
}) {
  const query = useQuery({
    ...queryOf('GET /complaints/of', { query: { item, item_id: itemId } }),
    enabled: isOpen,
    refetchInterval: ({ state }) => (isChecking(state.data?.data) ? CHECKING_MS : false),
  })
  const problem = problemOf(query)
  const about = query.data?.data
  if (!about) return <div className={styles.section}>{problem && <ListError {...problem} />}</div>
  const { complaint, refused, remedy } = about
  return (
    <div className={styles.section}>
      {complaint ? (
        <>
          <div className={styles.head}>
            <h3 className={styles.title}>You reported a problem</h3>
            <ComplaintBadge status={complaint.status} />
          </div>
          <ComplaintFacts complaint={complaint} />
          <ComplaintEvidence complaint={complaint} />
          <p className={styles.note}>
            <Link to="/user/complaints">All your complaints</Link>
          </p>
        </>
      ) : (
        remedy !== undefined && (
          <p className={styles.ruling} role="status">
            A price that decided this trade was ruled wrong, so the {formatUsd(remedy)} that you lost was returned. The
            result stays as it is.
          </p>
        )
      )}
      {(!complaint || complaint.ruling) && refused === null && <Form item={item} itemId={itemId} again={!!complaint} />}
      {refused !== null && !complaint && <p className={styles.note}>{refused}</p>}
    </div>
  )
}

const isChecking = (about: ItemComplaint | undefined): boolean =>
  about?.complaint?.status === 'Open' && about.complaint.evidence === null

function Form({ item, itemId, again }: { item: ComplaintItem; itemId: string; again: boolean }) {
  const [isAsked, setAsked] = useState(false)
  const [reason, setReason] = useState<ComplaintReason>(REASONS_OF[item][0])
  const [text, setText] = useState('')
  const { loading, error, errorOf, run } = useRequest()
  if (!isAsked) {
    return (
      <div>
        <Button look="secondary" wide onClick={() => setAsked(true)}>
          {again ? 'Report a problem again' : 'Report a problem'}
        </Button>
      </div>
    )
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    return run(async () => {
      const { data } = await call('POST /complaints', { body: { item, item_id: itemId, reason, text } })
      queryClient.setQueryData(queryOf('GET /complaints/of', { query: { item, item_id: itemId } }).queryKey, {
        status: true as const,
        data: { complaint: data, refused: null },
      })
      void queryClient.invalidateQueries({ queryKey: ['GET /complaints'] })
      toast.success('Reported. Two operators decide.')
    })
  }
  return (
    <form className={styles.form} onSubmit={(event) => void send(event)}>
      <Alert>{error}</Alert>
      <Choices
        label="What is wrong?"
        className={styles.reasons}
        value={reason}
        onChange={setReason}
        options={REASONS_OF[item].map((value) => ({ value, label: REASON_WORDS[value] }))}
      />
      <Textarea
        label="Anything to add? (optional)"
        error={errorOf('text')}
        hint="We attach the records and check them again by ourselves."
        rows={2}
        maxLength={LENGTH.reason}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={styles.buttons}>
        <Button type="submit" loading={loading}>
          Send
        </Button>
        <Button look="secondary" disabled={loading} onClick={() => setAsked(false)}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
