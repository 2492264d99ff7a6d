/**
 * The texts and figures of the public site that operators can change, shared by client and server. Pages are built once
 * with a placeholder for each (`{{phone}}`); the server fills them at startup, so a change needs no build.
 */

/**
 * How a value is formatted: `text` and `plain` unchanged, `number` with thousands separators, `percent` and `usd` with
 * their sign.
 */
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

/** Every key with its default from the specification. Days are calendar days unless the name says otherwise. */
export const SITE = {
  brand: text('Cleartick'),
  phone: text('+1 555 010 0199'),
  email: text('support@cleartick.example'),
  /** Street address, shown below the map on the contact page; may be empty. */
  address: text(''),
  copyrightYear: plain(2023),
  /** The desk's display name in the live chat. */
  deskName: text('Support'),

  // The operator's claims about their business and their signals.
  signalAccuracy: percent(87),
  payoutsUpTo: percent(218),
  instruments: text('250+'),
  foundedYear: plain(2018),
  yearsOfExperience: number(15),

  // Terms on the coins' pages.
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
  // How long we keep what identifies people; the server carries it out. Bounds: server/config/retention.ts.
  keepDocumentsDays: number(1_825),
  keepConversationsDays: number(1_095),
  keepSignInsDays: number(90),

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

/** Formats a value for a sentence. */
export function siteText(key: SiteKey, value: string | number): string {
  if (typeof value === 'string') return value
  const { kind } = SITE[key]
  if (kind === 'percent') return `${NUMBERS.format(value)}%`
  if (kind === 'usd') return `$${NUMBERS.format(value)}`
  return kind === 'number' ? NUMBERS.format(value) : String(value)
}

/** Placeholder for the installation's URL: `https://example.org`, without a trailing slash. */
export const ORIGIN = '{{origin}}'
/** Placeholder for the HTML of the contact page's map area. */
export const MAP = '{{map}}'
export const placeholder = (key: SiteKey): string => `{{${key}}}`

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const toHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => HTML[sign] ?? sign)
const toJson = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('<', '\\u003c')

/**
 * Fills a page's placeholders: escaped for HTML, or for JSON in structured data. Leaves unknown placeholders unchanged.
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

/** The public pages, in sitemap order. `/verify-email` belongs to the app and is in no sitemap. */
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
  '/prices',
  '/signals',
  '/verify',
  '/incidents',
  '/risk-disclosure',
  '/legal',
  '/privacy',
  '/aml-policy',
  '/payment-policy',
] as const
export type PublicPage = (typeof PUBLIC_PAGES)[number]

/** The page for unknown URLs. */
export const NOT_FOUND_PAGE = '/404'
