import { placeholder, SITE, type SiteKey, siteText } from '#contract/site.ts'

/** What screens of the app need of the operator's words; pages that are built whole may use every key. */
export const FIGURES_OF_THE_APP = ['brand', 'phone', 'email', 'copyrightYear'] as const satisfies SiteKey[]

const metaName = (key: SiteKey) => `site-${key}`

/**
 * One of the operator's words or figures, as it stands in a sentence. While a page is built it is a placeholder that the
 * server fills; in the browser it comes from what the server wrote into the page's head.
 */
export function figure(key: SiteKey): string {
  if (typeof document === 'undefined') return placeholder(key)
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${metaName(key)}"]`)
  return meta?.content ?? siteText(key, SITE[key].value)
}

/** A page's title in the browser: what it is, and whose. */
export const titled = (title: string): string => `${title} – ${figure('brand')}`

/** What the head of the app's pages carries, so that `figure` finds it there. */
export const figureMetas = (): { name: string; content: string }[] =>
  FIGURES_OF_THE_APP.map((key) => ({ name: metaName(key), content: figure(key) }))
