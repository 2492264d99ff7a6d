import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import * as z from 'zod/mini'
import type { AddressVerification as AddressRecord, Verification as Check } from '#contract/account/kyc.ts'
import { call, problemOf, queryOf, usePrivateFile, useRequest, useUser } from '#web/api/index.ts'
import {
  Alert,
  Badge,
  Button,
  FILE_LIMIT,
  ImageField,
  ListError,
  MESSAGES,
  Select,
  SkeletonRows,
  toast,
  useRules,
} from '#web/ui/index.ts'
import { MethodOptions } from './factors/method-options.tsx'
import styles from './screen.module.css'
import { ADDRESS_METHOD_LABELS, addressMethodRule, METHOD_LABELS, methodRule } from './sign-up/choices.ts'
import own from './verification.module.css'

const CHECK = queryOf('GET /profile/user-verification')
const ADDRESS = queryOf('GET /profile/address-verification')
const Rules = z.object({ method: methodRule })
const AddressRules = z.object({ method: addressMethodRule })
const TONE = { Pending: 'warn', Approved: 'up', Rejected: 'down' } as const
const NEXT = {
  Pending: "We're reviewing your ID. You can keep trading.",
  Approved: "Your identity is verified. You're all set.",
  Rejected: 'Please upload another photo below.',
} as const

const REOPENED = "You changed your profile after we approved your ID. Withdrawals are on hold until we've confirmed it."
const ADDRESS_NEXT = {
  Pending: "We're reviewing your document. You can keep trading.",
  Approved: 'Your address is verified.',
  Rejected: 'Please upload another document.',
} as const

/** The identity check: its state, and the upload while there is none or it was rejected. */
export function Verification() {
  const check = useQuery(CHECK)
  const user = useUser()
  const problem = problemOf(check)
  if (!check.data) {
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={4} label="Loading your verification" />
  }
  const record = check.data.data
  return (
    <div className={own.parts}>
      {!user.date_of_birth && (
        <Alert kind="warning">
          We compare your ID with your profile, but your profile is incomplete.{' '}
          <Link to="/user/edit-profile">Complete your profile</Link>
        </Alert>
      )}
      {record && (
        <Status
          method={METHOD_LABELS[record.method]}
          record={record}
          path={record.id_file_url}
          what="Your ID"
          next={record.reopened ? REOPENED : NEXT[record.status]}
        />
      )}
      {(!record || record.status === 'Rejected') && <Upload />}
    </div>
  )
}

/** The proof of address: its state, and the upload while there is none or it was rejected. */
export function AddressVerification() {
  const check = useQuery(ADDRESS)
  const client = useQueryClient()
  const problem = problemOf(check)
  if (!check.data) {
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={2} label="Loading your proof of address" />
  }
  const record = check.data.data
  return (
    <div className={own.parts}>
      {record && (
        <Status
          method={ADDRESS_METHOD_LABELS[record.method]}
          record={record}
          path={record.file_url}
          what="Your proof of address"
          next={ADDRESS_NEXT[record.status]}
        />
      )}
      {(!record || record.status === 'Rejected') && (
        <DocumentForm
          labels={{ method: 'Document', file: 'Photo of the document', submit: 'Upload proof' }}
          rules={AddressRules}
          options={ADDRESS_METHOD_LABELS}
          hint="Your name and address must be readable, and the document no more than three months old. 5 MB maximum."
          send={async ({ method }, file) => {
            const { message } = await call('POST /profile/address-verification', { form: { method }, files: { file } })
            await client.invalidateQueries({ queryKey: ADDRESS.queryKey })
            return message
          }}
        />
      )}
    </div>
  )
}

interface StatusProps {
  method: string
  record: Pick<Check | AddressRecord, 'status' | 'reason'>
  path: string
  /** What the picture shows. */
  what: string
  next: string
}

function Status({ method, record, path, what, next }: StatusProps) {
  return (
    <div className={own.status}>
      <div className={own.words}>
        <p className={own.line}>
          <span>{method}</span>
          <Badge tone={TONE[record.status]}>{record.status}</Badge>
        </p>
        {record.reason && <Alert kind="warning">{record.reason}</Alert>}
        <p className={own.next}>{next}</p>
      </div>
      <Picture path={path} what={what} />
    </div>
  )
}

/** The uploaded image. Empty if it can't be loaded: the status next to it is what counts. */
function Picture({ path, what }: { path: string; what: string }) {
  const { url } = usePrivateFile(path)
  return <div className={own.picture}>{url && <img src={url} alt={what} />}</div>
}

function Upload() {
  const client = useQueryClient()
  return (
    <DocumentForm
      labels={{ method: 'Method', file: 'File', submit: 'Submit' }}
      rules={Rules}
      options={METHOD_LABELS}
      hint="An image up to 5 MB, with all four corners visible."
      send={async ({ method }, file) => {
        const { message } = await call('POST /profile/user-verification', {
          form: { method },
          files: { id_file: file },
        })
        await client.invalidateQueries({ queryKey: CHECK.queryKey })
        return message
      }}
    />
  )
}

interface DocumentFormProps<M extends string> {
  /** Two of these forms share a screen: each names its fields and its button. */
  labels: { method: string; file: string; submit: string }
  rules: z.ZodMiniType<{ method: M }, { method: M }>
  options: Record<M, string>
  hint: string
  /** Uploads it; answers the server's message. */
  send: (values: { method: M }, file: File) => Promise<string>
}

/** Asks what kind of document it is, and for its picture. */
function DocumentForm<M extends string>({ labels, rules, options, hint, send: upload }: DocumentFormProps<M>) {
  const { field, submit, formState, refuse } = useRules(rules as unknown as typeof Rules, {})
  const [file, setFile] = useState<File>()
  const [isTooLarge, setTooLarge] = useState(false)
  const { loading, error, run } = useRequest(refuse)
  const isFileMissing = formState.isSubmitted && !file

  const send = submit(async (values) => {
    if (!file) return
    await run(async () => {
      toast.success(await upload(values as unknown as { method: M }, file))
    })
  })

  return (
    <form className={styles.form} noValidate onSubmit={send}>
      <Alert>{isTooLarge ? MESSAGES.fileTooLarge : error}</Alert>
      <Select label={labels.method} defaultValue="" {...field('method')}>
        <MethodOptions labels={options} />
      </Select>
      <ImageField
        label={labels.file}
        error={isFileMissing ? MESSAGES.selectFile : undefined}
        hint={hint}
        maxBytes={FILE_LIMIT.idFile}
        value={file}
        onChange={(chosen) => {
          setTooLarge(false)
          setFile(chosen)
        }}
        onTooLarge={() => setTooLarge(true)}
      />
      <div>
        <Button type="submit" loading={loading}>
          {labels.submit}
        </Button>
      </div>
    </form>
  )
}
