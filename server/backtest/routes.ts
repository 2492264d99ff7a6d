import type { Parsed } from '#contract/api.ts'
import { utcDay } from '#contract/fields.ts'
import { fieldProblem } from '#contract/problem.ts'
import type { SignalDuration } from '#contract/terms.ts'
import type { backtestCalls } from '#contract/trading/backtest.ts'
import { last } from '#kernel/must.ts'
import { toIso } from '#kernel/time.ts'
import { checkSettings, requirePlatforms } from '../automatic/index.ts'
import { requireRule } from '../own-strategies/index.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { PriceLists } from '../price-lists/index.ts'
import { strategyOf } from '../strategies/index.ts'
import { daysOf, type ReadDeps, readRecording, readTape, recordedSymbols, tapeRange } from './read.ts'
import { backtestRunner } from './run.ts'
import type { BacktestSettings, FollowedSettings } from './settings.ts'

interface RouteDeps extends ReadDeps {
  priceLists: Pick<PriceLists, 'versions'>
}

/** The routes of `contract/trading/backtest.ts`. */
export function backtestRoutes(deps: RouteDeps): Handlers<keyof typeof backtestCalls> {
  const run = backtestRunner()
  return {
    'GET /automatic/backtest/sources': async () => {
      const range = await tapeRange(deps)
      const days = await deps.recordings()
      return {
        status: true,
        data: {
          tape: range ? { from: toIso(range.from), to: toIso(range.to) } : null,
          recordings: days
            .map((day) => ({ day: toIso(day.start).slice(0, 10), symbols: recordedSymbols(day, deps.instruments) }))
            .filter(({ symbols }) => symbols.length > 0),
        },
      }
    },

    'POST /automatic/backtest': async ({ who, body }) => {
      requirePlatforms(body.strategies)
      checkSettings(body)
      const read = readerOf(body.source, body.from, body.to)
      const settings = settingsOf(
        deps,
        body,
        body.strategies.map((one) => ({ ...followedOf(one), strategy: one.strategy })),
      )
      const figures = await run(who.userId, () => read(deps, settings))
      const strategies = body.strategies.map(({ strategy, duration }) => ({
        strategy,
        version: strategyOf(strategy).version,
        duration,
      }))
      return { status: true, data: { strategies, ...figures } }
    },

    'POST /strategies/backtest': async ({ who, body }) => {
      const { rule, zone } = body.strategy
      requireRule(rule, body.duration, 'strategy.rule')
      checkSettings({ ...body, strategies: [body] })
      const read = readerOf(body.source, body.from, body.to)
      const settings = settingsOf(deps, body, [{ ...followedOf(body), strategy: { body: rule, zone } }])
      return { status: true, data: await run(who.userId, () => read(deps, settings)) }
    },
  }
}

type Body = Parsed<'POST /automatic/backtest', 'body'>

const followedOf = (one: Omit<Body['strategies'][number], 'strategy'>): Omit<FollowedSettings, 'strategy'> => ({
  symbols: one.symbols,
  durationSeconds: one.duration as SignalDuration,
  sides: one.sides,
  strikeRate: one.strike_rate,
  stake: one.stake,
  stakePercent: one.stake_percent ?? undefined,
})

function settingsOf(
  { priceLists }: RouteDeps,
  body: Omit<Body, 'strategies'>,
  strategies: readonly FollowedSettings[],
): BacktestSettings {
  return {
    priceLists: last(priceLists.versions()).document,
    strategies,
    tradesADay: body.trades_a_day,
    days: body.days,
    fromHour: body.from_hour,
    toHour: body.to_hour,
    lossADay: body.loss_a_day,
    lossInAll: body.loss_in_all,
    lossesInRow: body.losses_in_row ?? undefined,
    timeZone: body.time_zone,
    profitADay: body.profit_a_day ?? undefined,
    profitInAll: body.profit_in_all ?? undefined,
    pause: pauseOf(body),
    startingBalance: body.balance,
  }
}

const pauseOf = ({
  pause_losses: losses,
  pause_minutes: minutes,
}: Pick<Parsed<'POST /automatic/backtest', 'body'>, 'pause_losses' | 'pause_minutes'>) =>
  losses === null || minutes === null ? undefined : { losses, minutes }

/** Checks what a request wants to read, and returns how to read it. */
function readerOf(source: string, from: string | undefined, to: string | undefined) {
  if (source === 'tape') {
    const days = daysOf(from, to)
    return (deps: ReadDeps, settings: BacktestSettings) => readTape(deps, settings, days)
  }
  if (!utcDay.safeParse(source).success) throw fieldProblem('source', 'must be tape or a recorded day')
  if (from !== undefined || to !== undefined) throw fieldProblem('from', 'is only for the tape')
  return (deps: ReadDeps, settings: BacktestSettings) => readRecording(deps, settings, Date.parse(source))
}
