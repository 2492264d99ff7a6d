import { useQuery } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { useState } from 'react'
import type { DeskExposure } from '#contract/desk/markets/exposure.ts'
import { MODES } from '#contract/terms.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Badge,
  Choices,
  EmptyState,
  formatPrice,
  formatUsd,
  formatUsdSigned,
  ListError,
  Page,
  Side,
  SkeletonRows,
} from '#web/ui/index.ts'
import { queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import styles from './exposure.module.css'
import { FiguresTable, Quiet } from './figures-table.tsx'
import { HouseRisk } from './house-risk.tsx'

/** Reloaded every second, since prices move. */
const LIVE_MS = 1_000

/** Open stakes by symbol and side, and the house's profit or loss if all ended now. */
export default function Exposure() {
  const [mode, setMode] = useState<(typeof MODES)[number]>('real')
  const exposure = useQuery(queryOf('GET /desk/exposure', { query: { mode } }, LIVE_MS))
  const problem = problemOf(exposure)
  const rows = (exposure.data?.data ?? [])
    .filter((row) => row.buy.trades + row.sell.trades > 0)
    .sort((a, b) => b.buy.stake + b.sell.stake - (a.buy.stake + a.sell.stake))
  return (
    <Page
      title="Exposure"
      intro="Open stakes by symbol, live. The last column is the profit or loss of the house if every open trade ended now."
      actions={
        <Choices
          label="Account"
          quiet
          value={mode}
          onChange={setMode}
          options={MODES.map((value) => ({ value, label: value }))}
        />
      }
    >
      <DeskTitle>Exposure</DeskTitle>
      {mode === 'real' && <HouseRisk />}
      {problem && <ListError {...problem} />}
      {exposure.isPending && !problem && <SkeletonRows rows={6} label="Loading the exposure" />}
      {exposure.data && rows.length === 0 && (
        <EmptyState icon={<Gauge />} title="No open trades">
          Symbols with open trades appear here.
        </EmptyState>
      )}
      {rows.length > 0 && <ExposureTable rows={rows} />}
    </Page>
  )
}

function ExposureTable({ rows }: { rows: readonly DeskExposure[] }) {
  const largest = Math.max(1, ...rows.flatMap((row) => [row.buy.stake, row.sell.stake]))
  const total = (of: (row: DeskExposure) => number) => rows.reduce((sum, row) => sum + of(row), 0)
  return (
    <FiguresTable label="Exposure by symbol">
      <thead>
        <tr>
          <th scope="col">Symbol</th>
          <th scope="col">Price</th>
          <th scope="col">
            <Side side="Sell" />
          </th>
          <th scope="col" data-text>
            <Side side="Buy" />
          </th>
          <th scope="col">Limit</th>
          <th scope="col">House now</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.symbol}>
            <th scope="row">
              {row.symbol} {row.status !== 'open' && <Badge tone="warn">{row.status}</Badge>}
            </th>
            <td>{formatPrice(row.price)}</td>
            <td>
              <Bar of={row.sell} largest={largest} side="sell" />
            </td>
            <td data-text>
              <Bar of={row.buy} largest={largest} side="buy" />
            </td>
            <td>
              {row.open_max === null
                ? '–'
                : `${Math.round(((row.buy.stake + row.sell.stake) / row.open_max) * 100)}% of ${formatUsd(row.open_max)}`}
            </td>
            <td className={row.house_now < 0 ? styles.loses : styles.wins}>{formatUsdSigned(row.house_now)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">All</th>
          <td />
          <td>{formatUsd(total((row) => row.sell.stake))}</td>
          <td data-text>{formatUsd(total((row) => row.buy.stake))}</td>
          <td />
          <td>{formatUsdSigned(total((row) => row.house_now))}</td>
        </tr>
      </tfoot>
    </FiguresTable>
  )
}

function Bar({ of, largest, side }: { of: DeskExposure['buy']; largest: number; side: 'buy' | 'sell' }) {
  return (
    <>
      <span className={styles.words}>
        {formatUsd(of.stake)} <Quiet>in {of.trades}</Quiet>
      </span>
      <meter
        className={side === 'buy' ? styles.meterBuy : styles.meterSell}
        min={0}
        max={largest}
        value={of.stake}
        aria-hidden
      />
    </>
  )
}
