import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectTo } from '../database/primary.ts'
import type { Log } from '../process/log.ts'
import { createParts, inParts } from './parts.ts'
import type { Transport } from './transport.ts'

const CHANNEL = 'cleartick'
/** PostgreSQL takes less than 8,000 bytes in one notification. */
const PAYLOAD_MAX = 7_900
const CHECK_EVERY_MS = 10_000
const SILENT_MS = 5_000
const RETRY_MS = { first: 100, most: 2_000 }

/** The bus over LISTEN and NOTIFY, on a separate connection: enough for a few nodes, and nothing else to run. */
export function databaseTransport(url: string, log: Log): Transport {
  const stopped = new AbortController()
  const parts = createParts()
  let client: pg.Client | undefined
  let running: Promise<void> | undefined
  let lostAt: number | undefined
  /** When the connection last showed that it lives, by `performance.now()`. */
  let provenAt = 0

  async function connect(receive: (text: string) => void): Promise<{ ended: Promise<void> }> {
    const fresh = connectTo(url, {
      application_name: 'cleartick bus',
      connectionTimeoutMillis: SILENT_MS,
      query_timeout: SILENT_MS,
      keepAlive: true,
      // A notification is a hint: it needn't reach the disk.
      options: '-c synchronous_commit=off',
    })
    const ended = new Promise<void>((resolve) => {
      fresh.on('error', () => resolve())
      fresh.on('end', () => resolve())
    })
    fresh.on('notification', ({ payload }) => {
      provenAt = performance.now()
      try {
        const text = parts.join(payload ?? '')
        if (text !== undefined) receive(text)
      } catch (error) {
        log.warn({ error: String(error) }, 'a message of another node was unreadable')
      }
    })
    await fresh.connect()
    await fresh.query(`listen ${CHANNEL}`)
    client = fresh
    lostAt = undefined
    provenAt = performance.now()
    return { ended }
  }

  /** Resolves once the connection is lost: a dead one doesn't always say so. */
  async function lost(ended: Promise<void>): Promise<void> {
    let over = false
    void ended.then(() => {
      over = true
    })
    while (!over && !stopped.signal.aborted) {
      const wait = provenAt + CHECK_EVERY_MS - performance.now()
      await Promise.race([ended, sleep(wait, undefined, { signal: stopped.signal }).catch(() => undefined)])
      if (over || stopped.signal.aborted) return
      // What arrived meanwhile shows the same.
      if (performance.now() - provenAt < CHECK_EVERY_MS) continue
      try {
        await client?.query('select 1')
        provenAt = performance.now()
      } catch {
        return
      }
    }
  }

  function close(): void {
    const last = client
    client = undefined
    lostAt ??= performance.now()
    void last?.end().catch(() => undefined)
  }

  async function keepConnected(
    first: { ended: Promise<void> },
    receive: (text: string) => void,
    gap: () => void,
  ): Promise<void> {
    let { ended } = first
    while (!stopped.signal.aborted) {
      await lost(ended)
      close()
      for (let wait = RETRY_MS.first; !stopped.signal.aborted; wait = Math.min(wait * 2, RETRY_MS.most)) {
        try {
          ended = (await connect(receive)).ended
          gap()
          break
        } catch {
          await sleep(wait, undefined, { signal: stopped.signal }).catch(() => undefined)
        }
      }
    }
    close()
  }

  return {
    async start(receive, gap) {
      running = keepConnected(await connect(receive), receive, gap)
    },
    async send(texts) {
      if (!client) throw new Error('the bus is not connected')
      const payloads = texts.flatMap((text) => inParts(text, PAYLOAD_MAX))
      await client.query({
        name: 'notify',
        text: `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`,
        values: [payloads],
      })
    },
    lostSince: () => lostAt,
    async stop() {
      stopped.abort()
      await running
    },
  }
}
