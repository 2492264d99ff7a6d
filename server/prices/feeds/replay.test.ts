import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { instrument } from '#tests/support/prices/instruments.ts'
import { MARKET_DATA, testOnMarketData } from '#tests/support/prices/market-data.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import { type Instruments, instrumentsFrom } from '../instruments/instruments.ts'
import type { QuoteSink } from './feed.ts'
import { indexOfBars } from './recorded-index.ts'
import { loadRecording, recordedMinutes } from './recording.ts'
import { replayFeed } from './replay.ts'

const instruments: Instruments = instrumentsFrom(
  Object.entries({ BTCUSDT: 2, ETHUSDT: 2, BTCUSD: 2, ETHUSD: 2, LTCUSD: 4, BTCEUR: 2, EURUSD: 5 }).map(
    ([symbol, scale], i) => instrument({ id: i + 1, symbol, scale }),
  ),
)
const slot = (symbol: string) => instruments.slotOf(symbol)!

/** Records what a feed delivers. */
function noting() {
  const ticks: [slot: number, units: number, sourceMs: number][] = []
  const alive: [slot: number, sourceMs: number][] = []
  const sink: QuoteSink = {
    quote: () => undefined,
    tick: (...tick) => void ticks.push(tick),
    state: () => undefined,
    alive: (...proof) => void alive.push(proof),
  }
  return { ticks, alive, sink }
}

function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), 'cleartick-recording-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(path, name), name.endsWith('.gz') ? gzipSync(text) : text)
  }
  return path
}

const DAY = Date.UTC(2018, 3, 4)
const NOW = 1_790_000_000_000

test('replays minute bars from the current time at the given speed, in a loop', async () => {
  const path = folder({
    '2018-04-04_coinbase_BTCUSD_1m_trade.csv.gz': `ts_ms,open,high,low,close,volume\n${DAY},100,103,99,101,5\n${DAY + 60_000},101,102,100,100.5,1\n`,
  })
  const feed = replayFeed(instruments, await loadRecording(path, instruments), 10)
  const { ticks, sink } = noting()
  for (let now = NOW; now < NOW + 20_000; now += 100) feed.collect(now, sink)
  const round = [0, 2_000, 4_000, 5_900, 6_000, 8_000, 10_000, 11_900]
  const units = [10_000, 9_900, 10_300, 10_100, 10_100, 10_200, 10_000, 10_050]
  // A round is 119 s of recording in 11.9 s, plus a pause of one second.
  expect(ticks).toEqual([
    ...round.map((at, i) => [slot('BTCUSD'), units[i], NOW + at]),
    ...[0, 2_000, 4_000, 5_900, 6_000].map((at, i) => [slot('BTCUSD'), units[i], NOW + 12_900 + at]),
  ])
})

test('repeats the last price for at most ten seconds in a gap', async () => {
  const path = folder({
    '2018-04-04_oanda_EURUSD_tick_quote.csv': `ts_ms,bid,ask\n${DAY},1.22776,1.22792\n${DAY + 60_000},1.22780,1.22791\n`,
  })
  const feed = replayFeed(instruments, await loadRecording(path, instruments), 1)
  const { ticks, alive, sink } = noting()
  for (let now = NOW; now <= NOW + 60_000; now += 250) feed.collect(now, sink)
  expect(ticks).toEqual([
    [slot('EURUSD'), 122_784, NOW],
    [slot('EURUSD'), 122_786, NOW + 60_000],
  ])
  const proofs = alive.map(([, sourceMs]) => sourceMs - NOW).filter((at) => at < 60_000)
  expect(Math.max(...proofs)).toBe(10_000)
})

test('within a bar the source lives; in a hole between bars the last price is repeated for ten seconds', async () => {
  const path = folder({
    '2018-04-04_coinbase_BTCUSD_1m_trade.csv': [0, 60_000, 180_000]
      .map((at) => `${DAY + at},100,103,99,101,5\n`)
      .join(''),
  })
  const feed = replayFeed(instruments, await loadRecording(path, instruments), 1)
  const { alive, sink } = noting()
  for (let now = NOW; now < NOW + 240_000; now += 250) feed.collect(now, sink)
  const times = alive.map(([, sourceMs]) => sourceMs - NOW)
  const holes = times.flatMap((at, i) => (i > 0 && at - times[i - 1]! > 250 ? [[times[i - 1], at]] : []))
  // The last price of the second bar is from its last second.
  expect([times[0], ...holes, times.at(-1)]).toEqual([0, [129_000, 180_000], 239_750])
})

