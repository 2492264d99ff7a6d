import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onBeat } from '../process/beat.ts'

/** The server says nothing any more. The code is PostgreSQL's for a connection that failed. */
class Silence extends Error {
  override name = 'Silence'
  readonly code = '08006'
}

/**
 * A server is silent when it neither continues a statement nor answers a simple one in this time. It's waited for in
 * parts: if this process itself was busy for as long, it reads the answer in between.
 */
const WAITS_MS = [50, 1_000, 1_000, 1_000, 1_000]

/** What the driver's types leave out. */
interface Inside {
  readyForQuery: boolean
  processID: number
  connection: { stream: { bytesRead: number; destroy(error?: Error): void } }
}
const insideOf = (client: pg.Client) => client as unknown as Inside

/** Ends a connection at once: its server may hang, and would never say good-bye. */
export const cutOff = (client: pg.Client, why?: Error): void => insideOf(client).connection.stream.destroy(why)

/** Which of these sessions the server doesn't have. A pooler's numbers aren't the server's, so then it's none. */
const UNKNOWN = `
  select pid from unnest($1::int[]) as session(pid)
  where pg_backend_pid() = $2 and not exists (select from pg_stat_activity a where a.pid = session.pid)`

/**
 * The connections of this process to one server. When the network swallows everything, the kernel reports it after a
 * quarter of an hour; here all connections break within about six seconds, and new ones fail at once until the server answers.
 */
class Server {
  readonly #address: string
  readonly #host: string
  /** Bytes read at the last look, if a statement was running. */
  readonly #clients = new Map<pg.Client, number | undefined>()
  #stopLooking: (() => void) | undefined
  #asking = false
  #silence: Silence | undefined
  #probe: pg.Client | undefined

  constructor(host: string, address: string) {
    this.#host = host
    this.#address = address
  }

  /** Throws if the server is known to be silent. */
  assertAnswers(): void {
    if (this.#silence) throw this.#silence
  }

  opened(client: pg.Client): void {
    this.#clients.set(client, undefined)
    client.once('end', () => {
      this.#clients.delete(client)
      this.#rest()
    })
    this.#stopLooking ??= onBeat(() => void this.#look())
  }

  #rest(): void {
    if (this.#clients.size > 0 || this.#silence) return
    this.#stopLooking?.()
    this.#stopLooking = undefined
    this.#closeProbe()
  }

  async #look(): Promise<void> {
    if (this.#asking) return
    const waiting = this.#waiting()
    if (waiting.length === 0 && !this.#silence) return this.#closeProbe()
    this.#asking = true
    const unknown = await this.#ask(waiting)
    this.#asking = false
    if (!unknown && !this.#silence) this.#fail()
    if (!unknown) return
    this.#silence = undefined
    // The address has moved to another server, or a firewall forgot the connection.
    for (const client of unknown) cutOff(client, new Silence(`${this.#host} doesn't know this session any more`))
    this.#rest()
  }

  /** Returns the connections with a statement that have received nothing since the last look. */
  #waiting(): pg.Client[] {
    return [...this.#clients].flatMap(([client, before]) => {
      const { readyForQuery, connection } = insideOf(client)
      const now = readyForQuery ? undefined : connection.stream.bytesRead
      this.#clients.set(client, now)
      return now !== undefined && now === before ? [client] : []
    })
  }

  #fail(): void {
    this.#silence = new Silence(`the database at ${this.#host} doesn't answer`)
    for (const client of this.#clients.keys()) cutOff(client, this.#silence)
  }

  /** Returns those of these connections that the server doesn't know; undefined if it's silent. Any error is an answer. */
  async #ask(waiting: readonly pg.Client[]): Promise<pg.Client[] | undefined> {
    let answer: pg.Client[] | undefined
    this.#unknown(waiting).then(
      (unknown) => {
        answer = unknown
      },
      (error: { code?: string }) => {
        if (!/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(error.code ?? '')) answer = []
      },
    )
    for (const ms of WAITS_MS) {
      await sleep(ms, undefined, { ref: false })
      if (answer) return answer
    }
    this.#closeProbe()
    return undefined
  }

  async #unknown(waiting: readonly pg.Client[]): Promise<pg.Client[]> {
    const probe =
      this.#probe ?? new pg.Client({ connectionString: this.#address, application_name: 'cleartick silent?' })
    try {
      if (!this.#probe) {
        this.#probe = probe
        probe.on('error', () => undefined)
        await probe.connect()
      }
      const sessions = waiting.map((client) => insideOf(client).processID)
      const { rows } = await probe.query<{ pid: number }>(UNKNOWN, [sessions, insideOf(probe).processID])
      return waiting.filter((client) => rows.some(({ pid }) => pid === insideOf(client).processID))
    } catch (error) {
      if (this.#probe === probe) this.#closeProbe()
      throw error
    }
  }

  #closeProbe(): void {
    if (this.#probe) cutOff(this.#probe)
    this.#probe = undefined
  }
}

const servers = new Map<string, Server>()

/** The server that a client with this address connects to. All logins and databases there share it. */
export function serverOf(client: pg.Client, address: string): Server {
  const host = `${client.host}:${client.port}`
  const same = servers.get(host) ?? new Server(host, address)
  servers.set(host, same)
  return same
}
