import { Checkbox, Modal } from '#web/ui/index.ts'
import styles from './keys-help.module.css'
import type { Keys } from './use-keys.ts'

/** The keyboard shortcuts of the trading screen. */
const KEYS = [
  { keys: ['B'], does: 'Buy' },
  { keys: ['S'], does: 'Sell' },
  { keys: ['1', '…', '8'], does: 'Duration, from 1 minute to 1 day' },
  { keys: ['↑', '↓'], does: 'In the amount: up or down by 120' },
  { keys: ['/'], does: 'Search markets, trades, pages' },
  { keys: ['M'], does: 'Show or hide the markets' },
  { keys: ['F'], does: 'Full screen' },
  { keys: ['←', '→'], does: 'On the chart: from candle to candle' },
  { keys: ['↑', '↓'], does: 'In the details of a trade: the one before or after' },
  { keys: ['P'], does: 'In the details of a trade: its proof' },
  { keys: ['Del'], does: 'Delete the selected drawing' },
  { keys: ['Esc'], does: 'Disarm B and S' },
  { keys: ['?'], does: 'Show shortcuts' },
] as const

interface KeysHelpProps {
  open: boolean
  onClose: () => void
  keys: Keys
}

/** The list of keyboard shortcuts, and the switch that turns them off. */
export default function KeysHelp({ open, onClose, keys }: KeysHelpProps) {
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
      <p className={styles.note}>
        Shortcuts work while no text field is focused. B and S place the order immediately; one that waits for a price
        or a time is placed by its button. In your live account they are off until you arm them, for ten minutes at
        most.
      </p>
      <Checkbox checked={keys.on} onChange={(event) => keys.setOn(event.target.checked)}>
        Trade with the keyboard
      </Checkbox>
    </Modal>
  )
}
