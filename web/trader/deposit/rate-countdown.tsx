import { useEffect, useState } from 'react'
import { formatCountdown, formatTime } from '#web/ui/index.ts'
import styles from './deposit.module.css'

/** How long the rate of a request still counts, and what comes after. */
export function RateCountdown({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now)
  const left = Date.parse(until) - now
  const isOver = left <= 0
  useEffect(() => {
    if (isOver) return
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [isOver])
  return (
    <p className={styles.note}>
      {isOver ? (
        'The rate is over. Your coins count at the rate when they arrive.'
      ) : (
        <>
          Rate held for <strong role="timer">{formatCountdown(left)}</strong>, until {formatTime(until)}. Coins that
          arrive later count at the rate of that moment.
        </>
      )}
    </p>
  )
}
