import { existsSync } from 'node:fs'
import * as z from 'zod/mini'
import { utcDay } from '#contract/fields.ts'
import { type SignalDuration, STRATEGY_IDS } from '#contract/terms.ts'
import { automaticFields, followedFields } from '#contract/trading/automatic.ts'
import { BACKTEST } from '#contract/trading/backtest.ts'
import { LARGEST_USD, usdToText } from '#kernel/money.ts'
import { last, must } from '#kernel/must.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import {
  backtest,
  candlesOf,
  type Market,
  type PublishedSettings,
  type Range,
  reportOf,
  warmUpMs,
} from '#server/backtest/index.ts'
import { readConfig } from '#server/config/config.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { newestVersions } from '#server/price-lists/index.ts'
import { type Instruments, loadInstruments, recordedMinutes, storedMinutes, storedRange } from '#server/prices/index.ts'
import { reachDatabase } from './reach-database.ts'
import { readArguments, runCommand, WrongArguments } from './run-command.ts'

const USAGE = `Usage: npm run backtest -- --strategy ${STRATEGY_IDS.join('|')} [options]

  --data FOLDER          recorded market data (as for FEED=replay:FOLDER); without it, the tape of this installation
  --symbol SYMBOL        one symbol; repeat it for more. Without it, all that have data
  --from DAY, --to DAY   days in UTC, both included; the newest ${BACKTEST.days} days by default
  --duration SECONDS     of candles and trades (60)
  --sides both|Buy|Sell  (both)
  --strike-rate RATE     best, or one such as 75/3 (best)
  --stake DOLLARS        (10); the cap, with --stake-percent PERCENT of the balance
  --balance DOLLARS      to begin with (10000)
  --days 1,2,3           days of the week, 0 is Sunday
  --from-hour HOUR, --to-hour HOUR
  --time-zone ZONE       of days of the week and hours, such as Europe/Berlin (UTC)
  --trades-a-day NUMBER, --loss-a-day DOLLARS, --loss-in-all DOLLARS, --losses-in-row NUMBER
  --profit-a-day DOLLARS, --profit-in-all DOLLARS
  --pause-losses NUMBER, --pause-minutes NUMBER

The days of limits a day are UTC days.`

const TEXT = { type: 'string' } as const
const OPTIONS = {
  ...{ strategy: TEXT, data: TEXT, from: TEXT, to: TEXT, duration: TEXT, sides: TEXT, 'strike-rate': TEXT },
  ...{ stake: TEXT, 'stake-percent': TEXT, balance: TEXT, days: TEXT, 'from-hour': TEXT, 'to-hour': TEXT },
  ...{ 'trades-a-day': TEXT, 'loss-a-day': TEXT, 'loss-in-all': TEXT, 'losses-in-row': TEXT, 'time-zone': TEXT },
  ...{ 'profit-a-day': TEXT, 'profit-in-all': TEXT, 'pause-losses': TEXT, 'pause-minutes': TEXT },
  symbol: { type: 'string', multiple: true },
} as const

/** As for automatic trades, but without limits and stops unless they are named. */
const { days, trades_a_day, loss_a_day, loss_in_all, from_hour, to_hour, ...others } = automaticFields
const { strategy, stake, ...followed } = followedFields
const Settings = z.strictObject({
  strategy,
  duration: followed.duration,
  sides: followed.sides,
  strike_rate: followed.strike_rate,
  stake,
  stake_percent: followed.stake_percent,
  balance: stake,
  days: z.optional(days),
  from_hour: z.optional(from_hour),
  to_hour: z.optional(to_hour),
  trades_a_day: z.optional(trades_a_day),
  loss_a_day: z.optional(loss_a_day),
  loss_in_all: z.optional(loss_in_all),
  losses_in_row: others.losses_in_row,
  time_zone: others.time_zone,
  profit_a_day: others.profit_a_day,
  profit_in_all: others.profit_in_all,
  pause_losses: others.pause_losses,
  pause_minutes: others.pause_minutes,
})

/** What to run over, before the symbols' data is read. */
interface Source {
  range: Range
  symbols: readonly string[]
  minutesOf(symbol: string, from: Ms, to: Ms): Promise<Market['minutes']>
}

/** `npm run backtest`: back-tests a strategy on recorded market data or on the tape, and changes nothing. */
async function command(args: string[]): Promise<undefined> {
  const options = optionsOf(args)
  const checked = checkedSettings(options)
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 1, name: 'backtest', log: createLog('silent') })
  try {
    const instruments = await loadInstruments(database.db)
    const source = await (options.data === undefined
      ? tapeSource(database.db, instruments)
      : recordingSource(options.data, instruments))
    const symbols = chosenSymbols(options.symbol, source.symbols)
    const { document: priceLists } = last(await newestVersions(database.db))
    const settings = { ...checked, priceLists, strategies: checked.strategies.map((one) => ({ ...one, symbols })) }
    const asked = narrowed(source.range, options.from, options.to)
    const from = asked.from - warmUpMs(settings)
    const markets: Market[] = []
    for (const symbol of symbols) {
      const { id, scale, tradingType } = must(instruments.bySymbol(symbol))
      markets.push({
        symbol,
        symbolId: id,
        scale,
        tradingType: must(tradingType),
        minutes: await source.minutesOf(symbol, from, asked.to),
      })
    }
    const range = { ...asked, from: firstMinute(markets, asked) }
    process.stdout.write(reportOf(settings, markets, range, backtest(settings, markets, range)))
  } finally {
    await database.close()
    await close()
  }
}

const optionsOf = (args: string[]) => readArguments({ args, options: OPTIONS }).values
type Options = ReturnType<typeof optionsOf>

