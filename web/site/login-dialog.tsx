import type { ReactNode } from 'react'
import { Modal } from '#web/ui/index.ts'
import styles from './login-dialog.module.css'

interface LoginDialogProps {
  open: boolean
  onClose: () => void
  /** The form. */
  children: ReactNode
}

/** The login dialog: sign-in for account holders, with a link to register for everyone else. */
export function LoginDialog({ open, onClose, children }: LoginDialogProps) {
  return (
    <Modal open={open} onClose={onClose} title="Login" sheet>
      <nav className={styles.tabs} aria-label="Account">
        <span className={styles.tab} aria-current="true">
          Existing User
        </span>
        <a className={styles.tab} href="/auth/signup">
          Register
        </a>
      </nav>
      {children}
    </Modal>
  )
}
