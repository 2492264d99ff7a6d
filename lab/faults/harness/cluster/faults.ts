import { setTimeout as sleep } from 'node:timers/promises'
import { REDIS_PROGRAM } from '#tests/support/outside/redis.ts'
import { HAS_NGINX } from '#tests/support/servers/proxy.ts'
import { primary, standby } from './database-faults.ts'
import { type ClusterFault, type Context, meanwhile, paused, refused, stalled, type Times } from './fault.ts'
import type { ClusterNode } from './node.ts'
import { appendsOf, leadersOn } from './watch.ts'
import type { Cluster } from './world.ts'

const LONG: Times = { pausedMs: 20_000, downMs: 4_000, cutMs: 8_000 }
/** Limit for another engine to take over. */
const TAKEN_OVER_WITHIN_MS = 8_000

/** Returns the faults that lose one of the nodes in three ways and bring it back. */
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

/**
 * Loses the leader, and checks that another engine takes over and that the old session writes nothing once it's back.
 */
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
  ...nodeFaults(times, 'engine', 'leader', 'the leading engine', async (world) => (await world.leader()).node),
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
    says: `the bucket doesn't respond for ${times.pausedMs / 1_000} s`,
    group: 'storage',
    async inject({ world }) {
      await stalled(toStorage(world), () => sleep(times.pausedMs))
      return 1
    },
  },
  {
    name: 's3-cut',
    says: `connections to the bucket are cut repeatedly for ${times.cutMs / 1_000} s, and replies lost`,
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

/** Returns all faults of a cluster, in the order of a full run. */
export const clusterFaults = (times: Times): readonly ClusterFault[] =>
  [nodes, redis, storage, proxy, standby, primary].flatMap((group) => group(times))

export const CLUSTER_FAULTS = clusterFaults(LONG)
