import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { first } from '#kernel/must.ts'
import { serversOf } from '../postgres/address.ts'
import { cutOff, serverOf } from '../postgres/silence.ts'
import { onBeat } from '../process/beat.ts'
import { newestTimeline, rememberTimeline } from './timelines.ts'

/**
 * Settings of the database for every connection: a machine that is cut off from the network keeps its sessions, and the
 * locks of their transactions, for about six seconds instead of two hours.
 */
const GONE_WITHIN = {
  tcp_keepalives_idle: 3,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 6_000,
}

const withSettings = <Options extends pg.ClientConfig>(options: Options): Options => ({
  ...options,
  options: [options.options ?? '', ...Object.entries(GONE_WITHIN).map(([name, value]) => `-c ${name}=${value}`)]
    .join(' ')
    .trim(),
})

/**
 * Opens a connection to the primary, whichever of the servers in an address it is. An address with one server is used as
 * it is: what fails over moves the address.
 */
export function connectTo(address: string, options: pg.ClientConfig = {}): pg.Client {
  const servers = serversOf(address)
  const settings = withSettings(options)
  if (servers.length === 1) return new OneClient({ ...settings, connectionString: servers[0] })
  return new PrimaryClient({ ...settings, connectionString: address })
}

/** The same for a pool. */
export function poolTo(address: string, options: pg.PoolConfig): pg.Pool {
  const servers = serversOf(address)
  const settings = withSettings(options)
  if (servers.length === 1) return new pg.Pool({ ...settings, connectionString: servers[0], Client: OneClient })
  return new pg.Pool({ ...settings, connectionString: address, Client: PrimaryClient })
}

/** No server is the primary now. The code is PostgreSQL's for a connection that can't be made. */
class NoPrimary extends Error {
  override name = 'NoPrimary'
  readonly code = '08001'
}

const SILENT_MS = 2_000
/** A search ends this long after it found a primary, though other servers are silent. */
const OTHERS_MS = 300
const SEARCH_AGAIN_MS = 100

interface Found {
  server: string
  /** Grows with each failover; 0 for a standby. */
  timeline: number
  /** Which installation of PostgreSQL it is a copy of. */
  system: string
}

const ROLE = `
  select case when pg_is_in_recovery() then 0
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
    (select system_identifier::text from pg_control_system()) as system`

/** One server, asked over one connection that stays open in between. */
class Probe {
  readonly server: string
  #client: pg.Client | undefined

  constructor(server: string) {
    this.server = server
  }

  async ask(): Promise<Found> {
    try {
      this.#client ??= await this.#open()
      const { rows } = await this.#client.query<Omit<Found, 'server'>>(ROLE)
      return { server: this.server, ...first(rows) }
    } catch (error) {
      this.close()
      throw error
    }
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.server,
      application_name: 'cleartick primary?',
      connectionTimeoutMillis: SILENT_MS,
      query_timeout: SILENT_MS,
    })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  close(): void {
    if (this.#client) cutOff(this.#client)
    this.#client = undefined
  }
}

/** What the driver's types leave out. */
interface Inside {
  host: string
  port: number
  connection: {
    on(event: 'parameterStatus', listener: (message: { parameterName: string; parameterValue: string }) => void): void
  }
}
const insideOf = (client: pg.Client) => client as unknown as Inside

/** The servers of one address, and which of them is the primary. One for all connections of this process. */
class Servers {
  readonly probes: Probe[]
  readonly clients = new Map<pg.Client, string>()
  #known: Found | undefined
  /** The installation that these servers are copies of. Another one at their addresses is someone's mistake. */
  #system: string | undefined
  #searching: Promise<Found> | undefined
  #failedAt = Number.NEGATIVE_INFINITY
  #stopWatching: (() => void) | undefined

  constructor(servers: readonly string[]) {
    this.probes = servers.map((server) => new Probe(server))
  }

  async primary(): Promise<string> {
    if (this.#known) return this.#known.server
    this.#searching ??= this.#search().finally(() => {
      this.#searching = undefined
    })
    return (await this.#searching).server
  }

  /** A connection to this server broke or couldn't be made: before the next one, ask all. */
  lost(server: string): void {
    if (this.#known?.server === server) this.#known = undefined
  }

  opened(client: pg.Client, server: string): void {
    this.clients.set(client, server)
    client.on('error', () => this.lost(server))
    client.once('end', () => {
      this.clients.delete(client)
      if (this.clients.size === 0) this.#rest()
    })
    this.#stopWatching ??= onBeat(() => void this.#watch())
  }

  /** Without connections nothing is watched, and so nothing is known. */
  #rest(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
    this.#known = undefined
    for (const probe of this.probes) probe.close()
  }

