import names from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import { first } from '#kernel/must.ts'

const listed = Object.entries(names.countries as Record<string, string | string[]>).map(([code, name]) => ({
  code,
  name: Array.isArray(name) ? first(name) : name,
}))

/** Every country of ISO 3166-1 by its English name, in alphabetical order. The name is what we store. */
export const COUNTRIES: readonly { code: string; name: string }[] = listed.sort((a, b) =>
  a.name.localeCompare(b.name, 'en'),
)

const byName = new Set(COUNTRIES.map((country) => country.name))

export const isCountry = (unchecked: string): boolean => byName.has(unchecked)
