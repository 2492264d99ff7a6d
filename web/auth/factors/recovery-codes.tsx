import { Copy, Download } from 'lucide-react'
import { Button, toast } from '#web/ui/index.ts'
import styles from './second-factor.module.css'

/** New recovery codes: shown only once, to be stored somewhere other than the phone. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <div className={styles.recovery}>
      <p className={styles.intro}>
        Each code signs you in once if you lose your app and your passkeys. Store them somewhere other than your phone:
        we won't show them again.
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
              () => toast.success('Codes copied.'),
              () => toast.error("We couldn't copy the codes. Save them as a file instead."),
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
        I've saved them
      </Button>
    </div>
  )
}
