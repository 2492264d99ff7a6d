import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import * as z from 'zod/mini'
import { confirmPassword, email, LENGTH, MESSAGE, newPassword, personName, phone } from '#contract/fields.ts'
import { CallError, call, isVisitor, openSuccessAlert, readUser, useIsGuest, useRequest } from '#web/api/index.ts'
import { Alert, Button, Checkbox, Field, MESSAGES, titled, useRules } from '#web/ui/index.ts'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'

export const meta = () => [{ title: titled('Create your account') }]

const Rules = z.object({
  firstname: personName(LENGTH.name, MESSAGE.required),
  lastname: personName(LENGTH.name, MESSAGE.required),
  email,
  phone,
  password: newPassword,
  confirmPassword,
})

const nothing = { firstname: '', lastname: '', email: '', phone: '', password: '', confirmPassword: '' }

/** Registration, the first of three steps. It returns the onboarding session that the next two need. */
export default function SignUp() {
  const { field, submit, setFocus, refuse } = useRules(Rules, nothing)
  const [agrees, setAgrees] = useState(false)
  // Prefilled by a link such as /auth/signup?ref=CODE.
  const [referralCode, setReferralCode] = useState((useSearchParams()[0].get('ref') ?? '').slice(0, 20))
  const [referralError, setReferralError] = useState<string>()
  const { loading, error, run, fail } = useRequest((message, cause) => {
    refuse(message, cause)
    const wrong = cause instanceof CallError && cause.errors.find(({ field }) => field === 'referral_code')
    setReferralError(wrong ? wrong.message : undefined)
  })
  const navigate = useNavigate()
  const isGuest = useIsGuest()

  const send = submit(async (values) => {
    if (values.password !== values.confirmPassword) {
      fail(MESSAGES.passwordMismatch)
      setFocus('confirmPassword')
      return
    }
    await run(async () => {
      const referral_code = referralCode.trim()
      const { session } = await call('POST /auth/register', {
        body: referral_code ? { ...values, referral_code } : values,
      })
      openSuccessAlert(MESSAGES.registered)
      // A guest has kept the account, and stays signed in to it.
      if (isGuest && !isVisitor()) {
        await readUser()
        return
      }
      await navigate(`/auth/complete-profile?session=${encodeURIComponent(session)}`)
    })
  })

  return (
    <Screen
      step={1}
      title={isGuest ? 'Keep this account' : 'Create your account'}
      intro={
        isGuest
          ? 'Add your e-mail and a password. You keep your demo balance and trades.'
          : 'Your demo account starts with $10,000.00, ready to trade.'
      }
      foot={
        <>
          <span>
            Already registered? <Link to="/auth/signin">Sign in</Link>
          </span>
          <a href="/">Back to the homepage</a>
        </>
      }
    >
      <form className={styles.form} noValidate onSubmit={send}>
        <Alert>{referralError ? undefined : error}</Alert>
        <div className={styles.pair}>
          <Field label="Firstname" autoComplete="given-name" {...field('firstname')} />
          <Field label="Lastname" autoComplete="family-name" {...field('lastname')} />
        </div>
        <Field label="Email" type="email" inputMode="email" autoComplete="email" {...field('email')} />
        <div className={styles.pair}>
          <Field label="Phone" type="tel" autoComplete="tel" {...field('phone')} />
          <Field
            label="Referral code"
            autoComplete="off"
            placeholder="Optional"
            maxLength={20}
            value={referralCode}
            error={referralError}
            onChange={(event) => {
              setReferralError(undefined)
              setReferralCode(event.target.value)
            }}
          />
        </div>
        <div className={styles.pair}>
          <Field label="Password" type="password" autoComplete="new-password" {...field('password')} />
          <Field label="Confirm password" type="password" autoComplete="new-password" {...field('confirmPassword')} />
        </div>
        <Checkbox checked={agrees} onChange={(event) => setAgrees(event.target.checked)}>
          I have read and accept the{' '}
          <a href="/legal" target="_blank" rel="noreferrer">
            terms of use
          </a>
        </Checkbox>
        <Button type="submit" size="large" wide disabled={!agrees} loading={loading}>
          Create account
        </Button>
      </form>
    </Screen>
  )
}
