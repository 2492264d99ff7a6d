import type { Bus } from '../../../platform/bus/index.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Clock } from '../../../platform/process/clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { type Loop, startLoop } from '../../../platform/process/loop.ts'
import type { Instruments } from '../../instruments/instruments.ts'
import { type FeedQuestions, type FeedTopics, type FeedView, factsOf, writeFeedState } from '../feed-view.ts'

const FEED_STATE_MS = { watched: 1_000, quiet: 5_000 }

/** Publishes what the other nodes show of this node's feed, while it writes the tape. */
interface FeedPublisher {
  start(log: Log, isQuiet: (() => boolean) | undefined): Loop
  /** A frame was shown: people should know at once what prices come from. */
  shown(): void
  wake(): void
}

export function createFeedPublisher(deps: {
  own: FeedView
  leads(): boolean
  instruments: Instruments
  clock: Clock
  db: Db
  bus: Pick<Bus<FeedTopics>, 'publishToOthers'>
}): FeedPublisher {
  const { own, leads, instruments, clock, db, bus } = deps
  let publishing: Loop | undefined
  let publishedSource = ''
  let publishedFacts = ''
  let publishedReports = ''

  async function publishFeed(): Promise<void> {
    if (!leads()) return
    publishedSource = sourceOf(own)
    const facts = JSON.stringify(factsOf(own, instruments, clock.now()))
    if (facts !== publishedFacts) {
      await writeFeedState(db, 'facts', facts)
      bus.publishToOthers('feed-changed', null)
      publishedFacts = facts
    }
    const reports = JSON.stringify(await own.reports())
    if (reports === publishedReports) return
    await writeFeedState(db, 'reports', reports)
    publishedReports = reports
  }

  return {
    start(log, isQuiet) {
      publishing = startLoop('feed state', () => FEED_STATE_MS[isQuiet?.() ? 'quiet' : 'watched'], log, publishFeed)
      return publishing
    },
    shown() {
      if (leads() && sourceOf(own) !== publishedSource) publishing?.wake()
    },
    wake: () => publishing?.wake(),
  }
}

const sourceOf = ({ kind, note }: FeedView) => `${kind} ${note()}`

/** Answers the questions that only the node with the feed can answer. `own`: its feed while it writes the tape. */
export function answerForFeed(
  bus: Pick<Bus<FeedTopics, FeedQuestions>, 'answer'>,
  own: () => FeedView | undefined,
): void {
  bus.answer('price-preview', async (wanted) => own()?.preview(wanted))
  bus.answer('symbols-lost', async ({ venues }) => {
    const feed = own()
    return feed && { count: await feed.symbolsLostWithout(venues) }
  })
  bus.answer('symbols-of-venue', async ({ venue }) => {
    const feed = own()
    return feed && { symbols: await feed.symbolsOfVenue(venue) }
  })
}
