import { FlaskConical, History, Radio } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PriceSource } from '#contract/prices.ts'
import styles from './badge.module.css'
import { cx } from './cx.ts'

/** A word about a state. Colour is not its only sign: the word says it. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'accent' | 'up' | 'down' | 'warn'
  children: ReactNode
}) {
  return <span className={cx(styles.badge, styles[tone])}>{children}</span>
}

const SOURCE = {
  live: { icon: Radio, words: 'Live prices', tone: 'up' },
  replay: { icon: History, words: 'Replayed prices', tone: 'warn' },
  simulation: { icon: FlaskConical, words: 'Simulated prices', tone: 'warn' },
} as const

/** Where prices come from. Every screen that shows a price shows it while they are simulated or replayed. */
export function SourceBadge({ source }: { source: PriceSource | undefined }) {
  if (!source) return null
  const { icon: Icon, words, tone } = SOURCE[source]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {words}
    </Badge>
  )
}
