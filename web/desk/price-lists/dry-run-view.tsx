import type { PriceListDocument } from '#contract/trading/offers.ts'
import type { DryRun } from '#contract/trading/price-lists.ts'
import { Alert, Badge, formatDuration } from '#web/ui/index.ts'
import { FiguresTable } from '../risk/figures-table.tsx'
import styles from './price-lists.module.css'

const SOURCES = { tape: 'Tape', recordings: 'Recorded days' } as const
const signed = (percent: number) => `${percent > 0 ? '+' : ''}${percent.toFixed(2)}%`

/** What price lists would have done on past minutes. */
export function DryRunView({ run, document }: { run: DryRun; document: PriceListDocument }) {
  return (
    <section className={styles.run} aria-label="Dry run">
      <Edges run={run} />
      <p className={styles.hint}>
        {run.sources.length === 0
          ? 'There are no prices yet to try them on'
          : run.sources
              .map(({ name, from, to, symbols }) => `${SOURCES[name]}: ${from} to ${to}, ${symbols} symbols`)
              .join('. ')}
        {run.open_trades > 0 &&
          `. ${run.open_trades} open ${run.open_trades === 1 ? 'trade keeps its' : 'trades keep their'} terms`}
        .
      </p>
      {run.rows.length > 0 && (
        <FiguresTable label="Expected hold by pair">
          <thead>
            <tr>
              <th scope="col" data-text>
                List
              </th>
              <th scope="col" data-text>
                Odds
              </th>
              <th scope="col">Breaks even at</th>
              <th scope="col">Expected hold</th>
              <th scope="col">95% by days</th>
              <th scope="col" data-text>
                Prices
              </th>
            </tr>
          </thead>
          <tbody>
            {run.rows.map((row) => (
              <tr key={`${row.source} ${row.list} ${row.pair} ${row.side}`}>
                <td data-text>{document.lists[row.list - 1]?.name}</td>
                <td data-text>
                  {row.side} {row.pair}
                </td>
                <td>{row.break_even.toFixed(1)}%</td>
                <td className={row.hold && row.hold.percent < 0 ? styles.bad : undefined}>
                  {row.hold ? signed(row.hold.percent) : '–'}
                </td>
                <td>
                  {row.hold && row.hold.low !== null && row.hold.high !== null
                    ? `${signed(row.hold.low)} to ${signed(row.hold.high)}`
                    : '–'}
                </td>
                <td data-text>{SOURCES[row.source]}</td>
              </tr>
            ))}
          </tbody>
        </FiguresTable>
      )}
    </section>
  )
}

/** Where a trader would have an edge. */
function Edges({ run }: { run: DryRun }) {
  if (!run.edge)
    return run.sources.length === 0 ? null : (
      <p>
        <Badge tone="up">No edge</Badge> Traders would have had no edge for any symbol, duration and side.
      </p>
    )
  return (
    <>
      <Alert>Traders would have an edge. Approving this takes a reason, which goes to the audit log.</Alert>
      <ul className={styles.rows}>
        {run.no_hold.map(({ list, pair, side }) => (
          <li key={`${list} ${pair} ${side}`}>
            <span>
              {side} at {pair}, list {list}
            </span>
            <span>a coin toss breaks even</span>
          </li>
        ))}
        {run.edges.map((edge) => (
          <li key={Object.values(edge).join(' ')}>
            <span>
              {edge.symbol}, {formatDuration(edge.duration)}, {edge.side} at {edge.pair}
            </span>
            <span>
              {signed(edge.percent)} of the stake, at least {signed(edge.low)} ({SOURCES[edge.source].toLowerCase()})
            </span>
          </li>
        ))}
        {run.edges_in_all > run.edges.length && <li>and {run.edges_in_all - run.edges.length} more</li>}
      </ul>
    </>
  )
}
