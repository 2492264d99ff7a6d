import { Readable } from 'node:stream'
import { parseRowId } from '#kernel/id.ts'
import { last } from '#kernel/must.ts'
import { csvLine } from '../../platform/http/csv.ts'
import { FileReply } from '../../platform/http/index.ts'
import { type PageQuery, pageOf } from '../../platform/http/page.ts'
import type { Page } from './read.ts'

/** Reads a page of a list. */
type ReadPage<Row> = (page: Page) => Promise<Row[]>

export interface ListQuery extends PageQuery {
  order?: 'oldest' | undefined
  format?: 'json' | 'csv' | undefined
}

/** Rows read at a time for a CSV file. */
const CSV_PAGE = 500

/**
 * Returns a page of a list, or the whole list as a CSV file that is read page by page while it streams. A row's cursor
 * is its `id`, in the format that `parse` reads.
 */
export async function answerList<Row extends { id: string }>(
  name: string,
  schema: { shape: Record<string, unknown> },
  query: ListQuery,
  read: ReadPage<Row>,
  parse: (unchecked: string) => bigint | undefined = parseRowId,
): Promise<{ status: true; data: Row[]; next_cursor?: string } | FileReply> {
  const { after, limit } = pageOf(query, parse)
  const part = { after, oldestFirst: query.order === 'oldest' }
  if (query.format === 'csv') return csvFile(name, Object.keys(schema.shape), pages(read, part, parse))
  const rows = await read({ ...part, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return { status: true, data: shown, ...(rows.length > limit ? { next_cursor: last(shown).id } : {}) }
}

/** Streams rows as a CSV file. Nested values are written as JSON. */
export function csvFile(
  name: string,
  columns: readonly string[],
  rows: AsyncIterable<readonly object[]> | Iterable<readonly object[]>,
): FileReply {
  async function* lines() {
    yield csvLine(columns)
    for await (const page of rows)
      yield page.map((row) => csvLine(columns.map((column) => flat((row as Record<string, unknown>)[column])))).join('')
  }
  return new FileReply(Readable.from(lines()), 'text/csv; charset=utf-8', {
    'content-disposition': `attachment; filename="${name}.csv"`,
  })
}

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
