import { TRADING_TYPES, type TradingType } from '#contract/terms.ts'
import { EVERY_DAY, type PriceListDocument } from '#contract/trading/offers.ts'
import { PriceListDocument as Schema } from '#contract/trading/price-lists.ts'
import { decimalOf } from '#web/ui/index.ts'

/** A rule as an admin types it. */
export interface TypedRule {
  key: string
  /** `all`, a group, or `symbols`: those that are named. */
  for: 'all' | TradingType | 'symbols'
  symbols: string
  durations: readonly number[]
  days: readonly number[]
  from_hour: string
  to_hour: string
  list: string
}

export interface TypedLists {
  lists: readonly { key: string; name: string; pairs: string }[]
  rules: readonly TypedRule[]
}

let made = 0
const newKey = () => String(++made)

export const newList = () => ({ key: newKey(), name: '', pairs: '' })
export const newRule = (): TypedRule => ({
  key: newKey(),
  for: 'all',
  symbols: '',
  durations: [],
  days: EVERY_DAY,
  from_hour: '0',
  to_hour: '24',
  list: '1',
})

export const typedOf = ({ lists, rules }: PriceListDocument): TypedLists => ({
  lists: lists.map(({ name, pairs }) => ({ key: newKey(), name, pairs: pairs.join(', ') })),
  rules: rules.map(({ symbols, group, from_hour, to_hour, list, ...rule }) => ({
    key: newKey(),
    ...rule,
    for: group ?? (symbols.length > 0 ? 'symbols' : 'all'),
    symbols: symbols.join(', '),
    from_hour: String(from_hour),
    to_hour: String(to_hour),
    list: String(list),
  })),
})

const wordsOf = (text: string) =>
  text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
const isGroup = (value: string): value is TradingType => (TRADING_TYPES as readonly string[]).includes(value)

/** Reads what was typed. Returns the document, or what is wrong first, as a sentence. */
export function readLists({ lists, rules }: TypedLists): { document: PriceListDocument } | { problem: string } {
  const missing = rules.findIndex((rule) => rule.for === 'symbols' && wordsOf(rule.symbols).length === 0)
  if (missing >= 0) return { problem: `Rule ${missing + 1}: name at least one symbol.` }
  const parsed = Schema.safeParse({
    lists: lists.map(({ name, pairs }) => ({ name, pairs: wordsOf(pairs) })),
    rules: rules.map((rule) => ({
      symbols: rule.for === 'symbols' ? wordsOf(rule.symbols) : [],
      group: isGroup(rule.for) ? rule.for : null,
      durations: [...rule.durations],
      days: [...rule.days],
      from_hour: decimalOf(rule.from_hour, 0),
      to_hour: decimalOf(rule.to_hour, 0),
      list: decimalOf(rule.list, 0),
    })),
  })
  if (parsed.success) return { document: parsed.data }
  const [issue] = parsed.error.issues
  const [part, at, field] = issue?.path ?? []
  const where = typeof at === 'number' ? `${part === 'lists' ? 'List' : 'Rule'} ${at + 1}: ` : ''
  const name = typeof field === 'string' ? `${FIELDS[field] ?? field} ` : ''
  return { problem: `${where}${name}${issue?.message ?? 'is invalid'}.` }
}

const FIELDS: Record<string, string> = {
  pairs: 'the odds: each pair is two whole percents from 1 to 100, such as 75/3; it',
  name: 'the name',
  days: 'the days',
  from_hour: 'the first hour',
  to_hour: 'the last hour',
  list: 'the list',
  symbols: 'the symbols',
  group: 'the group',
}
