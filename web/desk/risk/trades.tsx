import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { DeskTrade as WireTrade } from '#contract/desk/markets/trades.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { MODES, TRADE_STATUSES } from '#contract/terms.ts'
import { type Trade, tradeOf } from '#web/client/index.ts'
import {
  Alert,
  Badge,
  CardLine,
  Choices,
  type Column,
  Fact,
  Facts,
  Field,
  formatDateTime,
  formatUsd,
  Modal,
  Side,
  StatusBadge,
  TradeTimes,
} from '#web/ui/index.ts'
import { call, send } from '../api.ts'
import { Filters } from '../parts/filters.tsx'
import { InDays, useDays } from '../parts/in-days.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useLater } from '../parts/use-later.ts'
import { ItemActions } from '../queues/screen/item-actions.tsx'
import { SecondOperator } from '../queues/screen/second-operator.tsx'
import { useMay, useSession } from '../session.ts'

type DeskTrade = Trade<WireTrade>

const STATUSES = ['', ...TRADE_STATUSES] as const

const COLUMNS: readonly Column<DeskTrade>[] = [
  { head: 'Trade', kind: 'name', cell: (trade) => trade.trade_id },
  { head: 'User', cell: (trade) => <Link to={`/users/${trade.user_id}`}>{trade.email}</Link> },
  { head: 'Account', cell: (trade) => trade.mode },
  { head: 'Symbol', cell: (trade) => trade.symbol },
  { head: 'Side', cell: (trade) => <Side side={trade.side} /> },
  { head: 'Stake', kind: 'figure', cell: (trade) => formatUsd(trade.stake) },
  {
    head: 'Payout',
    kind: 'figure',
    cell: (trade) => (trade.payout === undefined ? '–' : formatUsd(trade.payout)),
  },
  { head: 'Ends', kind: 'quiet', cell: (trade) => formatDateTime(trade.end_time) },
  {
    head: 'Status',
    cell: (trade) => (
      <>
        <StatusBadge status={trade.status} />{' '}
        {trade.void && trade.status === 'Pending' && <Badge tone="warn">Void proposed</Badge>}
      </>
    ),
  },
]

/** All traders' trades. A risk operator can propose to void an open one; a second one confirms. */
export default function Trades() {
  const [params] = useSearchParams()
  const user = params.get('user') ?? ''
  const linked = params.get('mode') ?? ''
  // A link from the figures of the business shows settled trades too.
  const [status, setStatus] = useState<string>(params.get('status') ?? (linked === '' ? 'Pending' : ''))
  const [mode, setMode] = useState<string>(linked)
  const [typed, setTyped] = useState(params.get('symbol') ?? '')
  const [settled, setSettled] = useDays('settled')
  const symbol = useLater(typed.trim().toUpperCase(), 250)
  const [chosen, setChosen] = useState<DeskTrade>()
  return (
    <ListPage<DeskTrade>
      title={user ? `Trades of user ${user}` : 'Trades'}
      of="trade"
      path="/desk/trades"
      filter={{ status, mode, symbol, user, settled }}
      filters={<TradeFilters {...{ status, setStatus, mode, setMode, typed, setTyped, settled, setSettled }} />}
      read={async (query, signal) => {
        const page = await call('GET /desk/trades', { query: query as { status: 'Pending' }, signal })
        return { ...page, data: page.data.map(tradeOf) }
      }}
      keyOf={(trade) => trade.id}
      columns={COLUMNS}
      card={(trade) => <TradeCard trade={trade} />}
      onOpen={setChosen}
      openLabel={(trade) => `Details of trade ${trade.trade_id}`}
    >
      <Modal
        open={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={`Trade ${chosen?.trade_id ?? ''}`}
        wide
      >
        {chosen && <TradeFacts trade={chosen} onDone={() => setChosen(undefined)} />}
      </Modal>
    </ListPage>
  )
}

interface TradeFiltersProps {
  status: string
  setStatus: (status: string) => void
  mode: string
  setMode: (mode: string) => void
  typed: string
  setTyped: (typed: string) => void
  settled: string
  setSettled: (days: string) => void
}

function TradeFilters({ status, setStatus, mode, setMode, typed, setTyped, settled, setSettled }: TradeFiltersProps) {
  return (
    <Filters>
      <Choices
        label="Status"
        value={status}
        onChange={setStatus}
        options={STATUSES.map((value) => ({
          value,
          label: value === '' ? 'All' : value === 'Pending' ? 'In Progress' : value,
        }))}
      />
      <Choices
        label="Account"
        value={mode}
        onChange={setMode}
        options={['', ...MODES].map((value) => ({ value, label: value === '' ? 'Both' : value }))}
      />
      <InDays label="Settled" value={settled} onChange={setSettled} />
      <Field label="Symbol" placeholder="BTCUSDT" value={typed} onChange={(event) => setTyped(event.target.value)} />
    </Filters>
  )
}

function TradeCard({ trade }: { trade: DeskTrade }) {
  return (
    <>
      <CardLine>
        <span>
          {trade.symbol} <Side side={trade.side} />
        </span>
        <span>{formatUsd(trade.stake)}</span>
      </CardLine>
      <CardLine quiet>
        <span>{trade.email}</span>
        <StatusBadge status={trade.status} />
      </CardLine>
    </>
  )
}

function TradeFacts({ trade, onDone }: { trade: DeskTrade; onDone: () => void }) {
  const may = useMay(PAGES.trades.acts)
  const me = useSession((state) => state.operator?.id)
  const runs = trade.status === 'Pending' && Date.parse(trade.end_time) > Date.now()
  return (
    <>
      <Facts>
        <Fact name="User">{trade.email}</Fact>
        <Fact name="Account">{trade.mode}</Fact>
        <Fact name="Order">
          {trade.side} {trade.symbol}, {formatUsd(trade.stake)} at {trade.percent}%
        </Fact>
        <TradeTimes trade={trade} scale={undefined} />
        <Fact name="Status">
          <StatusBadge status={trade.status} />
        </Fact>
        {trade.outcome_reason && <Fact name="Why">{trade.outcome_reason}</Fact>}
        {trade.void && (
          <Fact name="Void proposed">
            {trade.void.proposed_by.email}, {formatDateTime(trade.void.at)}: {trade.void.reason}
          </Fact>
        )}
      </Facts>
      {runs && trade.void && <SecondOperator roles={PAGES.trades.acts} by={trade.void.proposed_by.operator_id} />}
      {trade.own && <Alert>You can't act on your own trade. Ask another operator.</Alert>}
      {runs && may && !trade.own && (
        <ItemActions
          blocked={
            trade.void?.proposed_by.operator_id === me
              ? 'You proposed this. Ask another risk operator to complete it.'
              : undefined
          }
          actions={[
            {
              key: 'v',
              label: trade.void ? 'Complete the void' : 'Propose to void',
              look: 'danger',
              asks: { label: 'Reason', kind: 'long', hint: 'The trader sees this. The stake is returned.' },
              run: async (reason) => {
                const { data } = await send('POST /desk/trades/:id/void', {
                  params: { id: trade.id },
                  body: { reason },
                })
                onDone()
                return data.status === 'Void'
                  ? 'Trade voided. The stake was returned.'
                  : 'Proposed. Another risk operator must complete it.'
              },
            },
          ]}
        />
      )}
    </>
  )
}
