import { onTestFinished } from 'vitest'
import type { Ms } from '#kernel/time.ts'
import { openBus } from '#server/platform/bus/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import type { PricesDeps } from '#server/prices/deps.ts'
import {
  type Feed,
  type FeedQuestions,
  type FrameEvent,
  type Prices,
  type PricesTopics,
  startPrices,
} from '#server/prices/index.ts'
import { handClock } from '#tests/support/hand-clock.ts'
import type { ScriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import type { TestDatabase } from '../servers/database.ts'

/** A tape scripted by a test: its quotes, its clock, its frames. */
export interface TestPrices extends Prices {
  /** The database of its tape, for calls that read it. */
  db: TestDatabase['db']
  feed: ScriptedFeed
  clock: ReturnType<typeof handClock>
  /** All published frames, in order. */
  frames: FrameEvent[]
  /**
   * Advances the clock by 250 ms, quotes the given prices (symbol to decimal text) at that time, and writes a frame.
   */
  tick(quotes?: Record<string, string>): Promise<void>
}

/** Start time of test tapes, on a full minute. */
export const TEST_START: Ms = 1_790_000_040_000

export const TEST_CONFIG: PricesDeps['config'] = {
  FEED: 'simulation',
  REPLAY_SPEED: 1,
  TAPE_RETENTION_DAYS: 7,
  NEW_TAPE_EPOCH: false,
  ROLES: ['engine'],
  dataDir: '',
  realTradesOnTestPrices: true,
}

export async function startTestPrices(
  database: TestDatabase,
  more: Omit<Partial<PricesDeps>, 'feed'> & { feed?: Feed | ScriptedFeed | undefined } = {},
): Promise<TestPrices> {
  const feed = more.feed && 'quote' in more.feed ? more.feed : scriptedFeed()
  const clock = handClock(TEST_START)
  const frames: FrameEvent[] = []
  const prices = await startPrices({
    database,
    url: database.appUrl,
    clock,
    log: createLog('silent'),
    bus: await openBus<PricesTopics, FeedQuestions>(createLog('silent')),
    onFrame: (event) => void frames.push(event),
    config: TEST_CONFIG,
    neededFrom: async () => Number.POSITIVE_INFINITY,
    neededMinutes: async () => new Set(),
    feed,
    byHand: true,
    ...(more as Partial<PricesDeps>),
  })
  onTestFinished(() => prices.stop())
  return {
    ...prices,
    db: database.db,
    feed,
    clock,
    frames,
    async tick(quotes = {}) {
      clock.advance(250)
      for (const [symbol, price] of Object.entries(quotes)) feed.quote(symbol, price, clock.now())
      await prices.step()
    },
  }
}
