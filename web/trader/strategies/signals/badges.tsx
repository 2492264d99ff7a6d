import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import { Badge, formatDate } from '#web/ui/index.ts'
import styles from './signals.module.css'

/** Where a strategy's signals come from, and whether they are recorded. */
export function SignalBadges({ strategy: { kind, signals_on } }: { strategy: OwnStrategy }) {
  return (
    <>
      {kind === 'webhook' && <Badge>From outside</Badge>}{' '}
      {signals_on ? <Badge tone="accent">Signals on</Badge> : <Badge>Signals off</Badge>}
    </>
  )
}

/** Under which name everyone sees a strategy, or saw it. */
export function Published({ strategy: { published } }: { strategy: OwnStrategy }) {
  if (!published) return null
  const { name, at, withdrawn_at } = published
  return (
    <p className={styles.published}>
      {withdrawn_at
        ? `Published as ${name} from ${formatDate(at)} to ${formatDate(withdrawn_at)}. Its record stays in the chain of `
        : `Published as ${name} since ${formatDate(at)}. Everyone finds it under `}
      <a href="/signals">Signals</a>.
    </p>
  )
}
