import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { BUSINESS_DAYS, DeskBusiness } from '#contract/desk/money/business.ts'
import { PAGES, QUEUES } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import { Button, Choices, formatUsd, formatUsdSigned, ListError, SkeletonRows } from '#web/ui/index.ts'
import { queryOf } from '../api.ts'
import { saveCsv } from '../parts/save-csv.ts'
import { useMay } from '../session.ts'
import styles from './business.module.css'

export type Days = (typeof BUSINESS_DAYS)[number]
const PERIODS: { value: Days; label: string; name: string }[] = [
  { value: '1', label: 'Today', name: 'Today (UTC)' },
  { value: '7', label: '7 d', name: '7 days' },
  { value: '30', label: '30 d', name: '30 days' },
]
const EVERY_MS = 15_000

const percent = (part: number, of: number) => `${((100 * part) / of).toFixed(1)}%`

/** Selects the period, and exports its days. */
export function Period({ days, onDays }: { days: Days; onDays: (days: Days) => void }) {
  return (
    <div className={styles.head}>
      <Choices label="Period" quiet value={days} onChange={onDays} options={PERIODS} />
      <Button
        look="quiet"
        size="small"
        icon
        aria-label="Export the days as CSV"
        onClick={() => void saveCsv('/desk/business', { days })}
      >
        <Download aria-hidden />
      </Button>
    </div>
  )
}

/** How the business is: real money of today, 7 or 30 days (UTC). Each figure opens its rows. */
export function Business({ days }: { days: Days }) {
  const business = useQuery(queryOf('GET /desk/business', { query: { days } }, EVERY_MS))
  const problem = problemOf(business)
  const data = business.data?.data
  return (
    <section aria-label="Business" className={styles.business}>
      {problem && <ListError {...problem} />}
      {business.isPending && !problem && <SkeletonRows rows={1} label="Loading the figures" />}
      {data && (
        <ul className={styles.strip}>
          <Figure
            to="/deposits?status=Approved"
            roles={QUEUES.deposits.sees}
            name="Net deposits"
            value={formatUsdSigned(data.deposits - data.withdrawals)}
            more={`${formatUsd(data.deposits)} in, ${formatUsd(data.withdrawals)} out`}
            line={data.days.map((day) => day.deposits - day.withdrawals)}
          />
          <Figure
            to="/trades?mode=real"
            roles={PAGES.trades.sees}
            name="House result"
            value={formatUsdSigned(data.staked - data.paid_out)}
            more={
              data.staked === 0
                ? 'no trade has settled'
                : `${percent(data.staked - data.paid_out, data.staked)} of ${formatUsd(data.staked)} staked`
            }
            line={data.days.map((day) => day.staked - day.paid_out)}
          />
          <Figure
            to="/trades?mode=real"
            roles={PAGES.trades.sees}
            name="Active traders"
            value={data.traders.toLocaleString('en-US')}
            more={`${data.trades.toLocaleString('en-US')} real trades settled`}
            line={data.days.map((day) => day.traders)}
          />
          <Figure
            to="/withdrawals?status=Paid"
            roles={QUEUES.withdrawals.sees}
            name="Paid in time"
            value={data.payouts === 0 ? '–' : percent(data.payouts_in_time, data.payouts)}
            more={`${data.payouts_in_time} of ${data.payouts} withdrawals`}
            line={data.days.map((day) => day.payouts)}
          />
          <Figure
            to="/exposure"
            roles={PAGES.exposure.sees}
            name="Open exposure"
            value={formatUsd(data.open.stake)}
            more={worstCase(data)}
          />
        </ul>
      )}
    </section>
  )
}

/** What one shock would cost at most, of what the house owns. Before the first count: if every open trade won. */
function worstCase({ open, risk }: DeskBusiness): string {
  if (!risk) return `worst case ${formatUsdSigned(0 - open.worst_loss)}`
  const equity = `${formatUsd(risk.equity)} ${risk.play ? 'play equity' : 'equity'}`
  return `worst case ${formatUsdSigned(0 - risk.worst_loss)} of ${equity}`
}

interface FigureProps {
  /** The page with its rows, and who sees that. */
  to: string
  roles: readonly OperatorRole[]
  name: string
  value: string
  more: ReactNode
  /** By day, oldest first. */
  line?: readonly number[]
}

function Figure({ to, roles, name, value, more, line }: FigureProps) {
  const words = (
    <>
      <span className={styles.name}>{name}</span>
      <span className={styles.value}>{value}</span>
      <span className={styles.more}>{more}</span>
      {line && line.length > 1 && <Spark values={line} />}
    </>
  )
  return (
    <li>
      {useMay(roles) ? (
        <Link to={to} className={styles.figure}>
          {words}
        </Link>
      ) : (
        <div className={styles.figure}>{words}</div>
      )}
    </li>
  )
}

const WIDTH = 52
const HEIGHT = 26

function Spark({ values }: { values: readonly number[] }) {
  const least = Math.min(...values)
  const range = Math.max(...values) - least
  if (range === 0) return null
  const points = values.map((value, at) => {
    const x = 1 + (at * (WIDTH - 2)) / (values.length - 1)
    const y = HEIGHT - 2 - ((value - least) / range) * (HEIGHT - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg className={styles.spark} width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      <polyline points={points.join(' ')} />
    </svg>
  )
}
