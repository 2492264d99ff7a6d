import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskInstrument } from '#contract/desk/markets/instruments.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Badge,
  Button,
  CardLine,
  Choices,
  EmptyState,
  Fact,
  Facts,
  Field,
  formatPrice,
  ListError,
  Modal,
  Page,
  RecordList,
  SkeletonRows,
} from '#web/ui/index.ts'
import { OFTEN_MS, queryOf } from '../../api.ts'
import { DeskTitle } from '../../parts/desk-title.tsx'
import { Filters } from '../../parts/filters.tsx'
import { useNarrow } from '../../parts/use-widths.ts'
import { useMay } from '../../session.ts'
import { AddInstrument } from './add-instrument.tsx'
import { ChangeTerms } from './change-terms.tsx'
import { CloseInstrument } from './close-instrument.tsx'
import { percent, termsAsText } from './instrument-terms.tsx'
import styles from './instruments.module.css'
import { WithdrawInstrument } from './withdraw-instrument.tsx'

const SHOWN = ['All', 'Closed here', 'Change pending'] as const
const STATUS = {
  open: { label: 'Open', tone: 'up' },
  stale: { label: 'Stale', tone: 'warn' },
  closed: { label: 'Market closed', tone: 'neutral' },
  unavailable: { label: 'Unavailable', tone: 'neutral' },
} as const
const CHANGE = {
  add: 'Adding',
  change: 'New terms',
  close: 'Closing',
  reopen: 'Reopening',
  withdraw: 'Withdrawal',
} as const

/** All instruments with their terms. One admin proposes a change of them; another decides in the queue. */
export default function Instruments() {
  const may = useMay(PAGES.instruments.acts)
  const narrow = useNarrow()
  const [typed, setTyped] = useState('')
  const [shown, setShown] = useState<(typeof SHOWN)[number]>('All')
  const [adding, setAdding] = useState(false)
  const [chosen, setChosen] = useState<string>()
  const list = useQuery(queryOf('GET /desk/instruments', undefined, OFTEN_MS))
  const problem = problemOf(list)
  const all = list.data?.data ?? []
  const symbol = typed.trim().toUpperCase()
  const rows = all.filter(
    (row) =>
      row.symbol.includes(symbol) &&
      (shown === 'All' || (shown === 'Closed here' ? row.closed_reason !== null : row.change !== null)),
  )
  const opened = all.find((row) => row.symbol === chosen)
  return (
    <Page
      title="Instruments"
      intro="Every change takes two admins, and takes effect within seconds. Open trades settle as usual."
      {...(may ? { actions: <Button onClick={() => setAdding(true)}>Add an instrument</Button> } : {})}
    >
      <DeskTitle>Instruments</DeskTitle>
      <Filters>
        <Choices
          label="Shown"
          value={shown}
          onChange={setShown}
          options={SHOWN.map((value) => ({ value, label: value }))}
        />
        <Field label="Symbol" placeholder="BTCUSDT" value={typed} onChange={(event) => setTyped(event.target.value)} />
      </Filters>
      {problem && <ListError {...problem} />}
      {list.isPending && !problem && <SkeletonRows rows={8} label="Loading the instruments" />}
      {list.data && rows.length === 0 && (
        <EmptyState icon={<SearchX />} title="No instruments found">
          Try other filters.
        </EmptyState>
      )}
      {rows.length > 0 && <InstrumentList rows={rows} asCards={narrow} onOpen={setChosen} />}
      <Modal open={adding} onClose={() => setAdding(false)} title="Add an instrument" wide>
        {adding && <AddInstrument onDone={() => setAdding(false)} />}
      </Modal>
      <Modal open={opened !== undefined} onClose={() => setChosen(undefined)} title={chosen ?? ''} wide>
        {opened && <Details key={opened.symbol} row={opened} may={may} onDone={() => setChosen(undefined)} />}
      </Modal>
    </Page>
  )
}

