import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { MARKET_DATA, testOnMarketData } from '#tests/support/market-data.ts'
import { StartProblem } from '../platform/start-problem.ts'
import type { QuoteSink } from './feed.ts'
import { type Instruments, instrumentsFrom } from './instruments.ts'
import { loadRecording } from './recording.ts'
import { replayFeed } from './replay.ts'

const instruments: Instruments = instrumentsFrom(
  Object.entries({ BTCUSDT: 2, ETHUSDT: 2, BTCUSD: 2, ETHUSD: 2, LTCUSD: 4, BTCEUR: 2, EURUSD: 5 }).map(
    ([symbol, scale], i) => ({
      id: i + 1,
      symbol,
      base: symbol.slice(0, 3),
      quote: symbol.slice(3),
      tradingType: null,
      scale,
      staleAfterMs: 10_000,
      notLiveReason: null,
    }),
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
      tracks: [{ slot: slot('BTCUSDT'), ms: Float64Array.of(1723161255342), units: Float64Array.of(6_183_764) }],
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
