import { parentPort, workerData } from 'node:worker_threads'
import { must } from '#kernel/must.ts'
import { backtest } from './backtest.ts'
import { candlesOf } from './candles.ts'
import { toReply } from './reply.ts'
import type { Work } from './run.ts'

/**
 * Runs a back-test in a worker thread: a month of ten symbols takes seconds of CPU time that the event loop needs for the
 * tape. Imports only pure code, so that it starts quickly.
 */
const { settings, range, data } = workerData as Work
const decoder = new TextDecoder()
const markets = data.map(({ parts, ...market }) => ({
  ...market,
  minutes: parts.flatMap((bytes) => candlesOf(JSON.parse(decoder.decode(bytes)))),
}))
const minutes = markets.reduce((sum, market) => sum + market.minutes.filter(({ time }) => time >= range.from).length, 0)
const scales = new Map(data.map(({ symbol, scale }) => [symbol, scale]))
must(parentPort).postMessage(toReply({ settings, range, result: backtest(settings, markets, range), scales, minutes }))
