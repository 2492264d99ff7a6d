import { FlaskConical, History, Radio } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PriceSource } from '#contract/prices/prices.ts'
import styles from './badge.module.css'
import { cx } from './cx.ts'

/** A status badge. The text carries the meaning; colour never does so alone. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'accent' | 'up' | 'down' | 'warn' | 'mode'
  children: ReactNode
}) {
  return <span className={cx(styles.badge, styles[tone])}>{children}</span>
}

const SOURCE = {
  live: { icon: Radio, words: 'Live prices', tone: 'up' },
  replay: { icon: History, words: 'Replayed prices', tone: 'warn' },
  simulation: { icon: FlaskConical, words: 'Simulated prices', tone: 'warn' },
} as const

/**
 * The source of the prices. Required on every screen that shows simulated or replayed prices. `sources`: how many live
 * sources agreed on the newest price.
 */
export function SourceBadge({ source, sources }: { source: PriceSource | undefined; sources?: number | undefined }) {
  if (!source) return null
  const { icon: Icon, words, tone } = SOURCE[source]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {source === 'live' && sources !== undefined ? `Live · ${sources} ${sources === 1 ? 'source' : 'sources'}` : words}
    </Badge>
  )
}
