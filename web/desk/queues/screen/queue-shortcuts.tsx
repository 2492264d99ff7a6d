import type { ReactNode } from 'react'
import { Modal } from '#web/ui/index.ts'
import type { Action } from './item.ts'
import styles from './queue.module.css'

interface QueueShortcutsProps {
  /** Those of the selected item. */
  actions: readonly Action[]
  open: boolean
  onClose: () => void
}

/** The keys of a queue. */
export function QueueShortcuts({ actions, open, onClose }: QueueShortcutsProps) {
  return (
    <Modal open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className={styles.keys}>
        <Shortcut keys={['j', 'k']}>Next item, previous item</Shortcut>
        <Shortcut keys={['c']}>Claim or release</Shortcut>
        {actions.map((action) => (
          <Shortcut key={action.key} keys={[action.key]}>
            {action.label}
          </Shortcut>
        ))}
        <Shortcut keys={['Enter']}>Confirm, or submit what was typed</Shortcut>
        <Shortcut keys={['Shift', 'Enter']}>Start a new line in a reason</Shortcut>
        <Shortcut keys={['Esc']}>Close the form</Shortcut>
      </dl>
    </Modal>
  )
}

function Shortcut({ keys, children }: { keys: readonly string[]; children: ReactNode }) {
  return (
    <div>
      <dt>
        {keys.map((key, i) => (
          <span key={key}>
            {i > 0 && ' '}
            <kbd>{key}</kbd>
          </span>
        ))}
      </dt>
      <dd>{children}</dd>
    </div>
  )
}
