import { useQuery } from '@tanstack/react-query'
import { Card, formatUsdSigned } from '#web/ui/index.ts'
import { useWide } from '../parts/use-widths.ts'
import styles from './aside.module.css'
import { useBooks } from './books.tsx'
import { businessQuery } from './business.tsx'

interface DayFigure {
  day: string
  amount: number
}

/** Net deposits and the result of the house by day, where there is room: bars, and a table for screen readers. */
export function ThirtyDays() {
  const isWide = useWide()
  const business = useQuery({ ...businessQuery('30'), enabled: isWide })
  const books = useBooks()
  const data = business.data?.data
  if (!isWide || !data || books === 'loading') return null
  const net = data.days.map(({ day, deposits, withdrawals }) => ({ day, amount: deposits - withdrawals }))
  const result = data.days.map(({ day, staked, paid_out }) => ({ day, amount: staked - paid_out }))
  return (
    <Card title="30 days">
      {books === 'differ' ? (
        <p className={styles.figure}>
          <strong>checking</strong>
        </p>
      ) : (
        <>
          <Bars name="Net deposits" days={net} sum={data.deposits - data.withdrawals} />
          <Bars name="House result" days={result} sum={data.staked - data.paid_out} />
          <p className={styles.axis} aria-hidden>
            <span>{net[0]?.day}</span>
            <span>today (UTC)</span>
          </p>
          <div className="visually-hidden">
            <table>
              <caption>Net deposits and house result by day (UTC)</caption>
              <thead>
                <tr>
                  <th scope="col">Day</th>
                  <th scope="col">Net deposits</th>
                  <th scope="col">House result</th>
                </tr>
              </thead>
              <tbody>
                {net.map(({ day, amount }, place) => (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    <td>{formatUsdSigned(amount)}</td>
                    <td>{formatUsdSigned(result[place]?.amount ?? 0)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Card>
  )
}

const STEP = 10
const WIDTH = 7
const HEIGHT = 64

/** A bar for each day, upwards from zero or downwards, on a scale that fits the largest. */
function Bars({ name, days, sum }: { name: string; days: readonly DayFigure[]; sum: number }) {
  const most = Math.max(0, ...days.map(({ amount }) => amount))
  const least = Math.min(0, ...days.map(({ amount }) => amount))
  const scale = HEIGHT / (most - least || 1)
  const zero = most === least ? HEIGHT : most * scale
  return (
    <>
      <p className={styles.figure}>
        <span>{name}</span>
        <strong>{formatUsdSigned(sum)}</strong>
      </p>
      <svg
        className={styles.days}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden
      >
        {days.map(({ day, amount }, place) => (
          <g key={day}>
            <title>{`${day}: ${formatUsdSigned(amount)}`}</title>
            {/* The whole column is the target of the pointer. */}
            <rect className={styles.column} x={place * STEP} width={STEP} height={HEIGHT} />
            <rect
              className={amount < 0 ? styles.below : styles.above}
              x={place * STEP + (STEP - WIDTH) / 2}
              y={zero - Math.max(0, amount) * scale}
              width={WIDTH}
              height={Math.abs(amount) * scale}
            />
          </g>
        ))}
        <line x2={days.length * STEP} y1={zero} y2={zero} />
      </svg>
    </>
  )
}
