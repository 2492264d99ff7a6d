import { type ReactNode, useMemo } from 'react'
import { Link } from 'react-router'
import type { TradeStatistics } from '#contract/trading/trading.ts'
import { historyOf } from '#web/api/index.ts'
import { cx, formatDate, formatPercentSigned, formatUsd, formatUsdSigned } from '#web/ui/index.ts'
import { expectedLosingRun } from './chance.ts'
import styles from './figures.module.css'
import { endedBetween, type Scope } from './links.ts'

/** The five figures at the top. */
export function Figures({ data, scope }: { data: TradeStatistics; scope: Scope }) {
  const { net, staked, trades, won, lost, draw, average_win, average_loss, fall, losing_run } = data
  const decided = won + lost
  const byChance = useMemo(() => expectedLosingRun(decided, decided === 0 ? 0 : lost / decided), [decided, lost])
  const others = [
    draw > 0 && `${draw} drawn`,
    data.void > 0 && `${data.void} void`,
    data.sold > 0 && `${data.sold} sold early`,
  ].filter(Boolean)
  return (
    <div className={styles.figures}>
      <Figure name="Net result" to={historyOf(scope)} tone={net}>
        <b>{formatUsdSigned(net)}</b>
        <small>
          {formatUsd(staked)} staked{staked > 0 && `, ${formatPercentSigned((net / staked) * 100)}`}
        </small>
      </Figure>
      <Figure name="Trades" to={historyOf(scope)}>
        <b>{trades.toLocaleString('en-US')}</b>
        <small>
          {[`${won} won`, `${lost} lost`, ...others].join(', ')}
          <br />
          average stake {formatUsd(data.average_stake ?? 0)}
        </small>
      </Figure>
      <Figure name="Average win / loss" to={historyOf({ ...scope, status: lost > 0 ? 'Lost' : 'Won' })}>
        <b>
          {average_win === undefined ? '–' : formatUsd(average_win)} /{' '}
          {average_loss === undefined ? '–' : formatUsd(average_loss)}
        </b>
        <small>{comparison(average_win, average_loss)}</small>
      </Figure>
      <Figure name="Largest fall" to={historyOf(fall ? endedBetween(scope, fall) : scope)} tone={fall ? -1 : 0}>
        <b>{fall ? formatUsdSigned(fall.amount) : '–'}</b>
        <small>
          {fall ? `${formatDate(fall.from).slice(5)} to ${formatDate(fall.to).slice(5)}` : 'never below a high'}
        </small>
      </Figure>
      <Figure name="Longest losing run" to={historyOf(losing_run ? endedBetween(scope, losing_run) : scope)}>
        <b>{tradesWord(losing_run?.trades ?? 0)}</b>
        <small>
          expected by chance: {Math.round(byChance)}
          {data.winning_run && (
            <>
              <br />
              longest winning run: {data.winning_run.trades}
            </>
          )}
        </small>
      </Figure>
    </div>
  )
}

const tradesWord = (count: number): string => (count === 1 ? '1 trade' : `${count.toLocaleString('en-US')} trades`)

function comparison(win: number | undefined, loss: number | undefined): string {
  if (win === undefined || loss === undefined) return 'one of both is missing'
  if (win === loss) return 'a loss costs what a win pays'
  return loss > win ? 'a loss costs more than a win pays' : 'a win pays more than a loss costs'
}

function Figure({ name, to, tone = 0, children }: { name: string; to: string; tone?: number; children: ReactNode }) {
  return (
    <Link to={to} className={cx(styles.figure, tone > 0 && styles.up, tone < 0 && styles.down)}>
      <span className={styles.name}>{name}</span>
      {children}
    </Link>
  )
}
