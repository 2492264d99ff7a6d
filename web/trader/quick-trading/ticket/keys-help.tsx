import { Checkbox, Modal } from '#web/ui/index.ts'
import styles from './keys-help.module.css'
import { KEYS } from './use-keys.ts'

interface KeysHelpProps {
  open: boolean
  onClose: () => void
  on: boolean
  onSwitch: (on: boolean) => void
}

/** The list of keyboard shortcuts, and the switch that turns them off. */
export function KeysHelp({ open, onClose, on, onSwitch }: KeysHelpProps) {
  return (
    <Modal open={open} onClose={onClose} title="Keyboard">
      <table className={styles.keys}>
        <caption className="visually-hidden">Keyboard shortcuts</caption>
        <tbody>
          {KEYS.map(({ keys, does }) => (
            <tr key={does}>
              <th scope="row">
                {keys.map((key) => (key === '…' ? <span key={key}>…</span> : <kbd key={key}>{key}</kbd>))}
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.note}>Shortcuts work while no text field is focused. B and S place the order immediately.</p>
      <Checkbox checked={on} onChange={(event) => onSwitch(event.target.checked)}>
        Trade with the keyboard
      </Checkbox>
    </Modal>
  )
}
