import type { ReactNode } from 'react'
import { ButtonLink, cx } from '#web/ui/index.ts'
import styles from './sections.module.css'

interface SectionProps {
  id: string
  title: string
  /** One or two sentences below the title. */
  lead?: ReactNode
  /** Shown next to the text, below it on narrow screens. */
  aside?: ReactNode
  children?: ReactNode
}

/** A section of a content page: heading, text, and an optional aside. */
export function Section({ id, title, lead, aside, children }: SectionProps) {
  return (
    <section
      className={cx(styles.section, aside !== undefined && styles.split)}
      id={id}
      aria-labelledby={`${id}-title`}
    >
      <div className={styles.words}>
        <h2 className={styles.title} id={`${id}-title`}>
          {title}
        </h2>
        {lead && <p className={styles.lead}>{lead}</p>}
        {aside && children}
      </div>
      {aside ?? children}
    </section>
  )
}

/** A card of names and values. */
export function FactCard({ title, facts }: { title: string; facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <div className={styles.card}>
      <h3 className={styles.cardTitle}>{title}</h3>
      <dl className={styles.facts}>
        {facts.map(([name, fact]) => (
          <div className={styles.fact} key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

export interface Point {
  title: string
  text: ReactNode
  picture?: ReactNode
}

/** A row of short points. */
export function Points({ points }: { points: readonly Point[] }) {
  return (
    <ul className={styles.points}>
      {points.map((point) => (
        <li key={point.title}>
          {point.picture}
          <h3 className={styles.pointTitle}>{point.title}</h3>
          <p>{point.text}</p>
        </li>
      ))}
    </ul>
  )
}

/** Numbered, sequential points. */
export function Steps({ steps }: { steps: readonly Point[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map((step, n) => (
        <li className={styles.step} key={step.title}>
          {step.picture}
          <h3 className={styles.pointTitle}>
            <span className={styles.number}>{n + 1}</span> {step.title}
          </h3>
          <p>{step.text}</p>
        </li>
      ))}
    </ol>
  )
}

/** The symbols of a coin, named as in the order panel. */
export function Symbols({ groups }: { groups: readonly (readonly [string, readonly string[]])[] }) {
  return (
    <dl className={styles.symbols}>
      {groups.map(([type, symbols]) => (
        <div key={type}>
          <dt>{type}</dt>
          <dd>
            {symbols.map((symbol) => (
              <span className={styles.symbol} key={symbol}>
                {symbol}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Links to get started, below a page's lead. */
export function StartLinks() {
  return (
    <p className={styles.startLinks}>
      <ButtonLink size="large" href="/user/home" data-home>
        Trade Now
      </ButtonLink>
      <ButtonLink size="large" look="secondary" href="/auth/signup" data-visitor>
        Open a free account
      </ButtonLink>
    </p>
  )
}

/** The end of a page: a link to the demo, and what it costs. */
export function TryTheDemo({ title = 'Try it before it costs anything' }: { title?: string }) {
  return (
    <section className={styles.demo} aria-labelledby="demo-title" data-visitor>
      <div>
        <h2 className={styles.demoTitle} id="demo-title">
          {title}
        </h2>
        <p>
          10,000 demo dollars without an account: same prices, same rules, nothing to pay. Reset them as often as you
          like.
        </p>
      </div>
      <ButtonLink size="large" href="/user/home?demo">
        Try the demo
      </ButtonLink>
    </section>
  )
}
