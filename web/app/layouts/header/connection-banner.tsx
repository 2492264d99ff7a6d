import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore, useStreamStatus } from '#web/api/index.ts'
import styles from './connection-banner.module.css'

/** Shorter interruptions aren't worth reporting. */
const QUIET_MS = 1_500

/** Whether the server has been unreachable for longer than that. */
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

/** Says in the header, where it covers nothing, that the server is unreachable; disappears when it responds again. */
export function ConnectionBanner({ lost }: { lost: boolean }) {
  return (
    <div role="status" className={styles.place}>
      {lost && (
        <p className={styles.banner}>
          <WifiOff aria-hidden />
          <span className={styles.words}>
            <strong>Connection lost.</strong>
            <span className={styles.trying}>
              Trying again. <span className={styles.more}>Prices are paused and you can't place orders.</span>
            </span>
          </span>
        </p>
      )}
    </div>
  )
}
