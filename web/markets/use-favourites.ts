import { FAVOURITES_MAX, RECENTS_MAX } from '#contract/terms.ts'
import { choose, useScreenChoices } from '#web/api/index.ts'
import { FAMILIAR } from './markets.ts'

/** The markets with a star, and those opened last, kept with the account: familiar ones until the trader chooses their own. */
export function useFavourites(): {
  favourites: readonly string[]
  recents: readonly string[]
  toggle: (symbol: string) => void
  /** Remembers what was opened. */
  note: (symbol: string) => void
} {
  const choices = useScreenChoices()
  const favourites = choices?.favourites ?? FAMILIAR
  const recents = choices?.recents ?? []
  return {
    favourites,
    recents,
    toggle: (symbol) =>
      choose({
        favourites: favourites.includes(symbol)
          ? favourites.filter((one) => one !== symbol)
          : [symbol, ...favourites].slice(0, FAVOURITES_MAX),
      }),
    note: (symbol) => choose({ recents: [symbol, ...recents.filter((one) => one !== symbol)].slice(0, RECENTS_MAX) }),
  }
}
