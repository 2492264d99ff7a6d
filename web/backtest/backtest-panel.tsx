import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { MANY_COMPARED } from '#contract/prices/measured.ts'
import type { BacktestStop } from '#contract/terms.ts'
import { BACKTEST, type BacktestBody, type BacktestFigures } from '#contract/trading/backtest.ts'
import { last } from '#kernel/must.ts'
import { queryOf, tapeNow, useRequest } from '#web/api/index.ts'
import {
  Alert,
  Button,
  errorText,
  Field,
  formatDate,
  formatUsd,
  formatUsdSigned,
  Select,
  typedUsd,
} from '#web/ui/index.ts'
import styles from './backtest.module.css'
import { curvePoints, daysOffered, hourBars, rangeOf } from './backtest.ts'

/** What a back-test runs over, and the balance that it begins with. */
export type BacktestRange = Pick<BacktestBody, 'balance' | 'source' | 'from' | 'to'>

interface BacktestPanelProps {
  /** What is tried, in a sentence or two. */
  note: ReactNode
  /** Number of symbols that are followed. */
  symbols: number
  /** Runs the back-test of what the form has; throws if a field is wrong. */
  test: (range: BacktestRange) => Promise<BacktestFigures>
}

/** Tries a form on past prices, saved or not. Trades nothing. */
export function BacktestPanel({ note, symbols, test }: BacktestPanelProps) {
  const sources = useQuery(queryOf('GET /automatic/backtest/sources')).data?.data
  const [source, setSource] = useState('tape')
  const [days, setDays] = useState(1)
  const [balance, setBalance] = useState('1000')
  const [reply, setReply] = useState<BacktestFigures>()
  const { loading, error, run, fail } = useRequest()
  const offered = daysOffered(symbols)
  const wrong = typedUsd().safeParse(balance).error?.issues[0]?.message
  const chosenDays = Math.min(days, last(offered))

  const tryIt = () =>
    run(async () => {
      const range = source === 'tape' ? rangeOf(tapeNow(), chosenDays) : {}
      setReply(await test({ balance: Number(typedUsd().parse(balance)), source, ...range }))
    })

  return (
    <section className={styles.card} aria-label="Back-test">
      <div>
        <h2 className={styles.heading}>Back-test</h2>
        <p className={styles.note}>{note} Nothing is traded, and past results don't predict future ones.</p>
      </div>
      <div className={styles.triple}>
        <Select label="Prices" value={source} onChange={(event) => setSource(event.target.value)}>
          <option value="tape">{sources?.tape ? `Tape, from ${formatDate(sources.tape.from)}` : 'The tape'}</option>
          {sources?.recordings.map(({ day }) => (
            <option key={day} value={day}>
              Recorded, {day}
            </option>
          ))}
        </Select>
        {source === 'tape' && (
          <Select label="Time" value={chosenDays} onChange={(event) => setDays(Number(event.target.value))}>
            {offered.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? 'The last day' : `The last ${count} days`}
              </option>
            ))}
          </Select>
        )}
        <Field
          label="Balance"
          unit="$"
          inputMode="decimal"
          value={balance}
          onChange={(event) => setBalance(event.target.value)}
        />
      </div>
      <Button
        look="secondary"
        loading={loading}
        onClick={() => (wrong === undefined ? void tryIt() : fail(errorText('Balance', wrong)))}
      >
        {loading ? 'Calculating …' : 'Run the back-test'}
      </Button>
      <Alert>{error}</Alert>
      {reply && <Result reply={reply} />}
    </section>
  )
}

const STOPS: Record<BacktestStop, string> = {
  loss_in_all: 'The maximum total loss',
  losses_in_row: 'The losses in a row',
  profit_in_all: 'The take-profit in total',
}

const count = (number: number): string => number.toLocaleString('en-US')

function Result({ reply }: { reply: BacktestFigures }) {
  const { trades } = reply
  const decided = trades.won + trades.lost
  return (
    <div className={styles.result} role="status">
      <p className={styles.measured}>{trades.sentence}.</p>
      <p className={styles.note}>All signals, as if each had been traded: {reply.signals.sentence}.</p>
      <p className={styles.note}>{MANY_COMPARED}</p>
      {decided === 0 ? (
        <p className={styles.note}>
          No trade would have been placed in {count(Math.round(reply.minutes / 60))} hours of candles. Try more days,
          more symbols or wider hours.
        </p>
      ) : (
        <>
          <BalanceCurve reply={reply} />
          <Figures reply={reply} />
          <HitRates reply={reply} />
          {reply.stopped && (
            <p className={styles.note}>
              {STOPS[reply.stopped.stop]} ended trading on {formatDate(reply.stopped.time)}.
            </p>
          )}
        </>
      )}
      <p className={styles.note}>
        Up to {BACKTEST.days} days. On the tape, trades enter a second after the candle's close, as real ones do; on
        recorded prices and in the newest minutes they enter at the next price, so results differ a little.
      </p>
    </div>
  )
}

function BalanceCurve({ reply: { from, to, equity } }: { reply: BacktestFigures }) {
  return (
    <figure className={styles.picture}>
      <figcaption>
        Balance from {formatDate(from)} to {formatDate(to)}
      </figcaption>
      <svg viewBox="0 0 300 90" preserveAspectRatio="none" aria-hidden>
        <polyline points={curvePoints(equity, 300, 90)} className={styles.curve} vectorEffect="non-scaling-stroke" />
      </svg>
    </figure>
  )
}

function Figures({ reply: { trades, profit, drawdown, skipped } }: { reply: BacktestFigures }) {
  return (
    <dl className={styles.figures}>
      <div>
        <dt>Result</dt>
        <dd>
          <span className={styles.whole}>{formatUsdSigned(profit)}</span>
        </dd>
      </div>
      <div>
        <dt>Won, lost</dt>
        <dd>
          {count(trades.won)}, {count(trades.lost)}
        </dd>
      </div>
      <div>
        <dt>Largest fall</dt>
        <dd>
          {drawdown ? formatUsd(drawdown.amount) : formatUsd(0)}
          {drawdown && <span className={styles.quiet}>{drawdown.percent.toFixed(1)}% of the peak</span>}
        </dd>
      </div>
      <div>
        <dt>Not traded</dt>
        <dd>{count(Object.values(skipped).reduce((sum, signals) => sum + signals, 0))}</dd>
      </div>
    </dl>
  )
}

function HitRates({ reply: { trades, hours, time_zone } }: { reply: BacktestFigures }) {
  return (
    <figure className={styles.picture}>
      <figcaption>Hit rate by hour ({time_zone})</figcaption>
      <svg viewBox="0 0 288 60" preserveAspectRatio="none" aria-hidden>
        {hourBars(hours).map(({ hour, height }) => (
          <rect key={hour} x={hour * 12 + 1} width={10} y={60 - height} height={height} className={styles.hour} />
        ))}
        <line
          x1={0}
          x2={288}
          y1={60 - (trades.break_even / 100) * 60}
          y2={60 - (trades.break_even / 100) * 60}
          className={styles.needed}
        />
      </svg>
      <p className={styles.note}>The line is what you need to break even: {trades.break_even.toFixed(1)}%.</p>
    </figure>
  )
}
