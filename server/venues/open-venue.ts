import { StartProblem } from '../platform/process/start-problem.ts'
import { ccxtVenue, type VenueOptions } from './ccxt/ccxt-venue.ts'
import { isCcxtVenue } from './ccxt/load-ccxt.ts'
import { pythVenue } from './pyth-venue.ts'
import type { Venue } from './venue.ts'

/** Opens a venue by its id, as in the setting `FEED`. It connects once it is used. */
export function openVenue(id: string, options: VenueOptions): Venue {
  if (id === 'pyth') {
    if (!options.key && !options.address) throw new StartProblem('FEED names pyth, which needs PYTH_API_KEY.')
    return pythVenue(options)
  }
  if (isCcxtVenue(id)) return ccxtVenue(id, options)
  throw new StartProblem(
    `FEED names the venue "${id}", which doesn't exist. Use pyth, or an id of ccxt such as kraken.`,
  )
}
