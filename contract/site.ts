/**
 * The words and figures of the public site that are the operator's: one list for both sides. Pages are built once, with
 * a placeholder for each (`{{phone}}`); the server fills them when it starts, so that a figure changes without a build.
 */

/** How a figure is written: `text` and `plain` as they are, `number` with thousands, `percent` and `usd` with their sign. */
type Kind = 'text' | 'plain' | 'number' | 'percent' | 'usd'

interface Figure {
  kind: Kind
  value: string | number
}

const text = (value: string): Figure => ({ kind: 'text', value })
const plain = (value: number): Figure => ({ kind: 'plain', value })
const number = (value: number): Figure => ({ kind: 'number', value })
const percent = (value: number): Figure => ({ kind: 'percent', value })
const usd = (value: number): Figure => ({ kind: 'usd', value })

/** Every key with its default, which is the specification's value. Days are calendar days where no kind is said. */
export const SITE = {
  brand: text('Cleartick'),
  phone: text('+1 555 010 0199'),
  email: text('support@cleartick.example'),
  copyrightYear: plain(2023),
  /** How the desk is called where it answers in the live chat. */
  deskName: text('Support'),

  // What the operator claims of himself and of his signals.
  signalAccuracy: percent(87),
  payoutsUpTo: percent(218),
  instruments: text('250+'),
  foundedYear: plain(2018),
  yearsOfExperience: number(15),

  // Terms of the coins' pages.
  leverage: text('20:1'),
  lowestMargin: percent(0.5),
  ethereumMargin: percent(50),
  ethereumMinimumSize: number(1),
  maxPosition: usd(200_000),

  // Terms of use.
  minimumStart: usd(100),
  demoDays: number(21),
  minimumCredits: number(1),
  liabilityCap: usd(7_500),
  damageReportDays: number(10),
  claimsLapseYears: number(1),
  termsNoticeDays: number(30),
  negativeCreditMonths: number(2),

  // Privacy policy.
  privacyChangeDays: number(30),
  advertisingOptOutBusinessDays: number(7),

  // Payment policy.
  identificationBusinessDays: number(10),
  identificationBusinessDaysAtMost: number(30),
  withdrawalBusinessDays: number(5),
  wireBusinessDaysFrom: number(3),
  wireBusinessDaysTo: number(45),
} as const satisfies Record<string, Figure>

export type SiteKey = keyof typeof SITE
export type SiteValues = Record<SiteKey, string | number>

export const SITE_KEYS = Object.keys(SITE) as SiteKey[]
export const SITE_DEFAULTS = Object.fromEntries(SITE_KEYS.map((key) => [key, SITE[key].value])) as SiteValues

const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

/** How a figure stands in a sentence. */
export function siteText(key: SiteKey, value: string | number): string {
  if (typeof value === 'string') return value
  const { kind } = SITE[key]
  if (kind === 'percent') return `${NUMBERS.format(value)}%`
  if (kind === 'usd') return `$${NUMBERS.format(value)}`
  return kind === 'number' ? NUMBERS.format(value) : String(value)
}

/** Where the installation's address stands in a page: `https://example.org`, without a slash at its end. */
export const ORIGIN = '{{origin}}'
export const placeholder = (key: SiteKey): string => `{{${key}}}`

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const toHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => HTML[sign]!)
const toJson = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('<', '\\u003c')

/**
 * A page with its placeholders filled: escaped for HTML, and for JSON inside of structured data. What is no placeholder
 * of ours stays as it is.
 */
export function fillSite(html: string, values: SiteValues, origin: string): string {
  const textOf = (name: string): string | undefined => {
    if (name === 'origin') return origin
    return name in SITE ? siteText(name as SiteKey, values[name as SiteKey]) : undefined
  }
  const fill = (part: string, escaped: (text: string) => string) =>
    part.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
      const found = textOf(name)
      return found === undefined ? whole : escaped(found)
    })
  return html
    .split(/(<script type="application\/ld\+json">[\s\S]*?<\/script>)/)
    .map((part, n) => fill(part, n % 2 === 1 ? toJson : toHtml))
    .join('')
}

/** The public pages, in the order of the sitemap. `/verify-email` is part of the app and in no sitemap. */
export const PUBLIC_PAGES = [
  '/',
  '/about-us',
  '/pricing',
  '/contact-us',
  '/bitcoin-trading',
  '/bitcoin-cash',
  '/litecoin-trading',
  '/etherum-trading',
  '/ripple-trading',
  '/financial-instruments',
  '/live-payouts',
  '/risk-disclosure',
  '/legal',
  '/privacy',
  '/aml-policy',
  '/payment-policy',
] as const
export type PublicPage = (typeof PUBLIC_PAGES)[number]

/** The page that unknown addresses get. */
export const NOT_FOUND_PAGE = '/404'
