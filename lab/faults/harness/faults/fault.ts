import type { draws } from '#tests/support/random.ts'
import type { Client } from '../client.ts'
import type { Journal } from '../journal.ts'
import type { Verifier } from '../verifier/index.ts'
import type { Product, World } from '../world.ts'

export interface FaultContext<W extends Product = World> {
  world: W
  journal: Journal
  draw: ReturnType<typeof draws>
  verifier: Verifier
  client: Client
}

/** One way to break the product while it works. */
export interface Fault<W extends Product = World> {
  name: string
  /** Description, for a row of the report. */
  says: string
  /** `--only` can choose all faults of a group. */
  group:
    | 'kill'
    | 'cut'
    | 'lock'
    | 'busy'
    | 'disk'
    | 'feed'
    | 'clock'
    | 'socket'
    | 'outside'
    | 'backlog'
    | 'engines'
    | 'web'
    | 'engine'
    | 'redis'
    | 'storage'
    | 'proxy'
    | 'standby'
    | 'primary'
  /** Why it can't be injected on this machine; undefined if it can. */
  missing?(): string | undefined
  /** Starts the product in the way the fault needs. */
  enter?(context: FaultContext<W>): Promise<void>
  /** Injects the fault and ends it. Returns how many faults that were. */
  inject(context: FaultContext<W>): Promise<number>
  /** Undoes `enter`, while the product is stopped. */
  leave?(context: FaultContext<W>): Promise<void>
  /** Slow: repeated a tenth as often as other faults in a round. */
  isSlow?: true
  /** The machine's clock jumps, so settlement times mean nothing. */
  clockJumps?: true
}
