import { placeholder, SITE, type SiteKey, siteText } from '#contract/site.ts'

/** The operator settings that app screens need; prerendered pages may use every key. */
const FIGURES_OF_THE_APP = ['brand', 'phone', 'email', 'copyrightYear'] as const satisfies SiteKey[]

const metaName = (key: SiteKey) => `site-${key}`

/**
 * Returns one of the operator's texts or figures, formatted for a sentence. At build time it returns a placeholder that
 * the server fills in; in the browser it reads what the server wrote into the page's head.
 */
export function figure(key: SiteKey): string {
  if (typeof document === 'undefined') return placeholder(key)
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${metaName(key)}"]`)
  return meta?.content ?? siteText(key, SITE[key].value)
}

/** Returns the browser title: the page's name and the brand. */
export const titled = (title: string): string => `${title} – ${figure('brand')}`

/** Returns the meta tags for the head of app pages, where `figure` finds them. */
export const figureMetas = (): { name: string; content: string }[] =>
  FIGURES_OF_THE_APP.map((key) => ({ name: metaName(key), content: figure(key) }))
