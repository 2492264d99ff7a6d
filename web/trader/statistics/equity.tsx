import { useMemo } from 'react'
import { Link } from 'react-router'
import type { TradeStatistics } from '#contract/trading/trading.ts'
import { historyOf } from '#web/api/index.ts'
import { Change, curvePoints, formatDateTime, MoneyCurve } from '#web/ui/index.ts'
import { AsTable } from './as-table.tsx'
import type { Scope } from './links.ts'
import { Panel } from './panel.tsx'
import styles from './statistics.module.css'

/** The running net result. */
export function Equity({ data: { curve, net }, scope }: { data: TradeStatistics; scope: Scope }) {
  // It starts at zero, before the first trade ended.
  const points = useMemo(() => {
    const first = curve[0]
    return curvePoints(first ? [[first[0] - 60_000, 0], ...curve] : [])
  }, [curve])
  return (
    <Panel title="Equity curve" hint="running net result">
      <div className={styles.curve}>
        <MoneyCurve points={points}>
          <Link to={historyOf(scope)}>
            Net result now <Change amount={net} unit="$" />
          </Link>
        </MoneyCurve>
      </div>
      <AsTable caption="Net result after trades" heads={['Ended', 'Net result']}>
        {curve.map(([ms, value], n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several trades may end at once
          <tr key={n}>
            <th scope="row">{formatDateTime(ms)}</th>
            <td>
              <Change amount={value} unit="$" />
            </td>
          </tr>
        ))}
      </AsTable>
    </Panel>
  )
}
