import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'react'
import styles from './button.module.css'
import { cx } from './cx.ts'

interface Look {
  /** `buy` and `sell` want their word and their arrow inside: colour is never the only sign. */
  look?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'buy' | 'sell'
  size?: 'small' | 'medium' | 'large'
  wide?: boolean
  /** A square button around one icon; give it an `aria-label`. */
  icon?: boolean
}

const classOf = ({ look = 'primary', size, wide, icon }: Look, more?: string) =>
  cx(
    styles.button,
    styles[look],
    size === 'small' && styles.small,
    size === 'large' && styles.large,
    wide && styles.wide,
    icon && styles.icon,
    more,
  )

type ButtonProps = Look & ButtonHTMLAttributes<HTMLButtonElement> & { loading?: boolean }

/** A button; while `loading` it is disabled and says so to screen readers. */
export function Button({
  look,
  size,
  wide,
  icon,
  loading,
  disabled,
  className,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classOf({ look, size, wide, icon }, cx(loading && styles.busy, className))}
      disabled={disabled || loading}
      aria-busy={loading || undefined}
    />
  )
}

/** A plain link that looks like a button. For links inside the app give `buttonClass` to the router's Link. */
export function ButtonLink({
  look,
  size,
  wide,
  icon,
  className,
  ...rest
}: Look & AnchorHTMLAttributes<HTMLAnchorElement>) {
  return <a {...rest} className={classOf({ look, size, wide, icon }, className)} />
}

/** The class names of a button, for elements of others (the router's Link). */
export const buttonClass = (look: Look = {}): string => classOf(look)
