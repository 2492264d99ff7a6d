import { setTimeout as sleep } from 'node:timers/promises'
import { processOf } from '#tests/support/servers/nodes.ts'
import { postmaster, type World } from '../world.ts'
import type { Fault } from './fault.ts'

/** Killed processes, including the supervisor and PostgreSQL, and a clean shutdown. */
export const kills: Fault[] = [
  {
    name: 'kill-engine',
    says: 'kill -9 of the engine',
    group: 'kill',
    inject: ({ world }) => kill(world, 'engine'),
  },
  {
    name: 'kill-web',
    says: 'kill -9 of the web',
    group: 'kill',
    inject: ({ world }) => kill(world, 'web'),
  },
  {
    name: 'kill-postgres',
    says: "kill -9 of PostgreSQL's postmaster",
    group: 'kill',
    async inject({ world }) {
      const before = await postmaster(world)
      process.kill(before, 'SIGKILL')
      for (let waited = 0; waited < 20_000; waited += 20) {
        await sleep(20)
        if ((await postmaster(world)) !== before) return 1
      }
      throw new Error('PostgreSQL was not restarted')
    },
  },
  {
    name: 'kill-all',
    says: 'kill -9 of the supervisor and PostgreSQL, then a restart',
    group: 'kill',
    async inject({ world, draw }) {
      if (draw.chance(0.5)) process.kill(await postmaster(world), 'SIGKILL')
      await world.server().end('SIGKILL')
      await world.start()
      return 1
    },
  },
  {
    name: 'stop',
    says: 'SIGTERM under load, then a restart',
    group: 'kill',
    async inject({ world }) {
      await world.stop()
      await world.start()
      return 1
    },
  },
  {
    name: 'hang-engine',
    says: 'SIGSTOP of the engine until its supervisor kills it',
    group: 'kill',
    isSlow: true,
    async inject({ world }) {
      const before = await roleOf(world, 'engine')
      process.kill(before, 'SIGSTOP')
      await another(world, 'engine', before, 60_000)
      return 1
    },
  },
]

async function kill(world: World, role: 'engine' | 'web'): Promise<number> {
  const before = await roleOf(world, role)
  process.kill(before, 'SIGKILL')
  await another(world, role, before, 10_000)
  return 1
}

export async function roleOf(world: World, role: 'engine' | 'web'): Promise<number> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    const pid = processOf(world.server().pid, role)
    if (pid !== undefined) return pid
    await sleep(20)
  }
  throw new Error(`the ${role} is not running:\n${world.server().output().slice(-2_000)}`)
}

async function another(world: World, role: 'engine' | 'web', before: number, withinMs: number): Promise<void> {
  for (const until = performance.now() + withinMs; performance.now() < until; await sleep(20)) {
    const pid = processOf(world.server().pid, role)
    if (pid !== undefined && pid !== before) return
  }
  throw new Error(`the ${role} was not restarted:\n${world.server().output().slice(-2_000)}`)
}
