import type { PendingChange } from '#contract/account/guardrails.ts'
import { call, tapeNow, useRequest, useTapeSecond } from '#web/api/index.ts'
import { Button, toast } from '#web/ui/index.ts'
import styles from './limits.module.css'
import { showGuardrails } from './use-guardrails.ts'
import { utcTime } from './words.ts'

/** A looser limit that waits: from when it can be confirmed, then until when. */
export function PendingLine({ pending, text }: { pending: PendingChange; text: string }) {
  useTapeSecond()
  const isDue = Date.parse(pending.due_at) <= tapeNow()
  const { loading, run } = useRequest((message) => toast.error(message))
  const answer = (how: 'confirm' | 'cancel') =>
    run(async () => {
      const { message, data } = await call(`POST /guardrails/changes/:id/${how}`, { params: { id: pending.id } })
      showGuardrails(data)
      toast.success(message ?? '')
    })
  return (
    <div className={styles.pending}>
      <p>
        <strong>{text}</strong>{' '}
        {isDue
          ? `waits for your confirmation until ${utcTime(pending.expires_at)}.`
          : `can be confirmed from ${utcTime(pending.due_at)}.`}
      </p>
      <div className={styles.buttons}>
        {isDue && (
          <Button look="secondary" size="small" loading={loading} onClick={() => void answer('confirm')}>
            Confirm
          </Button>
        )}
        <Button look="quiet" size="small" loading={loading} onClick={() => void answer('cancel')}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
