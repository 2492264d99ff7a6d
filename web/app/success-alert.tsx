import { CircleCheck } from 'lucide-react'
import { closeSuccessAlert, useStore } from '#web/api/index.ts'
import { Button, Modal } from '#web/ui/index.ts'
import styles from './success-alert.module.css'

/** The success message of a completed step. Survives the navigation to the next screen, until it is closed. */
export function SuccessAlert() {
  const { open, message } = useStore((state) => state.successAlert)
  return (
    <Modal open={open} onClose={closeSuccessAlert} title="Done">
      <div className={styles.body}>
        <CircleCheck className={styles.icon} aria-hidden />
        <p>{message}</p>
        <Button wide onClick={closeSuccessAlert}>
          Continue
        </Button>
      </div>
    </Modal>
  )
}
