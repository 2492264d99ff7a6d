import { turnPushOn, useRequest } from '#web/api/index.ts'
import { Alert, Button } from '#web/ui/index.ts'
import styles from './alert-dialog.module.css'

/** In the browser's storage: that the question was answered here. */
const ASKED = 'push-asked'

export const isPushAsked = (): boolean => localStorage.getItem(ASKED) !== null

/** Asked once in a browser, after its first alert: a browser asks for the permission only then, and not at the first visit. */
export function AskPush({ onDone }: { onDone: () => void }) {
  const { loading, error, run } = useRequest()
  const done = () => {
    localStorage.setItem(ASKED, 'yes')
    onDone()
  }
  return (
    <div className={styles.form}>
      <p>
        Your alert is set. This browser can show it even when no page of ours is open. The message is encrypted, so the
        browser's maker, who delivers it, can't read it.
      </p>
      <Alert>{error}</Alert>
      <Button
        loading={loading}
        onClick={() =>
          run(async () => {
            await turnPushOn()
            done()
          })
        }
      >
        Turn on push notifications
      </Button>
      <Button look="quiet" disabled={loading} onClick={done}>
        Not now
      </Button>
      <p className={styles.note}>You can change this any time under Settings › Notifications.</p>
    </div>
  )
}
