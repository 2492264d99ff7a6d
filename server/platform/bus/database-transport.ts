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
  let current: Listening | undefined
  let running: Promise<void> | undefined
  let lostAt: number | undefined

  function close(): void {
    const last = current?.client
    current = undefined
    lostAt ??= performance.now()
    void last?.end().catch(() => undefined)
  }

  async function connect(receive: (text: string) => void): Promise<Listening> {
    current = await listen(url, log, parts, receive)
    lostAt = undefined
    return current
  }

  async function keepConnected(first: Listening, receive: (text: string) => void, gap: () => void): Promise<void> {
    let listening = first
    while (!stopped.signal.aborted) {
      await lost(listening, stopped.signal)
      close()
      for (let wait = RETRY_MS.first; !stopped.signal.aborted; wait = Math.min(wait * 2, RETRY_MS.most)) {
        try {
          listening = await connect(receive)
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
      if (!current) throw new Error('the bus is not connected')
      const payloads = texts.flatMap((text) => inParts(text, PAYLOAD_MAX))
      await current.client.query({
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

/** A connection that listens. */
interface Listening {
  client: pg.Client
  ended: Promise<void>
  /** When it last showed that it lives, by `performance.now()`. */
  provenAt: number
}

/** Connects, and calls `receive` with each text. */
async function listen(
  url: string,
  log: Log,
  parts: ReturnType<typeof createParts>,
  receive: (text: string) => void,
): Promise<Listening> {
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
  const listening: Listening = { client: fresh, ended, provenAt: 0 }
  fresh.on('notification', ({ payload }) => {
    listening.provenAt = performance.now()
    try {
      const text = parts.join(payload ?? '')
      if (text !== undefined) receive(text)
    } catch (error) {
      log.warn({ error: String(error) }, 'a message of another node was unreadable')
    }
  })
  await fresh.connect()
  await fresh.query(`listen ${CHANNEL}`)
  listening.provenAt = performance.now()
  return listening
}

/** Resolves once the connection is lost: a dead one doesn't always say so. */
async function lost(listening: Listening, stopped: AbortSignal): Promise<void> {
  const { client, ended } = listening
  let over = false
  void ended.then(() => {
    over = true
  })
  while (!over && !stopped.aborted) {
    const wait = listening.provenAt + CHECK_EVERY_MS - performance.now()
    await Promise.race([ended, sleep(wait, undefined, { signal: stopped }).catch(() => undefined)])
    if (over || stopped.aborted) return
    // What arrived meanwhile shows the same.
    if (performance.now() - listening.provenAt < CHECK_EVERY_MS) continue
    try {
      await client.query('select 1')
      listening.provenAt = performance.now()
    } catch {
      return
    }
  }
}