  async #search(): Promise<Found> {
    await sleep(Math.max(0, this.#failedAt + SEARCH_AGAIN_MS - performance.now()))
    const found: Found[] = []
    const failures: unknown[] = []
    let first = (_: undefined): void => undefined
    const anyFound = new Promise<undefined>((resolve) => {
      first = resolve
    })
    const asked = this.probes.map(async (probe) => {
      try {
        const one = await probe.ask()
        if (one.timeline === 0) return
        found.push(one)
        first(undefined)
      } catch (error) {
        failures.push(error)
      }
    })
    await Promise.race([Promise.all(asked), anyFound.then(() => sleep(OTHERS_MS))])
    if (this.clients.size === 0) for (const probe of this.probes) probe.close()
    try {
      this.#known = chosen(found, failures, this.#system)
      this.#system = this.#known.system
      return this.#known
    } catch (error) {
      this.#failedAt = performance.now()
      throw error
    }
  }

  /** While connections are open, once a second: moves to a server that was promoted, though the old primary may still answer, or hang without a word. */
  async #watch(): Promise<void> {
    const others = this.probes.filter(({ server }) => server !== this.#known?.server)
    await Promise.all(
      others.map(async (probe) => {
        const one = await probe.ask().catch(() => undefined)
        if (!one || one.system !== this.#system || one.timeline <= newestTimeline(one.system)) return
        rememberTimeline(one.system, one.timeline)
        this.#known = one
        for (const [client, server] of this.clients)
          if (server !== one.server) cutOff(client, new NoPrimary(`the primary is now ${hostOf(one.server)}`))
      }),
    )
  }
}

/**
 * Returns the primary on the newest timeline that was ever seen; any older one was left behind by a failover. A primary of
 * another installation than `system`, an empty one for example, is none of ours.
 */
export function chosen(found: readonly Found[], failures: readonly unknown[], system: string | undefined): Found {
  const ours = found.filter((one) => one.system === (system ?? one.system))
  const seen = ours.filter((one) => newestTimeline(one.system) > 0)
  const newest = (seen.length > 0 ? seen : ours).toSorted((a, b) => b.timeline - a.timeline)[0]
  if (!newest) {
    if (found[0]) throw new NoPrimary(`${hostOf(found[0].server)} is another installation of PostgreSQL`)
    // A wrong password or database name is wrong on all of them.
    const telling = failures.find((error) => /^(28|3D)/.test((error as { code?: string }).code ?? ''))
    throw telling ?? new NoPrimary('none of the servers in the address is a primary')
  }
  const other = ours.find((one) => one.system !== newest.system)
  if (other && seen.length === 0)
    throw new NoPrimary(`${hostOf(newest.server)} and ${hostOf(other.server)} aren't copies of one installation`)
  if (newest.timeline < newestTimeline(newest.system))
    throw new NoPrimary(`${hostOf(newest.server)} is a primary that was replaced by a failover`)
  rememberTimeline(newest.system, newest.timeline)
  return newest
}

const hostOf = (server: string) => new URL(server).host

const known = new Map<string, Servers>()

function serversIn(address: string): Servers {
  const list = serversOf(address)
  // The watch is the same for all logins; the probes sign in with the first.
  const key = list.map(hostOf).join()
  const same = known.get(key) ?? new Servers(list)
  known.set(key, same)
  return same
}

/** A connection that breaks when its server falls silent. */
abstract class Client extends pg.Client {
  override connect(): Promise<this>
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
  override connect(callback?: (error: never, client: never) => void): Promise<this> | undefined {
    const connected = this.open()
    if (!callback) return connected
    connected.then(() => callback(null as never, this as never), callback as (error: unknown) => void)
    return undefined
  }

  protected abstract open(): Promise<this>

  protected async openTo(address: string): Promise<this> {
    const server = serverOf(this, address)
    server.assertAnswers()
    await super.connect()
    server.opened(this)
    return this
  }
}

class OneClient extends Client {
  readonly #address: string

  constructor(options: pg.ClientConfig = {}) {
    super(options)
    this.#address = String(options.connectionString)
  }

  protected override open(): Promise<this> {
    return this.openTo(this.#address)
  }
}

/** A connection that finds the primary when it's opened. */
class PrimaryClient extends Client {
  readonly #servers: Servers

  constructor(options: pg.ClientConfig = {}) {
    const address = String(options.connectionString)
    super({ ...options, connectionString: serversOf(address)[0] })
    this.#servers = serversIn(address)
  }

  protected override async open(): Promise<this> {
    const server = await this.#servers.primary()
    const { hostname, port } = new URL(server)
    const inside = insideOf(this)
    inside.host = hostname.replace(/^\[(.*)\]$/, '$1')
    inside.port = Number(port || 5432)
    let isStandby = false
    // PostgreSQL says it to each client, unasked.
    inside.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby') isStandby = parameterValue === 'on'
    })
    try {
      await this.openTo(server)
    } catch (error) {
      this.#servers.lost(server)
      throw error
    }
    if (isStandby) {
      this.#servers.lost(server)
      cutOff(this)
      throw new NoPrimary(`${hostOf(server)} is a standby now`)
    }
    this.#servers.opened(this, server)
    return this
  }
}
