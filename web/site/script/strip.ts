import { followQuotes, priceText, SOURCE_WORDS, showChange } from './quotes.ts'

/** The strip of the page's head. */
export function runStrip(): void {
  const strip = document.querySelector('[data-strip]')
  if (!strip) return
  const places = new Map(
    [...strip.querySelectorAll<HTMLElement>('[data-quote]')].map((place) => [place.dataset.quote!, place.children]),
  )
  followQuotes([...places.keys()], (quotes, source) => {
    for (const { symbol, price, change } of quotes) {
      const [, shown, way] = [...(places.get(symbol) ?? [])] as HTMLElement[]
      if (!shown || !way) continue
      shown.textContent = price === undefined ? '–' : priceText(price)
      showChange(way, change)
    }
    strip.querySelector('[data-source]')!.textContent = SOURCE_WORDS[source]
  })
}
