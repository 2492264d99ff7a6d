import type { InstrumentTerms } from '#contract/desk/markets/instrument-changes.ts'
import {
  Checkbox,
  decimalOf,
  dollarsOf,
  Field,
  formatPercent,
  type Refusal,
  readDecimal,
  readUsd,
} from '#web/ui/index.ts'

/** The terms as they are typed: percent and seconds, and exchanges separated by commas. */
interface TypedTerms {
  sources: string
  depth: string
  spread: string
  deviation: string
  stale: string
  venues: string
  demoOnly: boolean
}

export const DEFAULT_TYPED: TypedTerms = {
  sources: '2',
  depth: '1000',
  spread: '0.6',
  deviation: '0.4',
  stale: '10',
  venues: '',
  demoOnly: false,
}

export const typedOf = (terms: InstrumentTerms): TypedTerms => ({
  sources: String(terms.min_sources),
  depth: String(terms.depth_usd),
  spread: String(terms.largest_spread_bps / 100),
  deviation: String(terms.largest_deviation_bps / 100),
  stale: String(terms.stale_after_ms / 1000),
  venues: terms.venues?.join(', ') ?? '',
  demoOnly: terms.demo_only,
})

/** The decimals that each number may have: percent in hundredths, seconds in milliseconds. */
const PLACES = { sources: 0, spread: 2, deviation: 2, stale: 3 } as const

export function termsOf(typed: TypedTerms): InstrumentTerms {
  const venues = typed.venues
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  return {
    min_sources: decimalOf(typed.sources, PLACES.sources),
    depth_usd: dollarsOf(typed.depth) ?? Number.NaN,
    largest_spread_bps: Math.round(decimalOf(typed.spread, PLACES.spread) * 100),
    largest_deviation_bps: Math.round(decimalOf(typed.deviation, PLACES.deviation) * 100),
    stale_after_ms: Math.round(decimalOf(typed.stale, PLACES.stale) * 1000),
    venues: venues.length === 0 ? null : venues,
    demo_only: typed.demoOnly,
  }
}

/** Converts terms to a request. An empty list of exchanges means all of them. */
export const asBody = ({ venues, ...rest }: InstrumentTerms) => (venues === null ? rest : { ...rest, venues })

/** The terms' names in the request. */
const TERMS = {
  sources: 'min_sources',
  depth: 'depth_usd',
  spread: 'largest_spread_bps',
  deviation: 'largest_deviation_bps',
  stale: 'stale_after_ms',
  venues: 'venues',
} as const

/** Why a typed term can't be read. */
function problemOf(name: keyof typeof TERMS, typed: TypedTerms): string | undefined {
  if (name === 'venues') return undefined
  return (name === 'depth' ? readUsd(typed.depth) : readDecimal(typed[name], PLACES[name])).problem
}

/** The fields of the terms, as children of a grid. */
interface TermsFieldsProps {
  typed: TypedTerms
  onType: (typed: TypedTerms) => void
  /** What the server refused of a term. */
  errorOf: (term: keyof InstrumentTerms) => Refusal | undefined
}

export function TermsFields({ typed, onType, errorOf }: TermsFieldsProps) {
  const field = (name: keyof typeof TERMS) => ({
    value: typed[name],
    error: problemOf(name, typed) ?? errorOf(TERMS[name]),
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => onType({ ...typed, [name]: event.target.value }),
  })
  return (
    <>
      <Field label="Exchanges needed" inputMode="numeric" {...field('sources')} />
      <Field label="Depth of prices, USD" inputMode="numeric" {...field('depth')} />
      <Field label="Largest spread, %" inputMode="decimal" {...field('spread')} />
      <Field label="Largest deviation, %" inputMode="decimal" {...field('deviation')} />
      <Field label="Stale after, seconds" inputMode="numeric" {...field('stale')} />
      <Field label="Only these exchanges" placeholder="All that list it" {...field('venues')} />
      <Checkbox checked={typed.demoOnly} onChange={(event) => onType({ ...typed, demoOnly: event.target.checked })}>
        Demo trades only
      </Checkbox>
    </>
  )
}

/** The names and texts of terms, in the order of the screens. */
export function termsAsText(terms: InstrumentTerms): readonly (readonly [name: string, text: string])[] {
  return [
    ['Exchanges needed', String(terms.min_sources)],
    ['Depth of prices', `${terms.depth_usd.toLocaleString('en-US')} USD`],
    ['Largest spread', percent(terms.largest_spread_bps)],
    ['Largest deviation', percent(terms.largest_deviation_bps)],
    ['Stale after', `${terms.stale_after_ms / 1000} s`],
    ['Exchanges', terms.venues?.join(', ') ?? 'All that list it'],
    ['Real trades', terms.demo_only ? 'Refused: demo trades only' : 'Open'],
  ]
}

export const percent = (bps: number): string => formatPercent(bps / 100, 2)
