import { followQuotes, priceText, SOURCE_WORDS, showRow } from './quotes.ts'

/** Runs the ticker strip, and the live prices elsewhere on a page: name, price, change. */
export function runStrip(): void {
  const places = [...document.querySelectorAll<HTMLElement>('[data-quote]')]
  const symbols = new Set(places.map((place) => place.dataset.quote ?? ''))
  if (symbols.size === 0) return
  followQuotes([...symbols], (quotes, source) => {
    for (const { symbol, price, change } of quotes)
      for (const place of places) {
        if (place.dataset.quote !== symbol) continue
        showRow(place, price === undefined ? '–' : priceText(price), change)
      }
    for (const place of document.querySelectorAll('[data-source]')) place.textContent = SOURCE_WORDS[source]
  })
}
