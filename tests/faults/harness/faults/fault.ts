import type { draws } from '#tests/support/random.ts'
import type { Verifier } from '../verifier/index.ts'
import type { World } from '../world.ts'

export interface FaultContext {
  world: World
  draw: ReturnType<typeof draws>
  verifier: Verifier
}

/** One way to break the product while it works. */
export interface Fault {
  name: string
  /** What is done, as a row of the report. */
  says: string
  /** Faults of one group are chosen together with `--only`. */
  group: 'kill' | 'cut' | 'lock' | 'disk' | 'feed' | 'clock' | 'socket' | 'outside' | 'backlog' | 'engines'
  /** Why it can't be injected on this machine; undefined if it can. */
  missing?(): string | undefined
  /** Starts the product as the fault needs it; undefined: as it always runs. */
  enter?(context: FaultContext): Promise<void>
  /** Injects the fault and ends it. Returns how many faults that were. */
  inject(context: FaultContext): Promise<number>
  /** Undoes `enter`, while the product is stopped. */
  leave?(context: FaultContext): Promise<void>
  /** The machine's clock jumps, so times of settlement say nothing. */
  clockJumps?: true
}
