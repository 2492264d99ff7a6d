import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore, useStreamStatus } from '#web/api/index.ts'
import styles from './connection-banner.module.css'

/** A blink of the line is no news; only a pause longer than this is. */
const QUIET_MS = 1_500

/** Whether the server cannot be reached, once that is more than a blink. */
export function useConnectionLost(): boolean {
  const stream = useStreamStatus()
  const isReachable = useStore((state) => state.reachable)
  const isDown = stream === 'down' || (!isReachable && stream !== 'open')
  const [lost, setLost] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLost(isDown), isDown ? QUIET_MS : 0)
    return () => clearTimeout(timer)
  }, [isDown])
  return lost
}

/** Says in the header, where it covers nothing, that the server cannot be reached; goes by itself when it answers. */
export function ConnectionBanner({ lost }: { lost: boolean }) {
  return (
    <div role="status" className={styles.place}>
      {lost && (
        <p className={styles.banner}>
          <WifiOff aria-hidden />
          <span className={styles.words}>
            <strong>Connection lost.</strong>
            <span>
              Trying again. <span className={styles.more}>Prices stand still and orders wait.</span>
            </span>
          </span>
        </p>
      )}
    </div>
  )
}
