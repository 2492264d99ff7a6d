import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'react'
import styles from './button.module.css'
import { cx } from './cx.ts'

interface Look {
  /** `live` spends or moves real money. `buy` and `sell` must contain their label and arrow: colour must never be the only cue. */
  look?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'buy' | 'sell' | 'live'
  size?: 'small' | 'medium' | 'large'
  wide?: boolean
  /** A square icon button; give it an `aria-label`. */
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

/** A button. While `loading` it is disabled and announces that to screen readers. */
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

/** A plain link styled as a button. For in-app links, pass `buttonClass` to the router's Link. */
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

/** Returns the class names of a button, for other elements such as the router's Link. */
export const buttonClass = (look: Look = {}): string => classOf(look)
