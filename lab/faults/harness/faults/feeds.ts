import { setTimeout as sleep } from 'node:timers/promises'
import { type QuotingExchanges, startExchanges } from '#tests/support/exchanges/quoting.ts'
import type { Fault, FaultContext } from './fault.ts'

const PRICES = { 'BTC/USDT': 61_837.63, 'ETH/USDT': 2_412.5, 'ETH/BTC': 0.03901, 'BTC/EUR': 56_730.1 }
const STEP_MS = 1_200
const SILENT_MS = 5_000

let exchanges: QuotingExchanges | undefined

async function enter({ world }: FaultContext): Promise<void> {
  exchanges = await startExchanges(PRICES)
  world.atClose(() => void exchanges?.stop())
  const { VENUE_ADDRESSES, all } = exchanges
  await world.start({ FEED: `live:${all.map(({ id }) => id).join(',')}`, VENUE_ADDRESSES })
}

async function leave(): Promise<void> {
  await exchanges?.stop()
  exchanges = undefined
}

/** Exchanges that lie, stutter and fall silent. The fakes speak the protocols of the real ones over sockets. */
export const feeds: Fault[] = [
  {
    name: 'feed-lies',
    says: 'exchanges: price jumps, duplicates, old and future timestamps, garbage bytes',
    group: 'feed',
    enter,
    leave,
    async inject() {
      const { all, byId } = exchanges!
      const steps: (() => void)[] = [
        () => byId.kraken.lie(1.5),
        () => byId.kraken.lie(0.000_001),
        () => byId.kraken.lie(1),
        () => exchanges!.price('BTC/USDT', PRICES['BTC/USDT'] * 1.2),
        () => exchanges!.price('BTC/USDT', PRICES['BTC/USDT'] * 0.7),
        () => exchanges!.price('BTC/USDT', PRICES['BTC/USDT']),
        () => {
          for (const one of all)
            for (const text of ['', '{', 'null', '[]', '{"price":"NaN"}', '\u0000\ufffd', `["${'x'.repeat(5_000)}"]`])
              one.send(text)
        },
        () => {
          for (const price of ['-1', '0', 'NaN', '1e400', 'Infinity', '', '61837,63'])
            byId.binance.push('BTC/USDT', price)
        },
        () => {
          const at = Date.now() - 500
          for (let n = 0; n < 20; n++) byId.bitstamp.push('BTC/USDT', '61837.63', at)
        },
        () => byId.coinbase.push('BTC/USDT', '61000.00', Date.now() - 3_600_000),
        () => byId.coinbase.push('BTC/USDT', '61000.00', Date.now() + 3_600_000),
        () => byId.binance.skew(90_000),
        () => byId.binance.skew(0),
      ]
      for (const step of steps) {
        step()
        await sleep(STEP_MS / 2)
      }
      return steps.length
    },
  },
  {
    name: 'feed-silence',
    says: 'exchanges: one silent, connections cut, requests refused, then all of them silent for 5 s',
    group: 'feed',
    enter,
    leave,
    async inject() {
      const { all, byId } = exchanges!
      byId.kraken.silence('pings')
      await sleep(STEP_MS)
      byId.bitstamp.cut()
      byId.coinbase.disconnect()
      await sleep(STEP_MS)
      byId.binance.refuse(true)
      byId.binance.cut()
      await sleep(STEP_MS)
      byId.binance.refuse(false)
      for (const one of all) one.refuse(true)
      for (const one of all) one.cut()
      await sleep(SILENT_MS)
      for (const one of all) one.refuse(false)
      return 5
    },
  },
]
