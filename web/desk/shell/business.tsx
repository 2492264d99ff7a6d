import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { DeskBusiness } from '#contract/desk/money/business.ts'
import { type BUSINESS_DAYS, PAGES, QUEUES } from '#contract/desk/terms.ts'
import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import { Button, Choices, formatUsd, formatUsdSigned, ListError, SkeletonRows } from '#web/ui/index.ts'
import { queryOf } from '../api.ts'
import { PERIODS } from '../parts/in-days.tsx'
import { saveCsv } from '../parts/save-csv.ts'
import { useMay } from '../session.ts'
import { useBooks } from './books.tsx'
import styles from './business.module.css'

export type Days = (typeof BUSINESS_DAYS)[number]
const EVERY_MS = 15_000

/** The figures of a period: the strip and the cards share them. */
export const businessQuery = (days: Days) => queryOf('GET /desk/business', { query: { days } }, EVERY_MS)

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

/**
 * How the business is: real money of today, 7 or 30 days (UTC). Each figure opens its rows. While the books differ,
 * amounts say 'checking'.
 */
export function Business({ days }: { days: Days }) {
  const business = useQuery(businessQuery(days))
  const books = useBooks()
  const problem = problemOf(business)
  const data = books === 'loading' ? undefined : business.data?.data
  return (
    <section aria-label="Business" className={styles.business}>
      {problem && <ListError {...problem} />}
      {!data && !problem && <SkeletonRows rows={1} label="Loading the figures" />}
      {data && <Strip days={days} data={data} checking={books === 'differ'} />}
    </section>
  )
}

function Strip({ days, data, checking }: { days: Days; data: DeskBusiness; checking: boolean }) {
  return (
    <ul className={styles.strip}>
      <Figure
        to={`/money?days=${days}`}
        roles={PAGES.business.sees}
        name="Net deposits"
        checking={checking}
        value={formatUsdSigned(data.deposits - data.withdrawals)}
        more={`${formatUsd(data.deposits)} in, ${formatUsd(data.withdrawals)} out`}
        line={data.days.map((day) => day.deposits - day.withdrawals)}
      />
      <Figure
        to={`/trades?mode=real&settled=${days}`}
        roles={PAGES.trades.sees}
        name="House result"
        checking={checking}
        value={formatUsdSigned(data.staked - data.paid_out)}
        more={
          data.staked === 0
            ? 'no trade has settled'
            : `${percent(data.staked - data.paid_out, data.staked)} of ${formatUsd(data.staked)} staked`
        }
        line={data.days.map((day) => day.staked - day.paid_out)}
      />
      <Figure
        to={`/users?traded=${days}`}
        name="Active traders"
        value={data.traders.toLocaleString('en-US')}
        more={`${data.trades.toLocaleString('en-US')} real trades settled`}
        line={data.days.map((day) => day.traders)}
      />
      <Figure
        to={`/withdrawals?status=Paid&paid=${days}`}
        roles={QUEUES.withdrawals.sees}
        name="Paid in time"
        value={data.payouts === 0 ? '–' : percent(data.payouts_in_time, data.payouts)}
        more={`${data.payouts_in_time} of ${data.payouts} withdrawals${
          data.payout_seconds === null ? '' : `, median ${timeText(data.payout_seconds)}`
        }`}
        line={data.days.map((day) => day.payouts)}
      />
      <Figure
        to="/exposure"
        roles={PAGES.exposure.sees}
        name="Open exposure"
        checking={checking}
        value={formatUsd(data.open.stake)}
        more={worstCase(data)}
      />
    </ul>
  )
}

/** A time as words: `50 min`, `6 h 50`, `2 d 3 h`. */
export function timeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes} min`
  return hours < 24
    ? `${hours} h ${String(minutes % 60).padStart(2, '0')}`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** What one shock would cost at most, of what the house owns. Before the first count: if every open trade won. */
export function worstCase({ open, risk }: Pick<DeskBusiness, 'open' | 'risk'>): string {
  if (!risk) return `worst case ${formatUsdSigned(0 - open.worst_loss)}`
  const equity = `${formatUsd(risk.equity)} ${risk.play ? 'play equity' : 'equity'}`
  return `worst case ${formatUsdSigned(0 - risk.worst_loss)} of ${equity}`
}

interface FigureProps {
  /** The page with its rows, and who sees that: everyone, if it isn't said. */
  to: string
  roles?: readonly OperatorRole[]
  name: string
  /** An amount that may differ from the ledger: it isn't shown. */
  checking?: boolean
  value: string
  more: ReactNode
  /** By day, oldest first. */
  line?: readonly number[]
}

function Figure({ to, roles, name, checking, value, more, line }: FigureProps) {
  const sees = useMay(roles ?? OPERATOR_ROLES)
  const words = checking ? (
    <>
      <span className={styles.name}>{name}</span>
      <span className={styles.checking}>checking</span>
    </>
  ) : (
    <>
      <span className={styles.name}>{name}</span>
      <span className={styles.value}>{value}</span>
      <span className={styles.more}>{more}</span>
      {line && line.length > 1 && <Spark values={line} />}
    </>
  )
  return (
    <li>
      {sees ? (
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
