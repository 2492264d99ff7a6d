import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../cx.ts'
import styles from './alert.module.css'

const ICON = { error: CircleAlert, success: CircleCheck, warning: TriangleAlert, info: Info }

/**
 * An inline alert. Screen readers announce errors immediately and other kinds politely. Renders nothing without
 * children.
 */
export function Alert({ kind = 'error', children }: { kind?: keyof typeof ICON; children?: ReactNode }) {
  if (!children) return null
  const Icon = ICON[kind]
  return (
    <div className={cx(styles.alert, styles[kind])} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon aria-hidden />
      <div>{children}</div>
    </div>
  )
}
