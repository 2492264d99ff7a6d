import type { RawBuilder } from 'kysely'
import { parseRowId } from '#kernel/id.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { toIso } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { Page as AnyPage } from '../../platform/http/page.ts'

/**
 * The rows of one list as SQL. They travel as JSON: 64-bit numbers as text (`id::text`), cents as numbers, times as
 * text. The connections that read them cache one plan per statement (`DeskDeps.reads`), so row limits and statuses are
 * literals in the SQL: the planner can then see that few rows match.
 */
export type List<Row> = RawBuilder<Row>

/** A page of a list, newest or oldest first. */
export interface Page extends AnyPage {
  oldestFirst?: boolean
}

/** Returns the condition for rows of the page, by the column that numbers them. */
export const isAfter = (column: string, { after, oldestFirst }: Page) =>
  after !== undefined && (oldestFirst ? sql`${sql.ref(column)} > ${after}` : sql`${sql.ref(column)} < ${after}`)

/** Returns the order and limit of the page. */
export const inOrder = (column: string, { limit, oldestFirst }: Page) =>
  sql`order by ${sql.ref(column)} ${oldestFirst ? sql`asc` : sql`desc`} limit ${sql.lit(limit)}`

/** Reads several lists in one statement, from one snapshot. A round trip costs more than most of the queries. */
export async function readLists<Rows extends object>(
  db: Db | Tx,
  lists: { [Name in keyof Rows]: List<Rows[Name]> },
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  const columns = Object.entries<List<unknown>>(lists).map(
    ([name, list]) => sql`(select coalesce(json_agg(r), '[]') from (${list}) r) as ${sql.ref(name)}`,
  )
  const { rows } = await sql<{ [Name in keyof Rows]: Rows[Name][] }>`select ${sql.join(columns)}`.execute(db)
  return first(rows)
}

/** Reads one list. */
export const readList = async <Row>(db: Db | Tx, list: List<Row>): Promise<Row[]> =>
  (await readLists(db, { rows: list })).rows

/** Joins the given conditions with AND. Omits missing ones instead of disabling them, so that an index can be used. */
export const where = (...conditions: (RawBuilder<unknown> | undefined | false)[]) => {
  const given = conditions.filter((condition) => condition !== undefined && condition !== false)
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `)
}

/** The condition for a time in the last UTC days, today included, if a period is asked for. */
export const inDays = (time: RawBuilder<unknown>, days: string | undefined) =>
  days !== undefined &&
  sql`${time} >= date_trunc('day', transaction_timestamp(), 'UTC') - make_interval(days => ${sql.lit(Number(days) - 1)})`

/** Filters of a queue; an omitted one matches everything. */
export interface QueueFilter {
  /** A status, or several. */
  status?: string | readonly string[] | undefined
  user?: string | undefined
  id?: bigint
}

/** Returns the condition for the status, if one is asked for. */
export const hasStatus = (status: RawBuilder<unknown>, wanted: QueueFilter['status']) =>
  wanted !== undefined && sql`${status} in (${sql.join([wanted].flat().map((one) => sql.lit(one)))})`

/** Returns the filter's and the page's conditions for the table with this alias. `user` is the column of the owner. */
export const filtered = (alias: string, filter: QueueFilter, page: Page, user = `${alias}.user_id`) => {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return where(
    hasStatus(column('status'), filter.status),
    !!filter.user && sql`${sql.ref(user)} = ${parseRowId(filter.user) ?? 0n}`,
    filter.id !== undefined && sql`${column('id')} = ${filter.id}`,
    isAfter(`${alias}.id`, page),
  )
}

export const dollars = (cents: number): number => usdToNumber(usd(BigInt(cents)))

/** Converts a time from PostgreSQL's JSON format to the API's, with milliseconds. */
export const isoOf = (text: string): string =>
  // Most times are UTC with six decimals already, and parsing a date costs ten times as much as slicing it.
  text.length === '2026-01-01T00:00:00.123456+00:00'.length && text.endsWith('+00:00')
    ? `${text.slice(0, '2026-01-01T00:00:00.123'.length)}Z`
    : toIso(Date.parse(text))
