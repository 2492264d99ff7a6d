import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#web/api/index.ts'
import { cx } from '#web/ui/index.ts'
import styles from './sparkline.module.css'

/** A line's size in its own units: 47 half hours wide, 100 high, with room for the stroke. */
const WIDTH = 47
const HEIGHT = 100
const REREAD_MS = 5 * 60_000

/** The lines of all markets, by symbol; empty until they are known. */
export function useSparklines(): Record<string, readonly number[]> {
  const { data } = useQuery({ ...queryOf('GET /prices/sparklines'), refetchInterval: REREAD_MS })
  return data?.data.lines ?? {}
}

/** A market's last 24 hours as a small line. Its room stays the same while the line is not known. */
export function Sparkline({ line, change }: { line: readonly number[] | undefined; change: number | undefined }) {
  return (
    <svg
      className={cx(styles.line, change !== undefined && (change < 0 ? styles.down : styles.up))}
      viewBox={`0 -6 ${WIDTH} ${HEIGHT + 12}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {line && <path d={pathOf(line)} vectorEffect="non-scaling-stroke" />}
    </svg>
  )
}

/** Returns the path of a line that ends at the right. */
export const pathOf = (line: readonly number[]): string =>
  line.map((value, at) => `${at === 0 ? 'M' : 'L'}${WIDTH + 1 - line.length + at} ${HEIGHT - value}`).join('')
