import type { draws } from '#tests/support/random.ts'
import type { Journal } from '../journal.ts'
import type { Verifier } from '../verifier/index.ts'
import type { Product, World } from '../world.ts'

export interface FaultContext<W extends Product = World> {
  world: W
  journal: Journal
  draw: ReturnType<typeof draws>
  verifier: Verifier
}

/** One way to break the product while it works. */
export interface Fault<W extends Product = World> {
  name: string
  /** What is done, as a row of the report. */
  says: string
  /** Faults of one group are chosen together with `--only`. */
  group:
    | 'kill'
    | 'cut'
    | 'lock'
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
  /** Starts the product as the fault needs it; undefined: as it always runs. */
  enter?(context: FaultContext<W>): Promise<void>
  /** Injects the fault and ends it. Returns how many faults that were. */
  inject(context: FaultContext<W>): Promise<number>
  /** Undoes `enter`, while the product is stopped. */
  leave?(context: FaultContext<W>): Promise<void>
  /** It takes long: repeated a tenth as often as others in a round. */
  isSlow?: true
  /** The machine's clock jumps, so times of settlement say nothing. */
  clockJumps?: true
}
