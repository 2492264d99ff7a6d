import { Navigate, useNavigate, useSearchParams } from 'react-router'
import * as z from 'zod/mini'
import { COUNTRIES } from '#contract/account/countries.ts'
import { LENGTH, pastDay, place, text } from '#contract/fields.ts'
import { call, openSuccessAlert, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, formatDate, MESSAGES, Select, titled, useRules } from '#web/ui/index.ts'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'
import { genderRule } from './choices.ts'
import { SkipStep } from './skip-step.tsx'

export const meta = () => [{ title: titled('Complete your profile') }]

const Rules = z.object({
  gender: genderRule,
  date_of_birth: pastDay,
  address: place(LENGTH.address),
  city: place(LENGTH.place),
  state: place(LENGTH.place),
  country: text(LENGTH.place),
})

/** The second of three steps. Requires the onboarding session; without it, redirects to sign-in. */
export default function CompleteProfile() {
  const session = useSearchParams()[0].get('session')
  if (!session) return <Navigate to="/auth/signin" replace />
  return <ProfileForm session={session} />
}

const EMPTY = { date_of_birth: '', address: '', city: '', state: '', country: '' }

function ProfileForm({ session }: { session: string }) {
  const { field, submit, refuse } = useRules<z.infer<typeof Rules>>(Rules, EMPTY)
  const { loading, error, run } = useRequest(refuse)
  const navigate = useNavigate()

  const send = submit((values) =>
    run(async () => {
      await call('POST /auth/complete-profile', { body: { ...values, session } })
      openSuccessAlert(MESSAGES.profileSaved)
      await navigate(`/auth/user-identification?session=${encodeURIComponent(session)}`)
    }),
  )

  return (
    <Screen step={2} title="Complete your profile" intro="Enter your details exactly as they appear on your ID.">
      <form className={styles.form} noValidate onSubmit={send}>
        <Alert>{error}</Alert>
        <div className={styles.pair}>
          <Select label="Gender" autoComplete="sex" defaultValue="" {...field('gender')}>
            <option value="" disabled>
              Choose
            </option>
            <option value="male">Male</option>
            <option value="female">Female</option>
            <option value="others">Others</option>
          </Select>
          <Field
            label="Date of birth"
            type="date"
            min="1900-01-01"
            max={formatDate(Date.now())}
            autoComplete="bday"
            {...field('date_of_birth')}
          />
        </div>
        <Field label="Address" autoComplete="street-address" {...field('address')} />
        <div className={styles.pair}>
          <Field label="City" autoComplete="address-level2" {...field('city')} />
          <Field label="State" autoComplete="address-level1" {...field('state')} />
        </div>
        <Select label="Country" autoComplete="country-name" {...field('country')}>
          <option value="" disabled>
            Choose
          </option>
          {COUNTRIES.map(({ code, name }) => (
            <option key={code} value={name}>
              {name}
            </option>
          ))}
        </Select>
        <Button type="submit" size="large" wide loading={loading}>
          Save and continue
        </Button>
        <SkipStep session={session} />
      </form>
    </Screen>
  )
}
