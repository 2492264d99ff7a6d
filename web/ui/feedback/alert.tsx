import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { cx } from '../cx.ts'
import styles from './alert.module.css'

const ICON = { error: CircleAlert, success: CircleCheck, warning: TriangleAlert, info: Info }

/**
 * An inline alert. Screen readers announce errors immediately and other kinds politely. An error scrolls into view,
 * unless a field that it names has the focus. Renders nothing without children.
 */
export function Alert({ kind = 'error', children }: { kind?: keyof typeof ICON; children?: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  const error = kind === 'error' && (typeof children === 'string' ? children : Boolean(children))
  useEffect(() => {
    if (error && !document.activeElement?.matches('[aria-invalid="true"]'))
      ref.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  if (!children) return null
  const Icon = ICON[kind]
  return (
    <div ref={ref} className={cx(styles.alert, styles[kind])} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon aria-hidden />
      <div>{children}</div>
    </div>
  )
}
