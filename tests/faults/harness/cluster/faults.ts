import { setTimeout as sleep } from 'node:timers/promises'
import { HAS_NGINX } from '#tests/support/proxy.ts'
import type { Fault, FaultContext } from '../faults/fault.ts'
import type { TcpProxy } from '../proxy.ts'
import type { ClusterNode } from './node.ts'
import { REDIS_PROGRAM } from './redis.ts'
import { appendsOf, leadersOn } from './watch.ts'
import type { Cluster } from './world.ts'

type ClusterFault = Fault<Cluster>
type Context = FaultContext<Cluster>

/** How long something is paused, down, or cut off. */
export interface Times {
  pausedMs: number
  downMs: number
  cutMs: number
}
const LONG: Times = { pausedMs: 20_000, downMs: 4_000, cutMs: 8_000 }
/** How long nobody promotes the standby. */
const UNTIL_FAILOVER_MS = 2_000
/** Without a leader for longer than this, an engine has not taken over. */
const TAKEN_OVER_WITHIN_MS = 8_000
/** Frames are kept for longer than this. */
const KEPT_MS = 60_000
/** Until a process that was started again uses its database. */
const RESTARTED_MS = 5_000
/** What a commit that has begun may still take after the standby is gone. */
const LAST_COMMITS_MS = 1_000

/** Calls `during` while `begin` is in force, and always ends it. */
async function meanwhile(begin: () => unknown, end: () => unknown, during: () => Promise<unknown>): Promise<void> {
  await begin()
  try {
    await during()
  } finally {
    await end()
  }
}

const paused = (node: ClusterNode, during: () => Promise<unknown>) =>
  meanwhile(
    () => node.signal('SIGSTOP'),
    () => node.signal('SIGCONT'),
    during,
  )

function stall(ways: readonly TcpProxy[], isStalled: boolean): void {
  for (const way of ways) way.stall(isStalled)
}

function refuse(ways: readonly TcpProxy[], isRefused: boolean): void {
  for (const way of ways) way.refuse(isRefused)
}

const stalled = (ways: readonly TcpProxy[], during: () => Promise<unknown>) =>
  meanwhile(
    () => stall(ways, true),
    () => stall(ways, false),
    during,
  )

const refused = (ways: readonly TcpProxy[], during: () => Promise<unknown>) =>
  meanwhile(
    () => refuse(ways, true),
    () => refuse(ways, false),
    during,
  )

/** One of the nodes is lost in three ways, and comes back. */
function nodeFaults(times: Times, group: 'web' | 'engine', name: string, says: string, which: Choose): ClusterFault[] {
  const fault = (how: string, what: string, ms: number, lose: (node: ClusterNode, during: Wait) => Promise<void>) => ({
    name: `${name}-${how}`,
    says: `${says} ${what}`,
    group,
    async inject(context: Context) {
      const node = await which(context.world)
      await (name === 'leader' ? takenOver(context, ms, (during) => lose(node, during)) : lose(node, () => sleep(ms)))
      return 1
    },
  })
  return [
    fault('kill', `is killed, and back after ${times.downMs / 1_000} s`, times.downMs, async (node, during) => {
      await node.kill()
      await during()
      await node.start()
    }),
    fault('pause', `is paused for ${times.pausedMs / 1_000} s`, times.pausedMs, paused),
    fault('cut', `is cut off from the database for ${times.cutMs / 1_000} s`, times.cutMs, (node, during) =>
      stalled(node.database, during),
    ),
  ]
}
type Wait = () => Promise<unknown>
type Choose = (cluster: Cluster) => ClusterNode | Promise<ClusterNode>

/** Loses the leader: another engine takes over meanwhile, and what comes back writes nothing in its old session. */
async function takenOver({ world }: Context, forMs: number, lose: (during: Wait) => Promise<void>): Promise<void> {
  const before = await world.leader()
  await lose(async () => {
    const began = performance.now()
    for (let now = before.session; now === before.session; await sleep(50)) {
      if (performance.now() - began > TAKEN_OVER_WITHIN_MS)
        throw new Error(`nobody took over from ${before.node.name} within ${TAKEN_OVER_WITHIN_MS} ms`)
      now = (await leadersOn(world.databases.primary()))[0]?.session ?? before.session
    }
    await sleep(Math.max(0, forMs - (performance.now() - began)))
  })
  const backAt = Date.now()
  await sleep(2_000)
  const appended = await appendsOf(world.database.db, before.session, backAt)
  if (appended.length > 0) throw new Error(`${before.node.name} appended frame ${appended[0]} after it was replaced`)
}

const nodes = (times: Times): ClusterFault[] => [
  ...nodeFaults(times, 'web', 'web-1', 'the first web', ({ webs }) => webs[0]!),
  ...nodeFaults(times, 'web', 'web-2', 'the second web', ({ webs }) => webs[1]!),
  ...nodeFaults(times, 'engine', 'leader', 'the engine that leads', async (world) => (await world.leader()).node),
  ...nodeFaults(times, 'engine', 'follower', 'the other engine', async (world) => {
    const { node } = await world.leader()
    return world.engines.find((one) => one !== node)!
  }),
]

const withoutRedis = () =>
  REDIS_PROGRAM === undefined ? 'this machine has neither valkey-server nor redis-server' : undefined
const toRedis = ({ webs, engines }: Cluster) => [...webs, ...engines].flatMap(({ redis }) => redis ?? [])

