import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fingerprint, Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { SecondFactor as Factors, Passkey } from '#contract/account/second-factor.ts'
import { call, problemOf, queryOf, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Badge, Button, formatDateTime, ListError, Modal, SkeletonRows, toast } from '#web/ui/index.ts'
import { AddPasskey } from './add-passkey.tsx'
import { AddTotp } from './add-totp.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import styles from './second-factor.module.css'

const FACTORS = queryOf('GET /auth/2fa')

type Step = 'totp' | 'passkey' | { codes: string[] } | undefined

/** The account's second factors: lists them, and adds, replaces and removes them. */
export function SecondFactor() {
  const factors = useQuery(FACTORS)
  const client = useQueryClient()
  const { email_verified } = useUser()
  const [step, setStep] = useState<Step>()
  const { loading, run } = useRequest(toast.error)
  const reread = () => client.invalidateQueries({ queryKey: FACTORS.queryKey })

  const remove = (request: () => Promise<{ message: string }>) =>
    void run(async () => {
      toast.success((await request()).message)
      await reread()
    })
  const renewCodes = () =>
    void run(async () => {
      const { data } = await call('POST /auth/2fa/recovery-codes')
      setStep({ codes: data.recovery_codes })
      await reread()
    })
  /** The first factor comes with recovery codes, which are shown once. */
  function added(codes: string[]) {
    setStep(codes.length > 0 ? { codes } : undefined)
    void reread()
  }

  const problem = problemOf(factors)
  if (!factors.data) {
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={2} label="Loading your second factors" />
  }
  const { totp, passkeys, on, recovery_codes_left, reset } = factors.data.data
  return (
    <>
      {reset && (
        <ResetNotice
          takesEffectAt={reset.takes_effect_at}
          loading={loading}
          onStop={() => remove(() => call('DELETE /auth/2fa/reset'))}
        />
      )}
      {!email_verified && (
        <Alert kind="info">Confirm your e-mail address first. Choose Send Link to get the e-mail again.</Alert>
      )}
      <p className={styles.intro}>{words(factors.data.data)}</p>
      <ul className={styles.list}>
        <TotpRow
          isOn={Boolean(totp)}
          busy={loading}
          canAdd={email_verified}
          onAdd={() => setStep('totp')}
          onRemove={() => remove(() => call('DELETE /auth/2fa/totp'))}
        />
        {passkeys.map((passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            busy={loading}
            onRemove={() => remove(() => call('DELETE /auth/2fa/passkeys/:id', { params: { id: passkey.id } }))}
          />
        ))}
        <AddPasskeyRow disabled={loading || !email_verified} onAdd={() => setStep('passkey')} />
      </ul>
      {on && (
        <p className={styles.codes}>
          <span>
            {recovery_codes_left} recovery {recovery_codes_left === 1 ? 'code' : 'codes'} left, in case you lose both.
          </span>
          <Button look="quiet" size="small" loading={loading} onClick={renewCodes}>
            Create new codes
          </Button>
        </p>
      )}
      <Dialogs step={step} onAdded={added} onClose={() => setStep(undefined)} />
    </>
  )
}

const words = ({ on }: Factors): string =>
  on
    ? 'We ask for one of these when you sign in, withdraw or change your password.'
    : 'With a second factor a stolen password is not enough. Signing in, withdrawing and changing your password will ask for it.'

function PasskeyRow({ passkey, busy, onRemove }: { passkey: Passkey; busy: boolean; onRemove: () => void }) {
  return (
    <li className={styles.row}>
      <Fingerprint className={styles.icon} aria-hidden />
      <div className={styles.words}>
        <p className={styles.name}>
          {passkey.name} <Badge tone="up">On</Badge>
        </p>
        <p className={styles.detail}>
          Added {formatDateTime(passkey.created_at)}
          {passkey.last_used_at && `, last used ${formatDateTime(passkey.last_used_at)}`}
        </p>
      </div>
      <div className={styles.acts}>
        <Button
          look="quiet"
          size="small"
          disabled={busy}
          aria-label={`Remove the passkey ${passkey.name}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
    </li>
  )
}

interface ResetNoticeProps {
  takesEffectAt: string
  loading: boolean
  onStop: () => void
}

function ResetNotice({ takesEffectAt, loading, onStop }: ResetNoticeProps) {
  return (
    <div className={styles.reset}>
      <Alert kind="warning">
        Our support team will remove your second factor on {formatDateTime(takesEffectAt)} because someone requested it.
        If it wasn't you, stop it and change your password.
      </Alert>
      <Button look="danger" size="small" loading={loading} onClick={onStop}>
        Stop the removal
      </Button>
    </div>
  )
}

interface TotpRowProps {
  isOn: boolean
  busy: boolean
  canAdd: boolean
  onAdd: () => void
  onRemove: () => void
}

function TotpRow({ isOn, busy, canAdd, onAdd, onRemove }: TotpRowProps) {
  return (
    <li className={styles.row}>
      <Smartphone className={styles.icon} aria-hidden />
      <div className={styles.words}>
        <p className={styles.name}>Authenticator app {isOn && <Badge tone="up">On</Badge>}</p>
        <p className={styles.detail}>A 6-digit code that changes every 30 seconds.</p>
      </div>
      <div className={styles.acts}>
        <Button look="secondary" size="small" disabled={busy || !canAdd} onClick={onAdd}>
          {isOn ? 'Replace' : 'Set up'}
        </Button>
        {isOn && (
          <Button
            look="quiet"
            size="small"
            disabled={busy}
            aria-label="Remove the authenticator app"
            onClick={onRemove}
          >
            Remove
          </Button>
        )}
      </div>
    </li>
  )
}

function AddPasskeyRow({ disabled, onAdd }: { disabled: boolean; onAdd: () => void }) {
  return (
    <li className={styles.row}>
      <Fingerprint className={styles.icon} aria-hidden />
      <div className={styles.words}>
        <p className={styles.name}>Passkey</p>
        <p className={styles.detail}>Your fingerprint, face or a security key. Nothing to type.</p>
      </div>
      <div className={styles.acts}>
        <Button look="secondary" size="small" disabled={disabled} onClick={onAdd}>
          Add a passkey
        </Button>
      </div>
    </li>
  )
}

interface DialogsProps {
  step: Step
  onAdded: (codes: string[]) => void
  onClose: () => void
}

function Dialogs({ step, onAdded, onClose }: DialogsProps) {
  return (
    <>
      <Modal open={step === 'totp'} onClose={onClose} title="Set up an authenticator app">
        <AddTotp onAdded={onAdded} />
      </Modal>
      <Modal open={step === 'passkey'} onClose={onClose} title="Add a passkey">
        <AddPasskey onAdded={onAdded} />
      </Modal>
      <Modal open={typeof step === 'object'} onClose={onClose} title="Your recovery codes">
        {typeof step === 'object' && <RecoveryCodes codes={step.codes} onDone={onClose} />}
      </Modal>
    </>
  )
}