interface InstrumentListProps {
  rows: DeskInstrument[]
  asCards: boolean
  onOpen: (symbol: string) => void
}

function InstrumentList({ rows, asCards, onOpen }: InstrumentListProps) {
  return (
    <RecordList<DeskInstrument>
      of="instruments"
      rows={rows}
      keyOf={(row) => row.symbol}
      asCards={asCards}
      scrolls
      columns={[
        { head: 'Symbol', kind: 'name', cell: (row) => row.symbol },
        { head: 'Trading type', kind: 'quiet', cell: (row) => row.trading_type ?? 'Display only' },
        { head: 'Price', kind: 'figure', cell: (row) => formatPrice(row.price) },
        { head: 'Exchanges needed', kind: 'figure', cell: (row) => row.min_sources },
        { head: 'Spread up to', kind: 'figure', cell: (row) => percent(row.largest_spread_bps) },
        { head: 'Deviation up to', kind: 'figure', cell: (row) => percent(row.largest_deviation_bps) },
        { head: 'Status', cell: (row) => <Status row={row} /> },
      ]}
      card={(row) => (
        <>
          <CardLine>
            <span>{row.symbol}</span>
            <span>{formatPrice(row.price)}</span>
          </CardLine>
          <CardLine quiet>
            <span>{row.trading_type ?? 'Display only'}</span>
            <Status row={row} />
          </CardLine>
        </>
      )}
      onOpen={(row) => onOpen(row.symbol)}
      openLabel={(row) => `Details of ${row.symbol}`}
    />
  )
}

function Status({ row: { status, closed_reason, change } }: { row: DeskInstrument }) {
  const { label, tone } = closed_reason === null ? STATUS[status] : ({ label: 'Closed here', tone: 'down' } as const)
  return (
    <span className={styles.badges}>
      <Badge tone={tone}>{label}</Badge>
      {change && <Badge tone="warn">{CHANGE[change.kind]} proposed</Badge>}
    </span>
  )
}

type Task = 'terms' | 'close' | 'withdraw'

function Details({ row, may, onDone }: { row: DeskInstrument; may: boolean; onDone: () => void }) {
  return (
    <div className={styles.form}>
      <Facts>
        <Fact name="Pair">
          {row.base}/{row.quote}
        </Fact>
        <Fact name="Price">{formatPrice(row.price)}</Fact>
        <Fact name="Status">
          <Status row={row} />
        </Fact>
        {row.reason !== undefined && <Fact name="Traders see">{row.reason}</Fact>}
        <Fact name="Decimal places">{row.scale}</Fact>
        {termsAsText(row).map(([name, text]) => (
          <Fact key={name} name={name}>
            {text}
          </Fact>
        ))}
      </Facts>
      {row.change ? (
        <p>
          {row.change.proposed_by.email} proposed a change.{' '}
          <Link to={`/instrument-changes/${row.change.id}`}>Open the proposal</Link>
        </p>
      ) : (
        may && <Tasks row={row} onDone={onDone} />
      )}
    </div>
  )
}

/** What an admin can propose about an instrument. */
function Tasks({ row, onDone }: { row: DeskInstrument; onDone: () => void }) {
  const [task, setTask] = useState<Task>('terms')
  const options: { value: Task; label: string }[] = [
    { value: 'terms', label: 'Change terms' },
    { value: 'close', label: row.closed_reason === null ? 'Close' : 'Reopen' },
    ...(row.has_had_price ? [] : [{ value: 'withdraw' as const, label: 'Withdraw' }]),
  ]
  return (
    <>
      <Choices label="Propose" value={task} onChange={setTask} options={options} />
      {row.has_had_price && <p className={styles.hint}>It has had a price, so it can be closed but not withdrawn.</p>}
      {task === 'terms' && <ChangeTerms row={row} onDone={onDone} />}
      {task === 'close' && <CloseInstrument row={row} onDone={onDone} />}
      {task === 'withdraw' && <WithdrawInstrument symbol={row.symbol} onDone={onDone} />}
    </>
  )
}
