import { backlogFaults } from './backlog.ts'
import { busyFaults } from './busy.ts'
import { clocks } from './clocks.ts'
import { cuts } from './cuts.ts'
import { disks } from './disk.ts'
import { engines } from './engines.ts'
import type { Fault } from './fault.ts'
import { feeds } from './feeds.ts'
import { kills } from './kills.ts'
import { locks } from './locks.ts'
import { outside } from './outside.ts'
import { sockets } from './sockets.ts'

export type { Fault } from './fault.ts'

/** All faults, in the order of a full run. */
export const FAULTS: readonly Fault[] = [
  ...kills,
  ...cuts,
  ...locks,
  ...busyFaults(),
  ...backlogFaults,
  ...engines,
  ...sockets,
  ...outside,
  ...disks,
  ...clocks,
  ...feeds,
]
