import { publicId } from '#kernel/id.ts'
import { usd, usdGrouped } from '#kernel/money.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import type { Instruments } from '../prices/index.ts'
import type { DataRows } from './account-data.ts'

/** A value of a row, as text. */
export interface Entry {
  label: string
  value: string
}

/** A row as a page shows it; what it consists of follows it. Without entries: the table has no row of the trader. */
export interface DataLine {
  table: string
  entries: Entry[]
  /** It's a part of the row before. */
  isPart?: true
}

/** Prices, in units of their row's symbol. */
const PRICES = /(^|_)price$|^level$/
/** Moments on the tape, in milliseconds. */
const MOMENTS = /_(time|ms|at)$/
const FIRST_MOMENT_MS = Date.UTC(2020)
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** Puts rows of an account's data into words: amounts, prices and moments as people read them. */
export function dataWords(
  { byId }: Pick<Instruments, 'byId'>,
  money: ReadonlySet<string>,
): (rows: DataRows) => DataLine[] {
  return ({ table, rows }) => {
    if (rows.length === 0) return [{ table, entries: [] }]
    return rows.flatMap((row) => {
      const parts: DataLine[] = []
      const entries = Object.entries(row).flatMap(([column, value]): Entry[] => {
        if (value === null || value === '') return []
        if (!isListOfRows(value)) return [{ label: wordsOf(column), value: textOf(table, column, value, row) }]
        for (const part of value) parts.push({ table, entries: partOf(column, part), isPart: true })
        return []
      })
      return [{ table, entries }, ...parts]
    })
  }

  function textOf(table: string, column: string, value: unknown, row: Record<string, unknown>): string {
    if (money.has(`${table}.${column}`)) return `$${usdGrouped(usd(BigInt(value as number)))}`
    if (column === 'trade_id' || (column === 'id' && table === 'trades')) return publicId(BigInt(value as number))
    const instrument = typeof row.symbol_id === 'number' ? byId(row.symbol_id) : undefined
    if (instrument && column === 'symbol_id') return instrument.symbol
    if (instrument && PRICES.test(column)) return formatPrice(price(BigInt(value as number)), instrument.scale)
    if (MOMENTS.test(column) && typeof value === 'number' && value > FIRST_MOMENT_MS) return moment(toIso(value))
    return plain(value)
  }
}

const partOf = (column: string, part: Record<string, unknown>): Entry[] => [
  { label: wordsOf(column), value: '' },
  ...Object.entries(part).flatMap(([key, value]) =>
    value === null || value === '' ? [] : [{ label: wordsOf(key), value: plain(value) }],
  ),
]

const isListOfRows = (value: unknown): value is Record<string, unknown>[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))

function plain(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return ISO.test(value) ? moment(value) : value
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const moment = (iso: string) => iso.slice(0, 19).replace('T', ' ')

/** Returns the words of a table's or a column's name. */
export const wordsOf = (name: string): string => name.replace(/_id$/, '').replaceAll('_', ' ')
