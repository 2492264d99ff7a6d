import type { Mode } from '#contract/trading/trading.ts'
import { idSource } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { accountOf } from '#server/ledger/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { acceptanceQueue, openAcceptanceConnection } from '#server/trading/acceptance/acceptance.ts'
import { ACCEPTANCE_LANES, acceptanceLanes } from '#server/trading/acceptance/acceptance-lanes.ts'
import type { Order } from '#server/trading/acceptance/order.ts'
import type { LaneRooms } from '#server/trading/index.ts'
import { newSalt } from '#server/trading/order-hash.ts'

/** One slice of a closed loop. Times are milliseconds. */
export interface AcceptedSlice {
  cpuUs: number
  perSecond: number
  p50: number
  p99: number
}

/** Accepts trades of `accounts` traders as the web does, without HTTP. */
export function openAcceptor(
  url: string,
  {
    accounts,
    lanes = ACCEPTANCE_LANES,
    accepted: answer = () => undefined,
    mode = 'demo',
    rooms,
    durationSeconds = 60,
    offer = () => ({ version: 1, fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER }),
  }: {
    accounts: number
    lanes?: number
    accepted?(order: Order): void
    mode?: Mode
    rooms?: LaneRooms
    durationSeconds?: number
    /** Looks up what is offered for a symbol. */
    offer?(symbolId: number): Order['offer']
  },
) {
  const log = createLog('error')
  const newId = idSource(1)
  const connections = Array.from({ length: lanes }, () => openAcceptanceConnection(url, log))
  const queue = acceptanceLanes(
    connections.map((connection, place) => {
      const lane = rooms?.lanes[place]
      const room = rooms && lane !== undefined ? { ...rooms, lane } : undefined
      return acceptanceQueue({ connection, openStakeMax: () => usd(10_000_000_000n), newId, log, rooms: room })
    }),
  )
  const nothing = Buffer.alloc(16)

  const orderFor = (symbolId: number): Order => {
    const side = Math.random() < 0.5 ? 'Buy' : 'Sell'
    return {
      id: newId(),
      accountId: accountOf(BigInt(1 + Math.floor(Math.random() * accounts)), mode),
      symbolId,
      sourceKind: 2,
      staleAfterMs: 10_000,
      side,
      strikeRate: '75/3',
      percent: side === 'Buy' ? 75 : 3,
      stake: usd(BigInt(100 + Math.floor(Math.random() * 5_000))),
      durationSeconds,
      pressedAt: Date.now(),
      limited: false,
      offer: offer(symbolId),
      // Every web client sends a key, so every order here has one.
      key: Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2),
      fingerprint: nothing,
      salt: newSalt(),
    }
  }
  const order = () => orderFor(1 + Math.floor(Math.random() * 79))

  return {
    /** Runs this many callers, each submitting one order after another. */
    async slice(callers: number, seconds: number): Promise<AcceptedSlice> {
      const cpu = process.cpuUsage()
      const until = performance.now() + seconds * 1000
      let accepted = 0
      const times: number[] = []
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (performance.now() < until) {
            const begun = performance.now()
            const one = order()
            await queue.submit(one).then(
              () => {
                accepted++
                answer(one)
              },
              () => undefined,
            )
            times.push(performance.now() - begun)
          }
        }),
      )
      times.sort((a, b) => a - b)
      const used = process.cpuUsage(cpu)
      return {
        cpuUs: (used.user + used.system) / accepted,
        perSecond: accepted / seconds,
        p50: times[times.length >> 1]!,
        p99: times[Math.floor(times.length * 0.99)]!,
      }
    },
    async close() {
      await queue.drain()
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}