const redis = (times: Times): ClusterFault[] => [
  {
    name: 'redis-kill',
    says: `Redis is killed, and back after ${times.downMs / 1_000} s`,
    group: 'redis',
    missing: withoutRedis,
    async inject({ world }) {
      await world.redis!.kill()
      await sleep(times.downMs)
      await world.redis!.start()
      return 1
    },
  },
  {
    name: 'redis-pause',
    says: `Redis is paused for ${times.pausedMs / 1_000} s`,
    group: 'redis',
    missing: withoutRedis,
    async inject({ world: { redis } }) {
      await meanwhile(
        () => redis!.signal('SIGSTOP'),
        () => redis!.signal('SIGCONT'),
        () => sleep(times.pausedMs),
      )
      return 1
    },
  },
  {
    name: 'redis-cut',
    says: `the nodes are cut off from Redis: no bytes for ${times.cutMs / 1_000} s, then no connections for ${times.downMs / 1_000} s`,
    group: 'redis',
    missing: withoutRedis,
    async inject({ world }) {
      await stalled(toRedis(world), () => sleep(times.cutMs))
      await refused(toRedis(world), () => sleep(times.downMs))
      return 2
    },
  },
]

const toStorage = ({ webs, engines }: Cluster) => [...webs, ...engines].map(({ storage }) => storage)

const storage = (times: Times): ClusterFault[] => [
  {
    name: 's3-down',
    says: `the bucket refuses connections for ${times.cutMs / 1_000} s`,
    group: 'storage',
    async inject({ world }) {
      await refused(toStorage(world), () => sleep(times.cutMs))
      return 1
    },
  },
  {
    name: 's3-hang',
    says: `the bucket says nothing for ${times.pausedMs / 1_000} s`,
    group: 'storage',
    async inject({ world }) {
      await stalled(toStorage(world), () => sleep(times.pausedMs))
      return 1
    },
  },
  {
    name: 's3-cut',
    says: `connections to the bucket are cut all the time for ${times.cutMs / 1_000} s, and replies lost`,
    group: 'storage',
    async inject({ world }) {
      for (const way of toStorage(world)) way.loseReplies(5)
      for (const until = performance.now() + times.cutMs; performance.now() < until; await sleep(100))
        for (const way of toStorage(world)) way.cut()
      for (const way of toStorage(world)) way.loseReplies(0)
      return 1
    },
  },
]

const withoutNginx = () => (HAS_NGINX ? undefined : 'this machine has no nginx')

const proxy = (times: Times): ClusterFault[] => [
  {
    name: 'proxy-kill',
    says: `nginx is killed, and back after ${times.downMs / 1_000} s`,
    group: 'proxy',
    missing: withoutNginx,
    async inject({ world: { nginx } }) {
      await nginx!.end('SIGKILL')
      await sleep(times.downMs)
      nginx!.start()
      return 1
    },
  },
  {
    name: 'proxy-pause',
    says: `nginx is paused for ${times.pausedMs / 1_000} s`,
    group: 'proxy',
    missing: withoutNginx,
    async inject({ world: { nginx } }) {
      await meanwhile(
        () => nginx!.signal('SIGSTOP'),
        () => nginx!.signal('SIGCONT'),
        () => sleep(times.pausedMs),
      )
      return 1
    },
  },
  {
    name: 'proxy-cut',
    says: `clients are cut off from nginx: no bytes for ${times.cutMs / 1_000} s, then no connections for ${times.downMs / 1_000} s`,
    group: 'proxy',
    async inject({ world: { front } }) {
      await stalled([front], () => sleep(times.cutMs))
      await refused([front], () => sleep(times.downMs))
      return 2
    },
  },
]

/** The ways of all nodes to one of the database servers. */
function waysTo({ webs, engines, databases }: Cluster, which: 'primary' | 'standby'): TcpProxy[] {
  const at = databases.ports.findIndex((port) => port() === databases[which]().port)
  return [...webs, ...engines].map(({ database }) => database[at]!)
}

/** Without the standby nothing may be acknowledged: it would be lost if the primary were lost now. */
async function nothingAcknowledged({ journal }: Context, forMs: number): Promise<void> {
  const count = () => journal.entries.filter(({ outcome }) => outcome.kind === 'acknowledged').length
  await sleep(LAST_COMMITS_MS)
  const before = count()
  await sleep(forMs - LAST_COMMITS_MS)
  if (count() > before) throw new Error(`${count() - before} operations were acknowledged without the standby`)
}

const standby = (times: Times): ClusterFault[] => [
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
      await stalled([world.databases.link, ...waysTo(world, 'standby')], () =>
        nothingAcknowledged(context, times.cutMs),
      )
      return 1
    },
  },
]

/** Promotes the standby, and fences the old primary's leftovers: nothing is on it that the new one lacks. */
async function failOver({ world }: Context): Promise<void> {
  await sleep(UNTIL_FAILOVER_MS)
  await world.databases.failOver()
}

/**
 * Starts a web and an engine again while the old primary answers, as it was: neither uses it. What can be read on it is
 * on the new one too.
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
       and application_name <> 'cleartick primary?'`,
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

/** Gives the new primary a standby afterwards, whatever was found. */
async function rebuilt(databases: Cluster['databases'], during: () => Promise<unknown>): Promise<void> {
  await meanwhile(
    () => undefined,
    () => databases.rebuild(),
    during,
  )
}

const primary = (times: Times): ClusterFault[] => [
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
        await stalled([databases.link, ...waysTo(context.world, 'primary')], async () => {
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

/** What a cluster is put through, in the order of a run of all of them. */
export const clusterFaults = (times: Times): readonly ClusterFault[] =>
  [nodes, redis, storage, proxy, standby, primary].flatMap((group) => group(times))

export const CLUSTER_FAULTS = clusterFaults(LONG)
