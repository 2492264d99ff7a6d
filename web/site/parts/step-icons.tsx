import styles from './step-icons.module.css'

/** The four steps of a first trade, drawn in one style. */
const PICTURES = {
  account: (
    <>
      <circle className={styles.soft} cx="24" cy="17" r="8" />
      <path className={styles.line} d="M9 40c1.5-8 7.6-12 15-12s13.5 4 15 12" />
      <path className={styles.accent} d="M37 8v8M33 12h8" />
    </>
  ),
  fund: (
    <>
      <rect className={styles.soft} x="6" y="15" width="36" height="25" rx="5" />
      <path className={styles.line} d="M6 23h36" />
      <path className={styles.accent} d="M24 3v9M20 8.500l4 4 4-4M32 32h4" />
    </>
  ),
  amount: (
    <>
      <rect className={styles.soft} x="6" y="12" width="36" height="24" rx="5" />
      <path className={styles.line} d="M13 20v8M35 20v8" />
      <path
        className={styles.accent}
        d="M27.5 20.500c-.8-1.2-2-1.7-3.5-1.7-2 0-3.5 1-3.5 2.6 0 3.8 7.2 1.5 7.2 5.3 0 1.7-1.6 2.7-3.7 2.7-1.7 0-3.1-.7-3.9-1.900M24 16.500v15"
      />
    </>
  ),
  decide: (
    <>
      <rect className={styles.soft} x="5" y="9" width="38" height="30" rx="5" />
      <path className={styles.accent} d="M16 31V18M11.5 22.5 16 18l4.5 4.5" />
      <path className={styles.line} d="M32 17v13M27.5 25.5 32 30l4.5-4.5" />
    </>
  ),
  tape: (
    <>
      <rect className={styles.soft} x="4" y="14" width="40" height="20" rx="5" />
      <path className={styles.line} d="M12 20v8M19 20v8M26 20v8" />
      <path className={styles.accent} d="M33 20v8M37 20v8" />
    </>
  ),
  vault: (
    <>
      <rect className={styles.soft} x="5" y="10" width="17" height="28" rx="5" />
      <rect className={styles.plain} x="26" y="10" width="17" height="28" rx="5" />
      <path className={styles.accent} d="M11 24h5" />
      <path className={styles.line} d="M32 24h5" />
    </>
  ),
  ledger: (
    <>
      <rect className={styles.soft} x="8" y="6" width="32" height="36" rx="5" />
      <path className={styles.line} d="M15 16h18M15 24h18" />
      <path className={styles.accent} d="m15 33 4 4 8-9" />
    </>
  ),
} as const

type StepIconName = keyof typeof PICTURES

export function StepIcon({ name }: { name: StepIconName }) {
  return (
    <svg className={styles.icon} viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
      {PICTURES[name]}
    </svg>
  )
}
