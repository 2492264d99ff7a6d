import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from '../button.tsx'
import { cx } from '../cx.ts'
import styles from './modal.module.css'
import { useDialog } from './use-dialog.ts'
import { useLingering } from './use-lingering.ts'

interface ModalProps {
  open: boolean
  onClose: () => void
  title: string
  /** The content has its own head, with a button that closes it; the title names the dialog. */
  hasOwnHead?: boolean
  /** Next to the title. */
  note?: ReactNode
  wide?: boolean
  /** On phones, slides up from the bottom, within reach of the thumb. */
  sheet?: boolean
  /** On wide screens at the right, in full height, next to the list that it belongs to; on phones a sheet. */
  side?: boolean
  children: ReactNode
}

/** The answers to a question in a modal: the way back, then the one that goes ahead, which is wider. */
export const QuestionButtons = ({ children }: { children: ReactNode }) => (
  <div className={styles.answers}>{children}</div>
)

/**
 * The generic modal. Uses the native dialog, which traps and restores focus and closes on Escape and Back. A click on the
 * backdrop closes it; a click on the card doesn't. Fades for 500 ms, or not at all with reduced motion.
 */
export function Modal({ open, onClose, title, hasOwnHead, note, wide, sheet, side, children }: ModalProps) {
  const titleId = useId()
  const hasContent = useLingering(open)
  return (
    <dialog
      className={cx(styles.modal, (sheet || side) && styles.sheet, side && styles.side)}
      aria-labelledby={titleId}
      {...useDialog(open, onClose)}
    >
      {hasContent && (
        <div className={cx(styles.card, wide && styles.wide)}>
          {hasOwnHead ? (
            <h2 className="visually-hidden" id={titleId}>
              {title}
            </h2>
          ) : (
            <div className={styles.head}>
              <h2 className={styles.title} id={titleId}>
                {title}
              </h2>
              {note}
              <Button className={styles.close} look="quiet" icon aria-label="Close" onClick={onClose}>
                <X aria-hidden />
              </Button>
            </div>
          )}
          {children}
        </div>
      )}
    </dialog>
  )
}
