import type { CSSProperties } from 'react'
import { Link } from 'react-router'
import type { StatisticsGroup } from '#contract/trading/trading.ts'
import { historyOf, timeZone } from '#web/api/index.ts'
import { Change, cx, formatUsdSigned, hourWord } from '#web/ui/index.ts'
import { moveByArrows } from './arrow-keys.ts'
import { AsTable } from './as-table.tsx'
import styles from './hours.module.css'
import type { Scope } from './links.ts'
import { Panel } from './panel.tsx'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const words = (hour: number): string => `${hourWord(hour)} to ${hourWord((hour + 1) % 24)}`
/** An hour with fewer trades is a hint at most. */
const FEW = 30

/** Net results by hour of the day, as bars above and below zero. */
export function Hours({ groups, scope }: { groups: readonly StatisticsGroup[]; scope: Scope }) {
  const byHour = new Map(groups.map((group) => [Number(group.key), group]))
  const most = Math.max(...groups.map(({ net }) => Math.abs(net)), 0.01)
  const opening = HOURS.find((hour) => byHour.has(hour))
  return (
    <Panel title="By hour" hint={`net, in ${timeZone()}`}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move among the hours */}
      <div className={styles.bars} onKeyDown={moveByArrows}>
        {HOURS.map((hour) => {
          const group = byHour.get(hour)
          if (!group) return <span key={hour} className={styles.bar} />
          const { net, trades } = group
          return (
            <Link
              key={hour}
              to={historyOf({ ...scope, hour })}
              tabIndex={hour === opening ? 0 : -1}
              className={styles.bar}
              aria-label={`${words(hour)}: ${formatUsdSigned(net)}, ${trades === 1 ? '1 trade' : `${trades} trades`}`}
            >
              <i
                className={cx(net >= 0 ? styles.up : styles.down)}
                style={{ '--height': `${(Math.abs(net) / most) * 50}%` } as CSSProperties}
              />
            </Link>
          )
        })}
      </div>
      <div className={styles.axis} aria-hidden>
        <span>00</span>
        <span>06</span>
        <span>12</span>
        <span>18</span>
        <span>23</span>
      </div>
      {groups.some(({ trades }) => trades < FEW) && (
        <p className={styles.caption}>{`Hours with fewer than ${FEW} trades are a hint, not a rule.`}</p>
      )}
      <HoursTable byHour={byHour} scope={scope} />
    </Panel>
  )
}

function HoursTable({ byHour, scope }: { byHour: ReadonlyMap<number, StatisticsGroup>; scope: Scope }) {
  return (
    <AsTable caption="Results by hour" heads={['Hour', 'Trades', 'Won', 'Net']}>
      {HOURS.map((hour) => {
        const group = byHour.get(hour)
        return (
          group && (
            <tr key={hour}>
              <th scope="row">
                <Link to={historyOf({ ...scope, hour })}>{words(hour)}</Link>
              </th>
              <td>{group.trades}</td>
              <td>
                {group.won}/{group.won + group.lost}
              </td>
              <td>
                <Change amount={group.net} unit="$" />
              </td>
            </tr>
          )
        )
      })}
    </AsTable>
  )
}
