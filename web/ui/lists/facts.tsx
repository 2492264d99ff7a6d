import { Check, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { toast } from '../feedback/toast.ts'
import styles from './facts.module.css'

/** A list of names and values, one per line. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Text that copies on click. `unit` is shown after it but not copied. */
export function CopyText({ text, unit, what }: { text: string; unit?: string; what: string }) {
  const [copied, setCopied] = useState(false)
  function copy() {
    navigator.clipboard?.writeText(text).then(
      () => {
        setCopied(true)
        setTimeout(() => setCopied(false), 2_000)
      },
      () => toast.error(`We couldn't copy the ${what}. It's ${text}.`),
    )
  }
  return (
    <span className={styles.copy}>
      <code>{text}</code>
      {unit && <span>{unit}</span>}
      <Button look="quiet" size="small" aria-label={copied ? `${what} copied` : `Copy ${what}`} onClick={copy}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      </Button>
    </span>
  )
}
