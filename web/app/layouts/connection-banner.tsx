import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore, useStreamStatus } from '#web/api/index.ts'
import styles from './connection-banner.module.css'

/** A blink of the line is no news; only a pause longer than this is. */
const QUIET_MS = 1_500

/** Says that the server cannot be reached, and goes by itself when it answers again. */
export function ConnectionBanner() {
  const stream = useStreamStatus()
  const isReachable = useStore((state) => state.reachable)
  const isDown = stream === 'down' || (!isReachable && stream !== 'open')
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(isDown), isDown ? QUIET_MS : 0)
    return () => clearTimeout(timer)
  }, [isDown])
  return (
    <div role="status" className={styles.place}>
      {shown && (
        <p className={styles.banner}>
          <WifiOff aria-hidden />
          <span>Connection lost. Prices stand still and orders wait; trying again by itself.</span>
        </p>
      )}
    </div>
  )
}
