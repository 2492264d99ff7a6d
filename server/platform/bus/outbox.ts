import { setTimeout as sleep } from 'node:timers/promises'
import { must } from '#kernel/must.ts'
import type { Log } from '../process/log.ts'
import type { Transport } from './transport.ts'

/** A message between nodes, as it travels. */
export interface Envelope {
  /** The node that sent it. */
  from: string
  topic: string
  message: unknown
}

/** The messages that wait for the transport. */
export interface Outbox {
  send(topic: string, message: unknown): void
  /** Messages that were not sent, since the start. */
  lost(): number
  /** Sends pending messages, without pauses from now on. */
  flush(): Promise<void>
}

/**
 * Time between two sends: each of them wakes every node, so messages of a busy node share one. A lone message waits for
 * nothing.
 */
const PAUSE_MS = 10
/** Messages that wait for the transport, at most: beyond that, the oldest are dropped. */
const WAITING_MAX = 10_000

/** `self`: this node, as the sender. Without a transport nothing is sent. */
export function createOutbox(self: string, transport: Transport | undefined, log: Log): Outbox {
  let waiting: string[] = []
  let lost = 0
  let lostEver = 0
  let sending: Promise<void> | undefined
  let sentAt = Number.NEGATIVE_INFINITY
  let stopping = false

  const sealed = (topic: string, message: unknown) => JSON.stringify({ from: self, topic, message } satisfies Envelope)

  /** What is published while a batch is on its way, and in the pause after it, forms the next one. */
  async function sendWaiting(): Promise<void> {
    // Messages of one turn leave together.
    await Promise.resolve()
    while (waiting.length > 0) {
      const pause = sentAt + PAUSE_MS - performance.now()
      if (pause > 0 && !stopping) await sleep(pause)
      const batch = waiting
      waiting = []
      sentAt = performance.now()
      try {
        // Those who missed messages of ours must read again.
        if (lost > 0) batch.unshift(sealed('gap', null))
        await must(transport).send(batch)
        lost = 0
      } catch (error) {
        // Once for each time the connection is lost, however many messages that costs.
        if (lost === 0) log.warn({ error: String(error) }, 'messages to other nodes are being lost')
        lost += batch.length
        lostEver += batch.length
      }
    }
  }

  return {
    send(topic, message) {
      if (!transport) return
      waiting.push(sealed(topic, message))
      if (waiting.length > WAITING_MAX) {
        waiting.shift()
        lost++
        lostEver++
      }
      sending ??= sendWaiting().finally(() => {
        sending = undefined
      })
    },
    lost: () => lostEver,
    async flush() {
      stopping = true
      await sending
    },
  }
}
