import { useEffect, useRef } from 'react'
import { formatUsd } from '#web/ui/index.ts'
import styles from './earnings.module.css'
import type { ProfitPoint } from './profit-line.ts'

/** The cumulative profit; the table below has the same data as figures. */
export function ProfitChart({ points, count }: { points: readonly ProfitPoint[]; count: number }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = box.current
    if (!place) return
    let gone = false
    let end = () => {}
    function draw() {
      import('./draw-profit.ts').then(
        ({ drawProfit }) => {
          if (gone || !place) return
          end()
          end = drawProfit(place, points)
        },
        // Without the chart, the table still has all the data.
        () => undefined,
      )
    }
    draw()
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      gone = true
      theme.disconnect()
      end()
    }
  }, [points])
  return (
    <figure className={styles.figureBox}>
      <figcaption className={styles.caption}>
        Profit over time <strong>{formatUsd(points.at(-1)?.value ?? 0)}</strong> from the {count} earnings listed
      </figcaption>
      <div ref={box} className={styles.chart} aria-hidden />
    </figure>
  )
}