test('several venues that recorded a symbol make an index: a liar is not believed, whatever its name', async () => {
  const bars = (factor: number, ...minutes: number[]) =>
    minutes
      .map((minute) => [DAY + minute * 60_000, ...[100, 103, 99, 101].map((price) => price * factor), 5].join())
      .join('\n')
  const path = folder({
    '2018-04-04_aliar_BTCUSD_1m_trade.csv': bars(10, 0, 1, 2, 3),
    '2018-04-04_bitstamp_BTCUSD_1m_trade.csv': bars(1, 0, 1),
    '2018-04-04_coinbase_BTCUSD_1m_trade.csv': bars(1.002, 0, 1, 3),
  })
  expect(await recordedMinutes(path, instruments)).toEqual([
    {
      symbol: 'BTCUSD',
      // In the third minute only the liar has a price, in the fourth nobody knows who is right.
      minutes: [0, 1].map((minute) => [DAY + minute * 60_000, 10_010, 10_311, 9_910, 10_110]),
    },
  ])
  const [session] = await loadRecording(path, instruments)
  expect([...session!.tracks[0]!.units]).toEqual([10_010, 9_910, 10_311, 10_110, 10_010, 9_910, 10_311, 10_110])
})

test('half of the venues are no majority in a bar either', () => {
  const flat = (units: number) => [{ startMs: DAY, open: units, high: units, low: units, close: units }]
  expect(indexOfBars([9_000, 10_000, 10_010, 11_000].map(flat))).toEqual([])
  expect(indexOfBars([10_000, 10_010, 11_000].map(flat))).toEqual(flat(10_005))
})

test('quotes of several venues are compared whenever one of them changes', async () => {
  const quotes = (...rows: [at: number, price: number][]) =>
    rows.map(([at, price]) => [DAY + at, (price - 0.0001).toFixed(5), (price + 0.0001).toFixed(5)].join()).join('\n')
  const path = folder({
    '2018-04-04_aliar_EURUSD_tick_quote.csv': quotes([0, 12], [3_000, 11], [60_000, 1.2316]),
    '2018-04-04_dukascopy_EURUSD_tick_quote.csv': quotes([0, 1.23], [2_000, 1.232]),
    '2018-04-04_oanda_EURUSD_tick_quote.csv': quotes([1_000, 1.232], [60_000, 1.233]),
    // Better in kind, but nobody else has it.
    '2018-04-04_alone_EURUSD_1s_trade.csv': `${DAY},9,9,9,9,1\n`,
  })
  const [session] = await loadRecording(path, instruments)
  const { ms, units } = session!.tracks[0]!
  expect([...ms].map((time, i) => [time - DAY, units[i]])).toEqual([
    // At first there are two that disagree.
    [1_000, 123_100],
    [2_000, 123_200],
    [3_000, 123_200],
    // The second one has been silent for too long.
    [60_000, 123_230],
  ])
})

