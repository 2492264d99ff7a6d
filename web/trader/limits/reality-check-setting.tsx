import type { PendingChange } from '#contract/account/guardrails.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Card, Choices, toast } from '#web/ui/index.ts'
import styles from './limits.module.css'
import { PendingLine } from './pending-line.tsx'
import { showGuardrails } from './use-guardrails.ts'
import { formatMinutes, REALITY_CHECKS } from './words.ts'

interface RealityCheckSettingProps {
  minutes: number | null
  pending: PendingChange | undefined
}

/** How often the trader is shown their time, trades and result. */
export function RealityCheckSetting({ minutes, pending }: RealityCheckSettingProps) {
  const { loading, run } = useRequest((message) => toast.error(message))
  const set = (chosen: number) =>
    run(async () => {
      const { data } = await call('PUT /guardrails/reality-check', { body: { minutes: chosen === 0 ? null : chosen } })
      showGuardrails(data)
      toast.success(data.check_pending ? 'You can confirm this in 24 hours.' : 'Your reality check is set.')
    })
  return (
    <Card title="Reality check" className={styles.wide}>
      <div className={styles.body}>
        <p className={styles.note}>
          Shows how long you have been here, your trades and their result. You confirm it before your next trade with
          real money. More often applies at once; less often takes 24 hours.
        </p>
        <Choices
          label="Remind me every"
          value={minutes ?? 0}
          disabled={loading}
          options={REALITY_CHECKS}
          className={styles.minutes}
          onChange={(chosen) => void set(chosen)}
        />
        {pending && (
          <PendingLine
            pending={pending}
            text={pending.to === null ? 'No reality checks' : `Every ${formatMinutes(pending.to)}`}
          />
        )}
      </div>
    </Card>
  )
}
