import { call, turnPushOff, turnPushOn, usePush, useRequest } from '#web/api/index.ts'
import { Button, Card, Checkbox, toast } from '#web/ui/index.ts'
import styles from './device.module.css'
import { canVibrate, setSign, useSigns } from './signs.ts'

/** What this browser does when something happens: push notifications, sound and vibration. */
export function Device() {
  const signs = useSigns()
  return (
    <Card title="This device">
      <div className={styles.body}>
        <Push />
        <div className={styles.signs}>
          <Checkbox checked={signs.sound} onChange={({ target }) => setSign('sound', target.checked)}>
            A short sound when a trade is won or lost
          </Checkbox>
          {canVibrate() && (
            <Checkbox checked={signs.vibration} onChange={({ target }) => setSign('vibration', target.checked)}>
              A short vibration when a trade is filled, won or lost
            </Checkbox>
          )}
        </div>
      </div>
    </Card>
  )
}

const SAYS = {
  unknown: '',
  unsupported:
    "This browser can't show notifications while the app is closed. On an iPhone or iPad, add the app to the home screen first.",
  blocked: 'This browser blocks notifications from this site. Allow them in its settings for this site, then reload.',
  off: 'Alerts and news reach you while the app is closed, through the maker of your browser, who can’t read them.',
  on: 'On in this browser, until you sign out.',
}

function Push() {
  const state = usePush()
  const { loading, run } = useRequest((message) => toast.error(message))
  return (
    <section className={styles.push} aria-label="Push notifications">
      <div>
        <h3 className={styles.title}>Push notifications</h3>
        <p className={styles.says}>{SAYS[state]}</p>
      </div>
      {state === 'off' && (
        <Button loading={loading} onClick={() => run(turnPushOn)}>
          Turn on
        </Button>
      )}
      {state === 'on' && (
        <div className={styles.actions}>
          <Button
            look="quiet"
            loading={loading}
            onClick={() => run(async () => void toast.info((await call('POST /notices/push/test')).message))}
          >
            Send a test
          </Button>
          <Button look="quiet" disabled={loading} onClick={() => run(turnPushOff)}>
            Turn off
          </Button>
        </div>
      )}
    </section>
  )
}
