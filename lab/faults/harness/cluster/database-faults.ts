import { setTimeout as sleep } from 'node:timers/promises'
import type { TcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { type ClusterFault, type Context, meanwhile, stalled, type Times } from './fault.ts'
import type { Cluster } from './world.ts'

/** Time until the standby is promoted. */
const UNTIL_FAILOVER_MS = 2_000
/** Frames are kept for longer than this. */
const KEPT_MS = 60_000
/** Time for a restarted process to connect to its database. */
const RESTARTED_MS = 5_000
/** Time for commits that had begun before the standby was lost. */
const LAST_COMMITS_MS = 1_000

/** Returns the proxies through which all nodes reach one of the database servers. */
function proxiesTo({ webs, engines, databases }: Cluster, which: 'primary' | 'standby'): TcpProxy[] {
  const at = databases.ports.findIndex((port) => port() === databases[which]().port)
  return [...webs, ...engines].map(({ database }) => database[at]!)
}

/** Checks that nothing is acknowledged without the standby: it would be lost if the primary failed now. */
async function nothingAcknowledged({ journal }: Context, forMs: number): Promise<void> {
  const count = () => journal.entries.filter(({ outcome }) => outcome.kind === 'acknowledged').length
  await sleep(LAST_COMMITS_MS)
  const before = count()
  await sleep(forMs - LAST_COMMITS_MS)
  if (count() > before) throw new Error(`${count() - before} operations were acknowledged without the standby`)
}

export const standby = (times: Times): ClusterFault[] => [
  {
    name: 'standby-kill',
    says: `the standby is killed, and back after ${times.downMs / 1_000} s`,
    group: 'standby',
    async inject(context) {
      const server = context.world.databases.standby()
      await meanwhile(
        () => server.kill(),
        () => server.start(),
        () => nothingAcknowledged(context, times.downMs),
      )
      return 1
    },
  },
  {
    name: 'standby-pause',
    says: `the standby is paused for ${times.pausedMs / 1_000} s`,
    group: 'standby',
    async inject(context) {
      const server = context.world.databases.standby()
      await meanwhile(
        () => server.signal('SIGSTOP'),
        () => server.signal('SIGCONT'),
        () => nothingAcknowledged(context, times.pausedMs),
      )
      return 1
    },
  },
  {
    name: 'standby-cut',
    says: `the standby is cut off from the primary and from the nodes for ${times.cutMs / 1_000} s`,
    group: 'standby',
    async inject(context) {
      const { world } = context
      await stalled([world.databases.link, ...proxiesTo(world, 'standby')], () =>
        nothingAcknowledged(context, times.cutMs),
      )
      return 1
    },
  },
]

/** Promotes the standby after a while, as Patroni would. */
async function failOver({ world }: Context): Promise<void> {
  await sleep(UNTIL_FAILOVER_MS)
  await world.databases.failOver()
}

/** Connections that only ask what a server is: a primary to work on, and a standby to read from. */
const LOOKING = "'cleartick primary?', 'cleartick standby'"

/**
 * Restarts a web node and an engine while the old primary responds, and checks that neither uses it and that all its
 * frames are on the new primary too.
 */
async function oldIsUnused({ databases, webs, engines }: Cluster): Promise<void> {
  const since = Date.now()
  for (const node of [webs[1]!, engines[1]!]) {
    const before = await node.pid()
    process.kill(before, 'SIGKILL')
    while ((await node.pid()) === before) await sleep(50)
  }
  await sleep(RESTARTED_MS)
  const [use] = await databases.standby().ask<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where backend_start > to_timestamp(${since / 1_000}) and application_name like 'cleartick %'
       and application_name not in (${LOOKING})`,
  )
  if (use) throw new Error(`${use.name} is connected to the old primary`)
  const read = async (server: ReturnType<typeof databases.primary>) =>
    new Map(
      (
        await server.ask<{ n: string; hash: string }>(
          `select n::text, encode(hash, 'hex') as hash from frames where t > ${since - KEPT_MS}`,
        )
      ).map(({ n, hash }) => [n, hash]),
    )
  const [before, now] = [await read(databases.standby()), await read(databases.primary())]
  for (const [n, hash] of before)
    if (now.get(n) !== hash) throw new Error(`frame ${n} is on the old primary and not on the new one`)
}

/** Calls `during`, and afterwards gives the new primary a standby, even if it throws. */
async function rebuilt(databases: Cluster['databases'], during: () => Promise<unknown>): Promise<void> {
  await meanwhile(
    () => undefined,
    () => databases.rebuild(),
    during,
  )
}

export const primary = (times: Times): ClusterFault[] => [
  {
    name: 'primary-kill',
    says: 'the primary is killed, and the standby promoted after 2 s',
    group: 'primary',
    async inject(context) {
      const { databases } = context.world
      await databases.primary().kill()
      await rebuilt(databases, async () => {
        await failOver(context)
        await sleep(times.cutMs)
      })
      return 1
    },
  },
  {
    name: 'primary-pause',
    says: `the primary is paused for ${times.pausedMs / 1_000} s, the standby promoted after 2 s, and the old one wakes up`,
    group: 'primary',
    async inject(context) {
      const { databases } = context.world
      const old = databases.primary()
      await rebuilt(databases, async () => {
        await meanwhile(
          () => old.signal('SIGSTOP'),
          () => old.signal('SIGCONT'),
          async () => {
            await failOver(context)
            await sleep(times.pausedMs - UNTIL_FAILOVER_MS)
          },
        )
        await oldIsUnused(context.world)
      })
      return 1
    },
  },
  {
    name: 'primary-cut',
    says: `the primary is cut off from its standby and the nodes for ${times.cutMs / 1_000} s, and the standby promoted after 2 s`,
    group: 'primary',
    async inject(context) {
      const { databases } = context.world
      await rebuilt(databases, async () => {
        await stalled([databases.link, ...proxiesTo(context.world, 'primary')], async () => {
          await failOver(context)
          await sleep(times.cutMs - UNTIL_FAILOVER_MS)
        })
        await oldIsUnused(context.world)
      })
      return 1
    },
  },
  {
    name: 'standby-then-primary',
    says: `the primary is cut off from its standby for ${times.cutMs / 1_000} s, while all nodes reach it, then lost; the standby is promoted`,
    group: 'primary',
    async inject(context) {
      const { databases } = context.world
      const { link } = databases
      await stalled([link], async () => {
        await nothingAcknowledged(context, times.cutMs)
        await databases.primary().kill()
        link.cut()
      })
      await rebuilt(databases, async () => {
        await failOver(context)
        await sleep(times.cutMs)
      })
      return 2
    },
  },
]