test('reports missing symbols as unavailable and skips malformed lines', async () => {
  const path = folder({
    'frames.ndjson': [
      '{"rx_ns":"1","frame":{"stream":"btcusdt@trade","data":{"s":"BTCUSDT","T":1723161255342,"p":"61837.63000000"}}}',
      '{"rx_ns":"1","frame":{"stream":"btcusdt@trade","data":{"s":"BTCUSDT","T":1723161255342,"p":"61837.64000000"}}}',
      '{"rx_ns":"1","frame":{"stream":"btcusdt@trade","data":{"s":"BTCUSDT","T":1723161255000,"p":"1"}}}',
      '{"rx_ns":"1","frame":{"stream":"btcusdt@trade","data":{"s":"BTCUSDT","T":"soon","p":"2"}}}',
      '{"rx_ns":"1","frame":{"stream":"btcusdt@trade","data":{"s":"BTCUSDT","T":1723161256000,"p":"-2"}}}',
      '{"rx_ns":"1","frame":{"stream":"btcusdt@bookTicker","data":{"s":"BTCUSDT","b":"1","a":"2"}}}',
      '{"stream":"btcusdt@trade"',
      '',
    ].join('\n'),
  })
  const sessions = await loadRecording(path, instruments)
  expect(sessions).toEqual([
    {
      fromMs: 1723161255342,
      toMs: 1723161255342,
      tracks: [
        {
          slot: slot('BTCUSDT'),
          ms: Float64Array.of(1723161255342),
          units: Float64Array.of(6_183_764),
          heldUntil: Float64Array.of(1723161255342),
        },
      ],
    },
  ])
  const feed = replayFeed(instruments, sessions, 1)
  expect(feed.missing(instruments.bySymbol('BTCUSDT')!)).toBeUndefined()
  expect(feed.missing(instruments.bySymbol('ETHUSDT')!)).toMatch(/recording doesn't include/)
})

test('a missing or unusable folder stops the start with a clear message', async () => {
  await expect(loadRecording('/no/such/folder', instruments)).rejects.toThrow(StartProblem)
  await expect(loadRecording(folder({ 'notes.txt': 'x' }), instruments)).rejects.toThrow(
    /no recording that can be replayed/,
  )
})

test('reads one-minute bars of all days, each from the best data of its day', async () => {
  const later = DAY + 400 * 86_400_000
  const path = folder({
    // 04-04 has quotes and trades; the trades win. 04-05 has quotes only.
    '2018-04-04_coinbase_BTCUSD_1m_trade.csv': `${DAY},100,103,99,101,5\n${DAY + 120_000},101,102,100,100.5,1\n`,
    '2018-04-04_coinbase_BTCUSD_1m_quote.csv': [
      `${DAY + 60_000},1,1,1,1,1,1,1,1,1,1`,
      `${DAY + 86_400_000},200,200,200,200,9,202,202,202,202,9`,
      '',
    ].join('\n'),
    '2019-05-09_coinbase_BTCUSD_1m_trade.csv': `${later},300,301,299,300,5\n`,
    '2018-04-04_coinbase_UNKNOWN_1m_trade.csv': `${DAY},100,103,99,101,5\n`,
    'notes.txt': 'x',
  })
  expect(await recordedMinutes(path, instruments)).toEqual([
    {
      symbol: 'BTCUSD',
      minutes: [
        [DAY, 10_000, 10_300, 9_900, 10_100],
        [DAY + 120_000, 10_100, 10_200, 10_000, 10_050],
        [DAY + 86_400_000, 20_100, 20_100, 20_100, 20_100],
        [later, 30_000, 30_100, 29_900, 30_000],
      ],
    },
  ])
  expect(await recordedMinutes(folder({ 'notes.txt': 'x' }), instruments)).toEqual([])
})

testOnMarketData('the recorded Binance trades: every millisecond that traded, at its last price', async () => {
  const path = join(MARKET_DATA, 'binance-ws-2024-08-08')
  const [session, ...others] = await loadRecording(path, instruments)
  expect(others).toEqual([])
  // The same result, computed from the file by other means.
  const expected = { BTCUSDT: new Map<number, string>(), ETHUSDT: new Map<number, string>() }
  const text = gunzipSync(readFileSync(join(path, 'frames.ndjson.gz'))).toString()
  let trades = 0
  for (const [, symbol, price, time] of text.matchAll(/"e":"trade".*?"s":"(\w+)".*?"p":"([\d.]+)".*?"T":(\d+)/g)) {
    expected[symbol as 'BTCUSDT'].set(Number(time), price!)
    trades++
  }
  expect(trades).toBe(34_419)
  for (const symbol of ['BTCUSDT', 'ETHUSDT'] as const) {
    const track = session!.tracks.find((one) => one.slot === slot(symbol))!
    const replayed = new Map([...track.ms].map((ms, i) => [ms, track.units[i]]))
    expect(replayed.size).toBe(expected[symbol].size)
    for (const [time, price] of expected[symbol]) expect(replayed.get(time)).toBe(Number(price.replace('.', '')) / 1e6)
  }
})

testOnMarketData('the minute bars of 2018: trades before quotes, mids for quotes, the half-day hole kept', async () => {
  const sessions = await loadRecording(join(MARKET_DATA, 'lean'), instruments)
  const track = (symbol: string) => sessions.flatMap((one) => one.tracks).find((one) => one.slot === slot(symbol))!
  const btc = track('BTCUSD')
  expect([btc.ms[0], btc.units[0]]).toEqual([Date.UTC(2018, 3, 4), 742_491])
  let widest = 0
  for (let i = 1; i < btc.ms.length; i++) widest = Math.max(widest, btc.ms[i]! - btc.ms[i - 1]!)
  expect(widest).toBeGreaterThan(6 * 3_600_000)
  // (1.22926 + 1.22940) / 2
  expect(track('EURUSD').units[0]).toBe(122_933)
  // A symbol recorded on several days is read from the newest of them.
  expect(new Date(btc.ms[0]!).getUTCFullYear()).toBe(2018)
})
