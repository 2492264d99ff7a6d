import styles from './brand.module.css'
import { figure } from './figure.ts'

/** The logo: a price line ending in its last tick. */
export function BrandMark() {
  return (
    <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
      <rect className={styles.tile} width="32" height="32" rx="9" />
      <path className={styles.line} d="M6.5 20.5 12 15l4 4 6.2-7.2" />
      <circle className={styles.tick} cx="24" cy="9.8" r="2.9" />
    </svg>
  )
}

/** The logo with the operator's name. */
export function Brand() {
  return (
    <span className={styles.brand}>
      <BrandMark />
      {figure('brand')}
    </span>
  )
}
