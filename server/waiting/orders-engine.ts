import { SECOND_MS } from '#kernel/time.ts'
import { TapeWatch } from '../alerts/index.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { FrameEvent } from '../prices/index.ts'
import type { WaitingDeps } from './deps.ts'
import { notifyEnds } from './notify-ends.ts'
import { expireOrders, tradeOpener } from './open-trades.ts'
import { changedOrders, judgedUntil, recordJudged, type WaitingRow, waitingOrders } from './store.ts'
import { toWatch, type WaitingWatch, writeTriggers } from './trigger.ts'

/** What is triggered wakes the loop; this often it looks without. */
const LOOK_MS = 2 * SECOND_MS
/** While a trade couldn't be placed yet. */
const AGAIN_MS = 250
/** An engine has read an order this long after it was placed. */
const READ_WITHIN_MS = 10 * SECOND_MS

/** Triggers orders on the frames of the tape, and places their trades. All state is in the database. */
export class OrdersEngine {
  readonly #deps: WaitingDeps
  readonly #watch: TapeWatch<WaitingWatch, WaitingRow>
  readonly #openTrades: ReturnType<typeof tradeOpener>
  readonly #loop: Loop | undefined
  #triggered: bigint[] = []
  #open = 0

  /** `byHand`: tests run each round. */
  constructor(deps: WaitingDeps, { byHand = false } = {}) {
    const { db, instruments } = deps
    this.#deps = deps
    this.#openTrades = tradeOpener(deps)
    this.#watch = new TapeWatch<WaitingWatch, WaitingRow>(
      {
        name: 'waiting orders',
        armed: () => waitingOrders(db),
        changed: (xmin) => changedOrders(db, xmin),
        toWatch: (row) => toWatch(instruments, row),
        write: async (fires) => {
          const { ids, busy } = await writeTriggers(db, fires)
          this.#triggered.push(...ids)
          if (this.#triggered.length > 0) this.#loop?.wake()
          return busy
        },
        judgedUntil: () => judgedUntil(db),
        recordJudged: (until) => recordJudged(db, until),
      },
      deps,
      { byHand },
    )
    const pause = () => (this.#open > 0 ? AGAIN_MS : LOOK_MS)
    this.#loop = byHand ? undefined : startLoop('trades of orders', pause, deps.log, () => this.place())
  }

  frame(event: FrameEvent): void {
    this.#watch.frame(event)
  }

  wake(): void {
    this.#watch.wake()
  }

  forget(id: bigint): void {
    this.#watch.forget(id)
  }

  /** Reads what was placed, and writes what is triggered. */
  trigger(): Promise<void> {
    return this.#watch.round()
  }

  /** Places the trades of triggered orders, ends those whose time is over, and notifies the owners of what has ended. */
  async place(): Promise<void> {
    this.#open = await this.#openTrades(this.#triggered.splice(0))
    const judged = this.#watch.written
    if (judged !== undefined) await expireOrders(this.#deps, judged - READ_WITHIN_MS)
    while ((await notifyEnds(this.#deps)) > 0);
  }

  async stop(): Promise<void> {
    await this.#watch.stop()
    await this.#loop?.stop()
  }
}
