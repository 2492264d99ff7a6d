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

/** A button. While `loading` it does nothing and announces that to screen readers; a disabled one would lose the focus. */
export function Button({ look, size, wide, icon, loading, className, type = 'button', onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classOf({ look, size, wide, icon }, cx(loading && styles.busy, className))}
      aria-disabled={loading || rest['aria-disabled']}
      aria-busy={loading || undefined}
      // Enter in a field of its form presses it too.
      onClick={loading ? (event) => event.preventDefault() : onClick}
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
