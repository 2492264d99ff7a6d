import { type Block, GUARDED, type Guardrails } from '#contract/account/guardrails.ts'
import { call, problemOf, useRequest, useUserMessages } from '#web/api/index.ts'
import { Alert, Button, ListError, SkeletonRows, toast } from '#web/ui/index.ts'
import { Breaks } from './breaks.tsx'
import { LimitCard } from './limit-card.tsx'
import styles from './limits.module.css'
import { RealityCheckSetting } from './reality-check-setting.tsx'
import { readGuardrails, showGuardrails, useGuardrails } from './use-guardrails.ts'
import { utcTime } from './words.ts'

/** The trader's own limits, how much of each is used, and the ways to take a break. */
export function Limits() {
  useUserMessages((message) => {
    if (message.op === 'trade' || message.op === 'deposit') readGuardrails()
  })
  const query = useGuardrails()
  const problem = problemOf(query)
  if (problem && !query.data) return <ListError {...problem} message="We couldn't load your limits." />
  if (!query.data) return <SkeletonRows rows={12} label="Loading your limits" />
  return <Loaded guardrails={query.data.data} />
}

function Loaded({ guardrails }: { guardrails: Guardrails }) {
  return (
    <>
      {guardrails.block && <BlockState block={guardrails.block} />}
      <p className={styles.note}>
        Limits count real money only. Days, weeks and months are calendar periods in UTC, whatever your time zone, and
        weeks begin on Monday. A tighter limit applies at once; a looser one takes 24 hours and your confirmation.
      </p>
      <div className={styles.cards}>
        {GUARDED.map((guarded) => (
          <LimitCard
            key={guarded}
            guarded={guarded}
            limits={guardrails.limits.filter((limit) => limit.guarded === guarded)}
            openStakes={guardrails.open_stakes}
          />
        ))}
        <RealityCheckSetting minutes={guardrails.check_minutes} pending={guardrails.check_pending} />
        <Breaks block={guardrails.block} />
      </div>
    </>
  )
}

/** The time-out or self-exclusion in force, and how to return once it's over. */
function BlockState({ block }: { block: Block }) {
  const { loading, run } = useRequest((message) => toast.error(message))
  const comeBack = () =>
    run(async () => {
      const { message, data } = await call('POST /guardrails/return')
      showGuardrails(data)
      toast.success(message ?? '')
    })
  return (
    <Alert kind="info">
      <div className={styles.block}>
        <p>
          <strong>{headline(block)}</strong>{' '}
          {block.carried_over && 'It started on another account of yours. If that account is not yours, contact us. '}
          Meanwhile you can't deposit, buy a plan or place trades with real money. Open trades settle, and you can
          withdraw your balance.
        </p>
        {block.can_return && (
          <div>
            <p>It's over. To trade again, ask to return. It takes 24 hours.</p>
            <Button look="secondary" loading={loading} onClick={() => void comeBack()}>
              Ask to return
            </Button>
          </div>
        )}
      </div>
    </Alert>
  )
}

function headline({ kind, until, return_at, can_return }: Block): string {
  if (return_at !== undefined) return `You asked to return. Your self-exclusion ends on ${utcTime(return_at)}.`
  if (until === null) return 'You excluded yourself permanently.'
  if (kind === 'time_out') return `You're on a time-out until ${utcTime(until)}.`
  return can_return
    ? 'Your self-exclusion is still in force.'
    : `You excluded yourself until at least ${utcTime(until)}.`
}