function checkedSettings(options: Options): Omit<PublishedSettings, 'priceLists'> {
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text.trim() || Number.NaN))
  const read = Settings.safeParse({
    strategy: options.strategy,
    duration: number(options.duration ?? '60'),
    sides: options.sides ?? 'both',
    strike_rate: options['strike-rate'] ?? 'best',
    stake: number(options.stake ?? (options['stake-percent'] === undefined ? '10' : usdToText(LARGEST_USD))),
    stake_percent: number(options['stake-percent']) ?? null,
    balance: number(options.balance ?? '10000'),
    days: options.days?.split(',').map((day) => number(day)),
    from_hour: number(options['from-hour']),
    to_hour: number(options['to-hour']),
    trades_a_day: number(options['trades-a-day']),
    loss_a_day: number(options['loss-a-day']),
    loss_in_all: number(options['loss-in-all']),
    losses_in_row: number(options['losses-in-row']) ?? null,
    time_zone: options['time-zone'] ?? 'UTC',
    profit_a_day: number(options['profit-a-day']) ?? null,
    profit_in_all: number(options['profit-in-all']) ?? null,
    pause_losses: number(options['pause-losses']) ?? null,
    pause_minutes: number(options['pause-minutes']) ?? null,
  })
  if (!read.success) {
    const lines = read.error.issues.map(({ path, message }) => `--${String(path[0]).replaceAll('_', '-')}: ${message}`)
    throw new WrongArguments(lines.join('\n'))
  }
  const checked = read.data
  if ((checked.pause_losses === null) !== (checked.pause_minutes === null))
    throw new WrongArguments('--pause-losses and --pause-minutes belong together.')
  return {
    strategies: [
      {
        strategy: checked.strategy,
        symbols: [],
        durationSeconds: checked.duration as SignalDuration,
        sides: checked.sides,
        strikeRate: checked.strike_rate,
        stake: checked.stake,
        stakePercent: checked.stake_percent ?? undefined,
      },
    ],
    startingBalance: checked.balance,
    days: checked.days,
    fromHour: checked.from_hour,
    toHour: checked.to_hour,
    tradesADay: checked.trades_a_day,
    lossADay: checked.loss_a_day,
    lossInAll: checked.loss_in_all,
    lossesInRow: checked.losses_in_row ?? undefined,
    timeZone: checked.time_zone,
    profitADay: checked.profit_a_day ?? undefined,
    profitInAll: checked.profit_in_all ?? undefined,
    pause:
      checked.pause_losses === null || checked.pause_minutes === null
        ? undefined
        : { losses: checked.pause_losses, minutes: checked.pause_minutes },
  }
}

async function recordingSource(path: string, instruments: Instruments): Promise<Source> {
  if (!existsSync(path)) throw new StartProblem(`--data: ${path} doesn't exist.`)
  const recorded = await recordedMinutes(path, instruments)
  const times = recorded.flatMap(({ minutes }) => [minutes[0]![0], last(minutes)[0]])
  if (times.length === 0) throw new StartProblem(`--data: ${path} has no recording of a known symbol.`)
  return {
    range: { from: Math.min(...times), to: Math.max(...times) + MINUTE_MS },
    symbols: recorded.map(({ symbol }) => symbol),
    async minutesOf(symbol, from, to) {
      const { minutes } = must(recorded.find((one) => one.symbol === symbol))
      return candlesOf(minutes.filter(([time]) => time >= from && time < to))
    },
  }
}

async function tapeSource(db: Db, instruments: Instruments): Promise<Source> {
  const range = await storedRange(db)
  if (!range) {
    throw new StartProblem(
      'The tape has no stored minutes yet: they are stored after a quarter of an hour. Try again later, or use --data FOLDER.',
    )
  }
  return {
    range,
    symbols: instruments
      .current()
      .filter(({ tradingType }) => tradingType !== null)
      .map(({ symbol }) => symbol),
    minutesOf: async (symbol, from, to) =>
      candlesOf(JSON.parse(await storedMinutes(db, must(instruments.bySymbol(symbol)).id, from, to))),
  }
}

function chosenSymbols(wanted: readonly string[] | undefined, known: readonly string[]): readonly string[] {
  const missing = wanted?.find((symbol) => !known.includes(symbol))
  if (missing !== undefined)
    throw new StartProblem(`--symbol: there is no data for ${missing}. There is for: ${known.join(', ')}.`)
  return wanted ? [...new Set(wanted)] : known.toSorted()
}

/** The first minute of a range that has data. */
function firstMinute(markets: readonly Market[], { from }: Range): Ms {
  const first = markets.flatMap(({ minutes }) => minutes.find(({ time }) => time >= from)?.time ?? [])
  if (first.length === 0) throw new StartProblem('There is no data in these days.')
  return Math.min(...first)
}

function narrowed(range: Range, from: string | undefined, to: string | undefined): Range {
  const day = (name: string, text: string) => {
    if (!utcDay.safeParse(text).success) throw new StartProblem(`--${name}: ${text} is no day. Write it as 2026-11-22.`)
    return Date.parse(text)
  }
  const newest = startOf(range.to - 1, DAY_MS) - (BACKTEST.days - 1) * DAY_MS
  const result = {
    from: Math.max(range.from, from === undefined ? newest : day('from', from)),
    to: Math.min(range.to, to === undefined ? range.to : day('to', to) + DAY_MS),
  }
  if (result.from < result.to) return result
  const shown = [range.from, range.to - SECOND_MS].map((time) => new Date(time).toISOString().slice(0, 10))
  throw new StartProblem(`There is no data in these days. There is from ${shown[0]} to ${shown[1]}.`)
}

runCommand(USAGE, command)
