import { useMutation } from '@tanstack/react-query'
import { ShieldCheck, ShieldX } from 'lucide-react'
import { useState } from 'react'
import type { DeskAuditRow } from '#contract/desk/office/audit.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { messageOf } from '#web/client/index.ts'
import { Alert, Button, CardLine, Fact, Facts, Field, formatDateTime, Modal } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { Filters } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useLater } from '../parts/use-later.ts'
import { useMay } from '../session.ts'
import styles from './audit.module.css'

/** Operators' actions: append-only, each row chained to the previous one by its hash. */
export default function Audit() {
  const [typed, setTyped] = useState({ action: '', item_id: '', user: '' })
  const filter = useLater(typed, 250)
  const [chosen, setChosen] = useState<DeskAuditRow>()
  const mayVerify = useMay(PAGES.audit.verifies)
  const type = (field: keyof typeof typed) => (event: { target: { value: string } }) =>
    setTyped({ ...typed, [field]: event.target.value })
  return (
    <ListPage<DeskAuditRow>
      title="Audit log"
      intro="Who did what, when and why. Each row is chained to the previous one, so any change is detected."
      of="record"
      path="/desk/audit"
      filter={filter}
      filters={
        <Filters>
          <Field label="Action" placeholder="approve" value={typed.action} onChange={type('action')} />
          <Field label="Item" value={typed.item_id} onChange={type('item_id')} />
          <Field label="User number" inputMode="numeric" value={typed.user} onChange={type('user')} />
        </Filters>
      }
      read={(query, signal) => call('GET /desk/audit', { query, signal })}
      keyOf={(row) => row.id}
      columns={[
        { head: 'No.', kind: 'quiet', cell: (row) => row.id },
        { head: 'When', cell: (row) => formatDateTime(row.at) },
        { head: 'Who', kind: 'name', cell: (row) => row.operator },
        { head: 'What', cell: (row) => row.action },
        { head: 'On', cell: (row) => `${row.item_kind} ${row.item_id}` },
        { head: 'Why', cell: (row) => <span className={styles.why}>{row.why}</span> },
        { head: 'Hash', kind: 'quiet', cell: (row) => <code>{row.hash.slice(0, 10)}</code> },
      ]}
      card={(row) => (
        <>
          <CardLine>
            <span>
              {row.action}, {row.item_kind} {row.item_id}
            </span>
            <span>{row.id}</span>
          </CardLine>
          <CardLine quiet>
            <span>{row.operator}</span>
            <span>{formatDateTime(row.at)}</span>
          </CardLine>
        </>
      )}
      onOpen={setChosen}
      openLabel={(row) => `Details of record ${row.id}`}
    >
      {mayVerify && <VerifyChain />}
      <Modal open={chosen !== undefined} onClose={() => setChosen(undefined)} title={`Record ${chosen?.id ?? ''}`} wide>
        {chosen && <Record row={chosen} />}
      </Modal>
    </ListPage>
  )
}

function VerifyChain() {
  const verify = useMutation({ mutationFn: () => call('GET /desk/audit/verify') })
  const result = verify.data?.data
  return (
    <div className={styles.verify}>
      <Button look="secondary" loading={verify.isPending} onClick={() => verify.mutate()}>
        Verify the chain
      </Button>
      <p role="status" className={styles.verdict}>
        {result?.ok && (
          <>
            <ShieldCheck className={styles.good} aria-hidden /> {result.rows.toLocaleString('en-US')} records verified.
            Head <code>{result.head.slice(0, 16)}</code>
          </>
        )}
        {result && !result.ok && (
          <>
            <ShieldX className={styles.bad} aria-hidden /> {result.broken}
          </>
        )}
      </p>
      <Alert>{verify.isError ? messageOf(verify.error) : undefined}</Alert>
    </div>
  )
}

function Record({ row }: { row: DeskAuditRow }) {
  return (
    <>
      <Facts>
        <Fact name="When">{formatDateTime(row.at)}</Fact>
        <Fact name="Who">{row.operator}</Fact>
        <Fact name="What">
          {row.action}, {row.item_kind} {row.item_id}
        </Fact>
        <Fact name="Why">{row.why || '–'}</Fact>
        <Fact name="Hash">
          <code className={styles.hash}>{row.hash}</code>
        </Fact>
      </Facts>
      <div className={styles.sides}>
        <Side name="Before" value={row.before} />
        <Side name="After" value={row.after} />
      </div>
    </>
  )
}

function Side({ name, value }: { name: string; value: unknown }) {
  return (
    <section aria-label={name}>
      <h3 className={styles.sideName}>{name}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <pre className={styles.json} tabIndex={0}>
        {value === null || value === undefined ? '–' : JSON.stringify(value, null, 2)}
      </pre>
    </section>
  )
}
