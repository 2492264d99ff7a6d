import { useState } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import * as z from 'zod/mini'
import { call, openSuccessAlert, useRequest } from '#web/api/index.ts'
import { Alert, Button, FILE_LIMIT, ImageField, MESSAGES, Select, titled, useRules } from '#web/ui/index.ts'
import { MethodOptions } from '../factors/method-options.tsx'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'
import { methodRule } from './choices.ts'
import { SkipStep } from './skip-step.tsx'

export const meta = () => [{ title: titled('Identification') }]

const Rules = z.object({ method: methodRule })

/** The third of three steps: a government ID. Submitting it ends the onboarding session. */
export default function UserIdentification() {
  const session = useSearchParams()[0].get('session')
  if (!session) return <Navigate to="/auth/signin" replace />
  return <IdentificationForm session={session} />
}

function IdentificationForm({ session }: { session: string }) {
  const { field, submit, formState, refuse } = useRules(Rules, {})
  const [file, setFile] = useState<File>()
  const { loading, error, run } = useRequest(refuse)
  const navigate = useNavigate()
  const isFileMissing = formState.isSubmitted && !file

  const send = submit(async ({ method }) => {
    if (!file) return
    await run(async () => {
      await call('POST /users/user-identification', { form: { method, session }, files: { id_file: file } })
      openSuccessAlert(MESSAGES.idSubmitted)
      await navigate('/auth/signin')
    })
  })

  return (
    <Screen
      step={3}
      title="Verify your identity"
      intro="Your ID protects your account. Only our compliance team sees it."
    >
      <form className={styles.form} noValidate onSubmit={send}>
        <Alert>{error}</Alert>
        <Select label="Method" defaultValue="" {...field('method')}>
          <MethodOptions />
        </Select>
        <ImageField
          label="File"
          error={isFileMissing ? MESSAGES.selectFile : undefined}
          hint="An image up to 5 MB, with all four corners visible."
          maxBytes={FILE_LIMIT.idFile}
          value={file}
          onChange={setFile}
        />
        <Button type="submit" size="large" wide loading={loading}>
          Submit
        </Button>
        <SkipStep session={session} />
      </form>
    </Screen>
  )
}
