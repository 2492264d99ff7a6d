import type { TcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import type { Fault, FaultContext } from '../faults/fault.ts'
import type { ClusterNode } from './node.ts'
import type { Cluster } from './world.ts'

export type ClusterFault = Fault<Cluster>
export type Context = FaultContext<Cluster>

/** How long something is paused, down, or cut off. */
export interface Times {
  pausedMs: number
  downMs: number
  cutMs: number
}

/** Calls `during` while `begin` is in force, and always ends it. */
export async function meanwhile(
  begin: () => unknown,
  end: () => unknown,
  during: () => Promise<unknown>,
): Promise<void> {
  await begin()
  try {
    await during()
  } finally {
    await end()
  }
}

export const paused = (node: ClusterNode, during: () => Promise<unknown>) =>
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

export const stalled = (ways: readonly TcpProxy[], during: () => Promise<unknown>) =>
  meanwhile(
    () => stall(ways, true),
    () => stall(ways, false),
    during,
  )

export const refused = (ways: readonly TcpProxy[], during: () => Promise<unknown>) =>
  meanwhile(
    () => refuse(ways, true),
    () => refuse(ways, false),
    during,
  )
