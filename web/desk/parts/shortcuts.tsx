import { Modal } from '#web/ui/index.ts'
import { Key } from './key.tsx'
import styles from './shortcuts.module.css'

/** Keys, and what they do. */
export type ShortcutRow = readonly [keys: readonly string[], does: string]

interface ShortcutsProps {
  /** The keys of this screen. */
  rows: readonly ShortcutRow[]
  open: boolean
  onClose: () => void
}

const EVERYWHERE: readonly ShortcutRow[] = [
  [['1–8'], 'Choose a filter of the inbox'],
  [['/'], 'Find a trader, trade or request'],
  [['?'], 'Show these keys'],
]

/** The keys of a screen of pending work. */
export function Shortcuts({ rows, open, onClose }: ShortcutsProps) {
  return (
    <Modal open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className={styles.keys}>
        {[...rows, ...EVERYWHERE].map(([keys, does]) => (
          <div key={keys.join()}>
            <dt>
              {keys.map((key) => (
                <Key key={key}>{key}</Key>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
