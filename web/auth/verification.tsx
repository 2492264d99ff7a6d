import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import type { Verification as Check } from '#contract/kyc.ts'
import { call, problemOf, queryOf, usePrivateFile, useRequest } from '#web/api/index.ts'
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
import { METHOD_LABELS, methodRule } from './choices.ts'
import { MethodOptions } from './method-options.tsx'
import styles from './screen.module.css'
import own from './verification.module.css'

const CHECK = queryOf('GET /profile/user-verification')
const Rules = z.object({ method: methodRule })
const TONE = { Pending: 'warn', Approved: 'up', Rejected: 'down' } as const
const NEXT = {
  Pending: 'We are looking at it. You can trade meanwhile.',
  Approved: 'Your identity is confirmed. There is nothing more to do.',
  Rejected: 'Please hand in another picture below.',
} as const

/** The identity check: its state, and the upload while there is none or it was rejected. */
export function Verification() {
  const check = useQuery(CHECK)
  const problem = problemOf(check)
  if (!check.data) {
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={4} label="Reading your verification" />
  }
  const record = check.data.data
  return (
    <div className={own.parts}>
      {record && <Status record={record} />}
      {(!record || record.status === 'Rejected') && <Upload />}
    </div>
  )
}

function Status({ record }: { record: Check }) {
  return (
    <div className={own.status}>
      <div className={own.words}>
        <p className={own.line}>
          <span>{METHOD_LABELS[record.method]}</span>
          <Badge tone={TONE[record.status]}>{record.status}</Badge>
        </p>
        {record.reason && <Alert kind="warning">{record.reason}</Alert>}
        <p className={own.next}>{NEXT[record.status]}</p>
      </div>
      <Picture path={record.id_file_url} />
    </div>
  )
}

/** The picture that was handed in. Where it cannot be read its place stays empty: the status beside it is what counts. */
function Picture({ path }: { path: string }) {
  const { url } = usePrivateFile(path)
  return <div className={own.picture}>{url && <img src={url} alt="The ID that you handed in" />}</div>
}

function Upload() {
  const { field, submit, formState } = useRules(Rules, {})
  const [file, setFile] = useState<File>()
  const [isTooLarge, setTooLarge] = useState(false)
  const client = useQueryClient()
  const { loading, error, run } = useRequest()
  const isFileMissing = formState.isSubmitted && !file

  const send = submit(async ({ method }) => {
    if (!file) return
    await run(async () => {
      const { message } = await call('POST /profile/user-verification', { form: { method }, files: { id_file: file } })
      toast.success(message)
      await client.invalidateQueries({ queryKey: CHECK.queryKey })
    })
  })

  return (
    <form className={styles.form} noValidate onSubmit={send}>
      <Alert>{isTooLarge ? MESSAGES.fileTooLarge : error}</Alert>
      <Select label="Method" defaultValue="" {...field('method')}>
        <MethodOptions />
      </Select>
      <ImageField
        label="File"
        error={isFileMissing ? MESSAGES.selectFile : undefined}
        hint="An image of up to 5 MB, with all four corners in it."
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
          Submit
        </Button>
      </div>
    </form>
  )
}
