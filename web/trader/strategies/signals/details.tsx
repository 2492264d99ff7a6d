import { Inbox, Radio } from 'lucide-react'
import { useState } from 'react'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import type { Signal } from '#contract/trading/signals.ts'
import { RECEIVED_KEPT, type ReceivedSignal } from '#contract/trading/webhooks.ts'
import { problemOf, usePages, useScreen } from '#web/api/index.ts'
import {
  Badge,
  CardLine,
  Choices,
  type Column,
  EmptyState,
  FromTo,
  formatDate,
  formatDuration,
  formatExactTime,
  formatPrice,
  PageList,
  Side,
  Stack,
  StatusBadge,
} from '#web/ui/index.ts'
import { SignalProof } from './signal-proof.tsx'
import styles from './signals.module.css'
import { voidText } from './words.ts'

/** How often the lists are read again: nothing pushes what arrives. */
const EVERY_MS = 10_000

/** A strategy's signals with their outcomes and, if they come from outside, the messages with what each became. */
export function Details({ strategy }: { strategy: OwnStrategy }) {
  const [list, setList] = useState<'signals' | 'messages'>('signals')
  return (
    <section className={styles.details} aria-label="Signals and messages">
      {strategy.kind === 'webhook' && (
        <div className={styles.choice}>
          <Choices
            label="Signals or messages"
            quiet
            value={list}
            onChange={setList}
            options={[
              { value: 'signals', label: 'Signals' },
              { value: 'messages', label: 'Messages' },
            ]}
          />
        </div>
      )}
      {list === 'signals' ? <Signals strategy={strategy} /> : <Messages id={strategy.id} />}
    </section>
  )
}

function Signals({ strategy: { id, kind, signals_on } }: { strategy: OwnStrategy }) {
  const pages = usePages('GET /strategies/:id/signals', {}, { params: { id }, everyMs: EVERY_MS })
  const screen = useScreen()
  const [proved, setProved] = useState<Signal>()
  return (
    <>
      <PageList<Signal>
        pages={pages}
        of="signal"
        problem={problemOf(pages)}
        problemText="We couldn't load the signals."
        keyOf={(signal) => signal.number}
        onOpen={setProved}
        openLabel={({ number }) => `Prove signal ${number}`}
        columns={SIGNAL_COLUMNS}
        fewColumns={FEW_SIGNAL_COLUMNS}
        asCards={screen === 'mobile'}
        card={(signal) => (
          <>
            <CardLine>
              {sideOf(signal)}
              <StatusBadge status={signal.status} />
            </CardLine>
            <CardLine quiet>
              <span>{timeOf(signal)}</span>
              {pricesOf(signal)}
            </CardLine>
          </>
        )}
        empty={
          <EmptyState icon={<Radio />} title="No signals yet">
            {!signals_on
              ? 'Switch its signals on. Each one then appears here, with its outcome.'
              : kind === 'rule'
                ? 'Its signals are on. The next one appears here when a candle closes and the rule is true.'
                : 'Its signals are on. Make its address and send a message: the signal appears here.'}
          </EmptyState>
        }
      />
      <SignalProof signal={proved} onClose={() => setProved(undefined)} />
    </>
  )
}

function Messages({ id }: { id: string }) {
  const pages = usePages('GET /strategies/:id/received', {}, { params: { id }, everyMs: EVERY_MS })
  const screen = useScreen()
  return (
    <>
      <p className={styles.note}>What arrived at its address. The newest {RECEIVED_KEPT} messages are kept.</p>
      <PageList<ReceivedSignal>
        pages={pages}
        of="message"
        problem={problemOf(pages)}
        problemText="We couldn't load the messages."
        keyOf={(message) => message.id}
        columns={MESSAGE_COLUMNS}
        asCards={screen === 'mobile'}
        card={(message) => (
          <>
            <CardLine>
              {sideOf(message)}
              <span>{timeOf(message)}</span>
            </CardLine>
            <CardLine quiet>{became(message)}</CardLine>
          </>
        )}
        empty={
          <EmptyState icon={<Inbox />} title="No messages yet">
            Make its address, give it to your sender, and switch its signals on. Each message appears here with what it
            became.
          </EmptyState>
        }
      />
    </>
  )
}

const sideOf = ({ side, symbol }: { side?: Signal['side'] | undefined; symbol?: string | undefined }) => (
  <span className={styles.side}>
    {side && <Side side={side} />} {symbol ?? (side ? 'Unknown symbol' : 'Unreadable')}
  </span>
)
const timeOf = ({ at }: { at: string }) => (
  <time dateTime={at}>
    {formatDate(at)} {formatExactTime(at)}
  </time>
)
const pricesOf = ({ entry_price, exit_price }: Signal) => (
  <FromTo from={formatPrice(entry_price)} to={formatPrice(exit_price)} />
)
const became = (message: ReceivedSignal) => (
  <span className={styles.became}>
    {message.signal ? (
      <Badge tone="accent">Signal {message.signal}</Badge>
    ) : message.void ? (
      <>
        <Badge tone="warn">Void</Badge> <span>{voidText(message)}</span>
      </>
    ) : (
      <Badge>Being recorded…</Badge>
    )}
  </span>
)

const outcome: Column<Signal> = { head: 'Outcome', cell: ({ status }) => <StatusBadge status={status} /> }
const SIGNAL_COLUMNS: Column<Signal>[] = [
  { head: 'Signal', kind: 'quiet', cell: ({ number }) => number },
  { head: 'Time', cell: timeOf },
  { head: 'Symbol', kind: 'name', cell: sideOf },
  { head: 'Duration', cell: ({ duration }) => formatDuration(duration) },
  { head: 'Version', cell: ({ version }) => version },
  { head: 'Entry and exit', kind: 'figure', cell: pricesOf },
  outcome,
]
const FEW_SIGNAL_COLUMNS: Column<Signal>[] = [
  {
    head: 'Signal',
    kind: 'name',
    cell: (signal) => (
      <Stack>
        {sideOf(signal)}
        <span>{timeOf(signal)}</span>
      </Stack>
    ),
  },
  { head: 'Entry and exit', kind: 'figure', cell: pricesOf },
  outcome,
]
const MESSAGE_COLUMNS: Column<ReceivedSignal>[] = [
  { head: 'Time', cell: timeOf },
  { head: 'Symbol', kind: 'name', cell: sideOf },
  { head: 'What it became', cell: became },
]
