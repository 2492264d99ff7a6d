import type * as core from 'zod/v4/core'
import { isoTime } from '#contract/fields.ts'
import { parseRowId } from '#kernel/id.ts'
import { last } from '#kernel/must.ts'
import { type Cell, csvFile, csvText } from '../../platform/http/csv.ts'
import type { FileReply } from '../../platform/http/index.ts'
import { type PageQuery, pageOf } from '../../platform/http/page.ts'
import type { Page } from './read.ts'

/** Reads a page of a list. */
type ReadPage<Row> = (page: Page) => Promise<Row[]>

export interface ListQuery extends PageQuery {
  order?: 'oldest' | undefined
  format?: 'json' | 'csv' | undefined
}

/** An object's schema. */
interface Schema {
  shape: Record<string, unknown>
}

/** Rows read at a time for a CSV file. */
const CSV_PAGE = 500

/**
 * Returns a page of a list, or the whole list as a CSV file that is read page by page while it streams. A row's cursor
 * is its `id`, in the format that `parse` reads.
 */
export async function answerList<Row extends { id: string }>(
  name: string,
  schema: Schema,
  query: ListQuery,
  read: ReadPage<Row>,
  parse: (unchecked: string) => bigint | undefined = parseRowId,
): Promise<{ status: true; data: Row[]; next_cursor?: string } | FileReply> {
  const { after, limit } = pageOf(query, parse)
  const part = { after, oldestFirst: query.order === 'oldest' }
  if (query.format === 'csv') return listFile(name, schema, pages(read, part, parse))
  const rows = await read({ ...part, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return { status: true, data: shown, ...(rows.length > limit ? { next_cursor: last(shown).id } : {}) }
}

/** Streams rows as a CSV file, with a column for each field. Lists of other values are written as JSON. */
export function listFile(
  name: string,
  schema: Schema,
  rows: AsyncIterable<readonly object[]> | Iterable<readonly object[]>,
): FileReply {
  const columns = columnsOf(schema)
  async function* cells() {
    for await (const page of rows) yield page.map((row) => columns.map(({ cellOf }) => cellOf(row)))
  }
  return csvFile(
    name,
    csvText(
      columns.map((column) => column.name),
      cells(),
    ),
  )
}

interface Column {
  name: string
  cellOf(row: unknown): Cell
}

/** A field is a column, an object's field too: `locks_trading`. A time is in UTC, and its column says so. */
function columnsOf({ shape }: Schema): Column[] {
  return Object.entries(shape).flatMap(([key, unchecked]) => {
    const type = withoutAbsence(unchecked as core.$ZodTypes)
    const of = (row: unknown) => (row as Record<string, unknown> | undefined)?.[key] ?? undefined
    if (type._zod.def.type === 'object')
      return columnsOf(type._zod.def).map(({ name, cellOf }) => ({
        name: `${key}_${name}`,
        cellOf: (row: unknown) => cellOf(of(row)),
      }))
    if ((type as unknown) !== isoTime) return [{ name: key, cellOf: (row: unknown) => flat(of(row)) }]
    return [{ name: `${key} (UTC)`, cellOf: (row: unknown) => timeCell(of(row)) }]
  })
}

const withoutAbsence = (type: core.$ZodTypes): core.$ZodTypes =>
  type._zod.def.type === 'nullable' || type._zod.def.type === 'optional'
    ? withoutAbsence((type._zod.def as core.$ZodNullableDef).innerType as core.$ZodTypes)
    : type

const timeCell = (time: unknown): Cell => (time === undefined ? undefined : { utc: Date.parse(String(time)) })

async function* pages<Row extends { id: string }>(
  read: ReadPage<Row>,
  part: Omit<Page, 'limit'>,
  parse: (unchecked: string) => bigint | undefined,
) {
  let { after } = part
  for (;;) {
    const rows = await read({ ...part, after, limit: CSV_PAGE })
    if (rows.length > 0) yield rows
    if (rows.length < CSV_PAGE) return
    after = parse(last(rows).id)
  }
}

function flat(value: unknown): string | number | boolean | null | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join('; ')
  return JSON.stringify(value)
}
