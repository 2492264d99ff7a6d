import { breakEvenRate, type HitRate, hitRate, measuredSentence, tallyOf } from '#contract/prices/measured.ts'
import { BACKTEST_SKIPS, type BacktestSkip, type BacktestStop, TRADE_SIDES } from '#contract/terms.ts'
import { leastPercent } from '#contract/trading/offers.ts'
import { add, subtract, type Usd, usd, ZERO_USD } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { isScheduled } from '#kernel/schedule.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { hourOf, offsetBy, zoneRules } from '#kernel/zone.ts'
import type { Outcome } from '../trading/trade.ts'
import type { Market } from './candles.ts'
import { type BacktestSettings, stakeAt } from './settings.ts'
import { outcomeOf, type Range, type Signal, signalsOf } from './signals.ts'

/** The smallest stake that trading accepts. */
const MIN_STAKE = usd(100n)

export interface BacktestTrade extends Signal {
  status: Outcome['status']
  stake: Usd
  payout: Usd
  /** Balance after the trade. */
  balance: Usd
}

/** How many trades had each outcome. */
export interface Outcomes {
  won: number
  lost: number
  draws: number
  voids: number
}

export interface Measured {
  outcomes: Outcomes
  hitRate: HitRate | undefined
  /** Hit rate that is needed to lose nothing, percent. */
  breakEven: number
  sentence: string
}

interface Drawdown {
  amount: Usd
  /** Share of the balance at the peak, percent. */
  percent: number
  /** When the peak and the low were reached. */
  from: Ms
  to: Ms
}

export interface Backtest {
  /** Oldest first. */
  trades: BacktestTrade[]
  /** The trades that were placed. */
  measured: Measured
  /** Every signal for the chosen symbols and sides, as if each had been traded. */
  allSignals: Measured
  skipped: Record<BacktestSkip, number>
  /** The stop that ended trading before the end of the range. */
  stopped: { stop: BacktestStop; time: Ms } | undefined
  /** The balance at the start and after each trade. */
  equity: [time: Ms, balance: Usd][]
  /** The largest fall of the balance from a peak; undefined if it never fell. */
  drawdown: Drawdown | undefined
  /** Decided trades by the hour in the settings' zone in which they were placed, 0 to 23. */
  hours: { won: number; lost: number }[]
}

/**
 * Runs a strategy over the past: a pure function of its settings and the candles. One trade is open at a time; a signal
 * that comes at the moment when one ends is traded. `markets` may begin before the range, to fill the strategy's window.
 */
export function backtest(settings: BacktestSettings, markets: readonly Market[], range: Range): Backtest {
  const { tradesADay, startingBalance } = settings
  const signals = signalsOf(settings, markets, range)
  const skipped = Object.fromEntries(BACKTEST_SKIPS.map((reason) => [reason, 0])) as Record<BacktestSkip, number>
  const trades: BacktestTrade[] = []
  let balance = startingBalance
  let openUntil = range.from
  let stopped: Backtest['stopped']
  let lossesInRow = 0
  let lossesBeforePause = 0
  let pausedUntil = range.from
  const localTime = localTimes(settings, range)
  const { days = EVERY_DAY, fromHour = 0, toHour = 24 } = settings
  let today = { start: Number.NaN, trades: 0, startingBalance }

  for (const signal of signals) {
    const start = startOf(signal.time, DAY_MS)
    if (start !== today.start) today = { start, trades: 0, startingBalance: balance }
    const stake = stakeAt(signal.followed, balance)
    const reason = skipReason(signal, stake)
    if (reason) skipped[reason]++
    else place(signal, stake)
  }

  function skipReason(signal: Signal, stake: Usd): BacktestSkip | undefined {
    if (!isOnChosenSide(signal)) return 'side'
    if (!isScheduled({ days, fromHour, toHour }, localTime(signal.time))) return 'schedule'
    if (stopped) return 'stop'
    if (signal.time < openUntil) return 'open'
    if (signal.time < pausedUntil) return 'pause'
    if (reaches(subtract(balance, today.startingBalance), settings.profitADay)) return 'profit'
    if (tradesADay !== undefined && today.trades >= tradesADay) return 'limit'
    if (stake < MIN_STAKE || stake > balance) return 'balance'
    // Counts the stake as lost: a stop is never exceeded, whatever the outcome.
    const after = subtract(balance, stake)
    if (exceeds(subtract(startingBalance, after), settings.lossInAll)) {
      stopped = { stop: 'loss_in_all', time: signal.time }
      return 'stop'
    }
    if (exceeds(subtract(today.startingBalance, after), settings.lossADay)) return 'stop'
    return signal.isOffered ? undefined : 'odds'
  }

  function place(signal: Signal, stake: Usd): void {
    const { status, payout } = outcomeOf(signal, stake)
    balance = add(subtract(balance, stake), payout)
    openUntil = signal.endTime
    today.trades++
    trades.push({ ...signal, status, stake, payout, balance })
    if (status === 'Won') lossesInRow = lossesBeforePause = 0
    if (status === 'Lost') afterLoss(signal.endTime)
    if (reaches(subtract(balance, startingBalance), settings.profitInAll))
      stopped = { stop: 'profit_in_all', time: signal.endTime }
  }

  function afterLoss(time: Ms): void {
    lossesInRow++
    lossesBeforePause++
    const { pause } = settings
    if (lossesInRow >= (settings.lossesInRow ?? Number.POSITIVE_INFINITY)) stopped = { stop: 'losses_in_row', time }
    else if (pause && lossesBeforePause >= pause.losses) {
      pausedUntil = time + pause.minutes * MINUTE_MS
      lossesBeforePause = 0
    }
  }

  const equity: Backtest['equity'] = [
    [range.from, startingBalance],
    ...trades.map((trade): [Ms, Usd] => [trade.endTime, trade.balance]),
  ]
  const onChosenSides = signals.filter(isOnChosenSide)
  const judged = onChosenSides.map((signal) => ({ ...signal, status: outcomeOf(signal, usd(100n)).status }))
  return {
    trades,
    measured: measure(settings, trades, 'trades'),
    allSignals: measure(settings, judged, 'signals'),
    skipped,
    stopped,
    equity,
    drawdown: drawdownOf(equity),
    hours: Array.from({ length: 24 }, (_, hour) => {
      const { won, lost } = outcomesOf(trades.filter(({ time }) => hourOf(localTime(time)) === hour))
      return { won, lost }
    }),
  }
}

