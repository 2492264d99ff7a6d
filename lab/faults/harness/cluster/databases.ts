import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeStandby, type PostgresServer, startPrimary } from '#tests/support/servers/standby.ts'
import { type TcpProxy, tcpProxy } from '#tests/support/servers/tcp-proxy.ts'

/** One of the two servers. Its name identifies it as a standby of the other. */
interface Slot {
  name: 'one' | 'two'
  server: PostgresServer
}

/** A primary and its synchronous standby. Only a fault promotes the standby. */
export interface Databases {
  primary(): PostgresServer
  standby(): PostgresServer
  /** The superuser's address of both servers, over connections that no fault breaks. */
  address: string
  /** Return the current port of each server, in the order of `address`. */
  ports: readonly (() => number)[]
  /** The connection over which the standby follows. */
  link: TcpProxy
  /** Whether the primary waits for its standby at each commit. */
  isSynchronous(): Promise<boolean>
  /** Promotes the standby, as Patroni would. It's the primary from then on, and the other server has no role. */
  failOver(): Promise<void>
  /** Rebuilds the old primary as a new standby. */
  rebuild(): Promise<void>
  close(): Promise<void>
}

export async function openDatabases(folder: string): Promise<Databases> {
  const first = await startPrimary(folder)
  let primary: Slot = { name: 'one', server: first }
  const link = await tcpProxy(() => primary.server.port)
  const follow = async (name: Slot['name'], at: string): Promise<Slot> => {
    const server = await makeStandby(portOf(first.superUrl, link.port), { folder: join(folder, at), name })
    await primary.server.ask(`alter system set synchronous_standby_names = 'ANY 1 (${name})'`)
    await primary.server.ask('select pg_reload_conf()')
    return { name, server }
  }
  let standby = await follow('two', 'standby')
  let made = 0
  const slots = () => [primary, standby].sort((a, b) => a.name.localeCompare(b.name))
  const ports = [0, 1].map((at) => () => slots()[at]!.server.port)
  // A rebuilt server listens on another port, so the harness connects through proxies that no fault breaks.
  const watched = await Promise.all(ports.map(tcpProxy))
  const servers = watched.map(({ port }) => `127.0.0.1:${port}`).join()

  async function isSynchronous(): Promise<boolean> {
    const rows = await primary.server.ask(
      "select from pg_stat_replication where sync_state in ('sync', 'quorum') and state = 'streaming'",
    )
    return rows.length === 1
  }

  return {
    primary: () => primary.server,
    standby: () => standby.server,
    address: first.superUrl.replace(/127\.0\.0\.1:\d+/, servers),
    ports,
    link,
    isSynchronous,
    async failOver() {
      // The new primary has no standby yet. If it waited for one, it would accept nothing.
      await standby.server.ask("alter system set synchronous_standby_names = ''")
      await standby.server.ask('select pg_reload_conf()')
      await standby.server.ask('select pg_promote()')
      ;[primary, standby] = [standby, primary]
      // Cut the connection over which the standby followed the old primary.
      link.cut()
    },
    async rebuild() {
      await standby.server.kill()
      rmSync(standby.server.folder, { recursive: true, force: true })
      standby = await follow(standby.name, `standby-${++made}`)
      for (let waited = 0; !(await isSynchronous()); waited += 100) {
        if (waited > 20_000) throw new Error('the new standby does not follow')
        await sleep(100)
      }
    },
    async close() {
      await Promise.all([primary.server.kill(), standby.server.kill()])
      await Promise.all([link, ...watched].map((way) => way.close()))
    },
  }
}

function portOf(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}
