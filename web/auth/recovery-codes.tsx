import { Copy, Download } from 'lucide-react'
import { Button, toast } from '#web/ui/index.ts'
import styles from './second-factor.module.css'

/** New recovery codes: shown only once, to be stored somewhere other than the phone. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <div className={styles.recovery}>
      <p className={styles.intro}>
        Each of these opens your account once if you lose your app and your passkeys. Keep them where your phone is not:
        they are not shown again.
      </p>
      <ul className={styles.recoveryList}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.acts}>
        <Button
          look="secondary"
          onClick={() =>
            navigator.clipboard.writeText(text).then(
              () => toast.success('The codes were copied.'),
              () => toast.error('The codes could not be copied.'),
            )
          }
        >
          <Copy aria-hidden /> Copy
        </Button>
        <a
          className={styles.download}
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          <Download aria-hidden /> Save as a file
        </a>
      </div>
      <Button wide onClick={onDone}>
        I have kept them
      </Button>
    </div>
  )
}