const exceeds = (loss: Usd, stop: Usd | undefined): boolean => stop !== undefined && loss > stop

const isOnChosenSide = ({ side, followed: { sides } }: Signal): boolean => sides === 'both' || side === sides

const reaches = (profit: Usd, target: Usd | undefined): boolean => target !== undefined && profit >= target

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]

/** Returns what gives the local time of a time in the settings' zone. */
function localTimes({ timeZone = 'UTC' }: BacktestSettings, { from, to }: Range): (time: Ms) => Ms {
  const rules = zoneRules(timeZone, from, to)
  return (time) => time + offsetBy(rules, time)
}

type Judged = Pick<BacktestTrade, 'status' | 'percent' | 'time'>

/**
 * Counts outcomes by what happens at the same time: signals by their close. Trades of several durations overlap beyond
 * their closes, so all of them together are counted by hours, as on the page of signals.
 */
function measure(settings: BacktestSettings, judged: readonly Judged[], what: 'signals' | 'trades'): Measured {
  const outcomes = outcomesOf(judged)
  const breakEven = breakEvenRate(meanPercent(settings, judged))
  const durations = new Set(settings.strategies.map(({ durationSeconds }) => durationSeconds))
  const overlap = what === 'signals' && durations.size > 1
  const groups = Map.groupBy(judged, ({ time }) => (overlap ? startOf(time, HOUR_MS) : time))
  const tally = tallyOf([...groups.values()].map(outcomesOf))
  return { outcomes, hitRate: hitRate(tally), breakEven, sentence: measuredSentence(tally, breakEven, what) }
}

export function outcomesOf(judged: readonly Pick<BacktestTrade, 'status'>[]): Outcomes {
  const count = (status: Outcome['status']) => judged.filter((one) => one.status === status).length
  return { won: count('Won'), lost: count('Lost'), draws: count('Draw'), voids: count('Void') }
}

/** The mean profit of the decided trades, had they won; of the chosen sides alike if there are none. */
function meanPercent({ strategies, priceLists }: BacktestSettings, trades: readonly Judged[]): number {
  const decided = trades.filter(({ status }) => status === 'Won' || status === 'Lost')
  const percents =
    decided.length > 0
      ? decided.map(({ percent }) => percent)
      : strategies.flatMap(({ symbols, durationSeconds: duration, sides, strikeRate: choice }) =>
          TRADE_SIDES.filter((side) => sides === 'both' || side === sides).map((side) =>
            leastPercent(priceLists, { symbols, duration }, { choice, side }),
          ),
        )
  return percents.reduce((sum, percent) => sum + percent, 0) / percents.length
}

function drawdownOf(equity: Backtest['equity']): Drawdown | undefined {
  let peak = first(equity)
  let largest: Drawdown | undefined
  for (const [time, balance] of equity) {
    if (balance >= peak[1]) peak = [time, balance]
    const amount = subtract(peak[1], balance)
    if (amount > (largest?.amount ?? ZERO_USD))
      largest = { amount, percent: (Number(amount) / Number(peak[1])) * 100, from: peak[0], to: time }
  }
  return largest
}
