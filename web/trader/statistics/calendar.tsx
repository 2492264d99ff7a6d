import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { CSSProperties } from 'react'
import { Link } from 'react-router'
import type { TradeStatistics } from '#contract/trading/trading.ts'
import { DAY_MS } from '#kernel/time.ts'
import { dayStart, weekdayOf } from '#kernel/zone.ts'
import { historyOf, timeZone } from '#web/api/index.ts'
import { Button, Change, cx, formatUsdSigned, weekdayWord } from '#web/ui/index.ts'
import { moveByArrows } from './arrow-keys.ts'
import { AsTable } from './as-table.tsx'
import styles from './calendar.module.css'
import { endedWithin, type Scope } from './links.ts'
import { Panel } from './panel.tsx'
import { shortDollars } from './short-dollars.ts'

interface CalendarProps {
  days: TradeStatistics['days']
  scope: Scope
  /** `YYYY-MM`; the last one with a trade unless another was chosen. */
  month: string | undefined
  onMonth: (month: string) => void
}

/** A month of days, each with its trades and their result. */
export function Calendar({ days, scope, month, onMonth }: CalendarProps) {
  const first = days[0]?.[0].slice(0, 7) ?? ''
  const last = days.at(-1)?.[0].slice(0, 7) ?? ''
  const shown = month !== undefined && month >= first && month <= last ? month : last
  const most = Math.max(...days.map(([, , net]) => Math.abs(net)), 1)
  const byDay = new Map(days.map((day) => [day[0], day]))
  const opening = days.find(([day]) => day.startsWith(shown))?.[0]
  const linkOf = (day: string) => historyOf(endedWithin(scope, dayStart(timeZone(), day), dayStart(timeZone(), day, 1)))
  return (
    <Panel
      title="Calendar"
      hint={
        <span className={styles.months}>
          <Button
            look="quiet"
            size="small"
            icon
            aria-label="Previous month"
            disabled={shown <= first}
            onClick={() => onMonth(monthAfter(shown, -1))}
          >
            <ChevronLeft aria-hidden />
          </Button>
          <span aria-live="polite">{shown}</span>
          <Button
            look="quiet"
            size="small"
            icon
            aria-label="Next month"
            disabled={shown >= last}
            onClick={() => onMonth(monthAfter(shown, 1))}
          >
            <ChevronRight aria-hidden />
          </Button>
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the days */}
      <div className={styles.month} onKeyDown={moveByArrows}>
        <Weekdays />
        {daysOf(shown).map((day, n) => {
          const place: CSSProperties | undefined =
            n === 0 ? { gridColumnStart: weekdayOf(Date.parse(day)) + 1 } : undefined
          const traded = byDay.get(day)
          if (!traded)
            return (
              <span key={day} className={styles.day} style={place}>
                {Number(day.slice(8))}
              </span>
            )
          return <TradedDay key={day} of={traded} to={linkOf(day)} most={most} isStop={day === opening} place={place} />
        })}
      </div>
      <p className={styles.caption}>{`Each day: how many trades ended (×) and what they brought, in ${timeZone()}.`}</p>
      <DaysTable days={days} linkOf={linkOf} />
    </Panel>
  )
}

const WEEK = [0, 1, 2, 3, 4, 5, 6]
const tradesWord = (count: number): string => (count === 1 ? '1 trade' : `${count.toLocaleString('en-US')} trades`)

function monthAfter(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year ?? 0, (number ?? 1) - 1 + count)).toISOString().slice(0, 7)
}

function daysOf(month: string): string[] {
  const first = Date.parse(`${month}-01`)
  const next = Date.parse(`${monthAfter(month, 1)}-01`)
  return Array.from({ length: Math.round((next - first) / DAY_MS) }, (_, n) =>
    new Date(first + n * DAY_MS).toISOString().slice(0, 10),
  )
}

interface TradedDayProps {
  of: TradeStatistics['days'][number]
  to: string
  /** The largest result of a day, for the shades. */
  most: number
  isStop: boolean
  place: CSSProperties | undefined
}

function TradedDay({ of: [day, trades, net], to, most, isStop, place }: TradedDayProps) {
  return (
    <Link
      to={to}
      tabIndex={isStop ? 0 : -1}
      className={cx(styles.day, styles.traded, net > 0 && styles.up, net < 0 && styles.down)}
      style={{ ...place, '--share': `${10 + (Math.abs(net) / most) * 30}%` } as CSSProperties}
    >
      <span className="visually-hidden">{`${day}: ${formatUsdSigned(net)}, ${tradesWord(trades)}`}</span>
      <span aria-hidden>
        {Number(day.slice(8))}
        <small>{`×${trades}`}</small>
      </span>
      <b aria-hidden>{shortDollars(net)}</b>
    </Link>
  )
}

function DaysTable({ days, linkOf }: { days: TradeStatistics['days']; linkOf: (day: string) => string }) {
  return (
    <AsTable caption="Days" heads={['Day', 'Trades', 'Net']}>
      {days.toReversed().map(([day, trades, net]) => (
        <tr key={day}>
          <th scope="row">
            <Link to={linkOf(day)}>{day}</Link>
          </th>
          <td>{trades}</td>
          <td>
            <Change amount={net} unit="$" />
          </td>
        </tr>
      ))}
    </AsTable>
  )
}

const Weekdays = () =>
  WEEK.map((weekday) => (
    <span key={weekday} className={styles.weekday} aria-hidden>
      {weekdayWord(weekday).slice(0, 2)}
    </span>
  ))
