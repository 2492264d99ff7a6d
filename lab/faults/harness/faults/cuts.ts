import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#server/platform/database/db.ts'
import { type TcpProxy, tcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { openOwnDatabase } from '../own-database.ts'
import type { Fault } from './fault.ts'

const CUTTING_MS = 4_000
const LOST_REPLIES = 60

let network: { proxy: TcpProxy; stop(): Promise<void> } | undefined

/** Connections that end, and replies that get lost. */
export const cuts: Fault[] = [
  {
    name: 'cut-sessions',
    says: "the server's PostgreSQL sessions terminated at random",
    group: 'cut',
    async inject({ world }) {
      let count = 0
      for (const until = performance.now() + CUTTING_MS; performance.now() < until; await sleep(40)) {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from (
            select pid from pg_stat_activity
            where application_name like 'cleartick %' and application_name <> 'cleartick onlooker'
            order by random() limit 2
          ) victims`.execute(world.database.db)
        count += rows.length
      }
      return count
    },
  },
  {
    name: 'cut-bus',
    says: 'the sessions of the bus and the tape terminated repeatedly',
    group: 'cut',
    async inject({ world }) {
      let count = 0
      for (const until = performance.now() + CUTTING_MS; performance.now() < until; await sleep(400)) {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'cleartick bus' or application_name like 'cleartick tape %'`.execute(
          world.database.db,
        )
        count += rows.length
      }
      return count
    },
  },
  {
    name: 'lose-replies',
    says: "responses to clients lost after the request was delivered, and the clients' connections cut",
    group: 'cut',
    async inject({ world: { front } }) {
      let cut = 0
      front.loseReplies(LOST_REPLIES)
      for (const until = performance.now() + CUTTING_MS; performance.now() < until; await sleep(250)) cut += front.cut()
      const lost = LOST_REPLIES - front.toLose()
      front.loseReplies(0)
      return cut + lost
    },
  },
  {
    name: 'cut-network',
    says: 'the network between server and PostgreSQL cut, stalled for 3 s, and replies lost on it',
    group: 'cut',
    async enter({ world }) {
      const own = await openOwnDatabase(world.dataDir)
      const proxy = await tcpProxy(() => Number(new URL(own.url).port))
      const url = new URL(own.url)
      url.port = String(proxy.port)
      network = {
        proxy,
        async stop() {
          await proxy.close()
          await own.stop()
        },
      }
      await world.start({ DATABASE_URL: url.href })
    },
    async inject() {
      const { proxy } = network!
      let count = 0
      for (const until = performance.now() + CUTTING_MS / 2; performance.now() < until; await sleep(500))
        count += proxy.cut()
      proxy.stall(true)
      await sleep(3_000)
      proxy.stall(false)
      proxy.loseReplies(LOST_REPLIES)
      await sleep(CUTTING_MS / 2)
      count += LOST_REPLIES - proxy.toLose()
      proxy.loseReplies(0)
      return count + 1
    },
    async leave() {
      await network?.stop()
      network = undefined
    },
  },
]
