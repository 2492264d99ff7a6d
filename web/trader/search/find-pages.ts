/** A page that can be opened. */
export interface SearchPage {
  to: string
  label: string
  /** What is on it, as text. */
  about: string
  /** Public pages aren't screens of the app. */
  isPublic: boolean
  /** Exists in live only. */
  realOnly: boolean
}

/** Returns the text in lower case, without punctuation. */
const plain = (text: string): string => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')}`

/** Finds pages in which every word begins a word of the name or of what is on the page; those by their name first. */
export function findPages(pages: readonly SearchPage[], typed: string): SearchPage[] {
  const words = plain(typed)
    .split(' ')
    .filter(Boolean)
    .map((word) => ` ${word}`)
  if (words.length === 0) return []
  const has = (text: string) => words.every((word) => plain(text).includes(word))
  const byName = pages.filter(({ label }) => has(label))
  return [...byName, ...pages.filter((page) => !byName.includes(page) && has(`${page.label} ${page.about}`))]
}
