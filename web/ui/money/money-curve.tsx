import { type ReactNode, useEffect, useRef } from 'react'
import type { CurvePoint } from './draw-curve.ts'
import styles from './money-curve.module.css'

/** A sum of money over time. Its code loads when it's first shown; a table on the same screen has the data as figures. */
export function MoneyCurve({ points, children }: { points: readonly CurvePoint[]; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = box.current
    if (!place) return
    let gone = false
    let end = () => {}
    function draw() {
      import('./draw-curve.ts').then(
        ({ drawCurve }) => {
          if (gone || !place) return
          end()
          end = drawCurve(place, points)
        },
        // Without the chart, the table still has all the data.
        () => undefined,
      )
    }
    draw()
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    return () => {
      gone = true
      theme.disconnect()
      scheme.removeEventListener('change', draw)
      end()
    }
  }, [points])
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>{children}</figcaption>
      <div ref={box} className={styles.chart} aria-hidden />
    </figure>
  )
}
