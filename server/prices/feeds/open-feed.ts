import type { Config } from '../../config/config.ts'
import type { Log } from '../../platform/process/log.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import { DEFAULT_VENUES, type Venue } from '../../venues/index.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { autoFeed } from './auto-feed.ts'
import type { Feed } from './feed.ts'
import { type LiveFeed, liveFeed } from './live-feed.ts'
import { loadRecording } from './recording.ts'
import { replayFeed } from './replay.ts'
import { seedOf, simulationFeed } from './simulation-feed.ts'

interface OpenFeedDeps {
  config: Pick<Config, 'FEED' | 'REPLAY_SPEED' | 'PROOF_KEY' | 'dataDir'>
  instruments: Instruments
  /** Opens a trading venue by its id. Without it there are no live prices. */
  openVenue: ((id: string) => Promise<Venue>) | undefined
  log: Log
  /** Whether the newest prices on the tape are live. */
  wasLive(): boolean
}

/** Opens the source of prices that the setting `FEED` names. Never waits for a venue. */
export async function openFeed({ config, instruments, openVenue, log, wasLive }: OpenFeedDeps): Promise<Feed> {
  const [kind, rest] = split(config.FEED)
  const live = async (ids: readonly string[], optional: boolean): Promise<LiveFeed> => {
    if (!openVenue) throw new StartProblem('Live prices are not available here.')
    return liveFeed({ instruments, venues: await Promise.all(ids.map(openVenue)), log, optional })
  }
  if (kind === 'live') {
    const ids = rest.split(',').filter((id) => id !== '')
    const feed = await live(ids, false)
    void feed.readLists()
    return feed
  }
  if (kind === 'replay') {
    if (!(config.REPLAY_SPEED > 0)) throw new StartProblem('REPLAY_SPEED must be more than 0.')
    return replayFeed(instruments, await loadRecording(rest, instruments), config.REPLAY_SPEED)
  }
  const simulation = simulationFeed(instruments, rest || seedOf(config))
  if (kind === 'simulation') return simulation
  return autoFeed({
    simulation,
    live: await live(DEFAULT_VENUES, true),
    wasLive,
    decided: (decided) => log.info({ prices: decided }, 'chose the source of prices'),
  })
}

function split(feed: string): [string, string] {
  const colon = feed.indexOf(':')
  return colon < 0 ? [feed, ''] : [feed.slice(0, colon), feed.slice(colon + 1)]
}
