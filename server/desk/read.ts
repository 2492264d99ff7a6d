import type { RawBuilder } from 'kysely'
import { usd, usdToNumber } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'

/**
 * The rows of one list as SQL. They travel as JSON, so a row has numbers of 64 bits as text (`id::text`), cents as
 * numbers, and times as text. Read by connections that keep one plan (`DeskDeps.reads`): how many rows there may be, and
 * a status, stand in the text, so that the planner knows that they are few.
 */
export type List<Row> = RawBuilder<Row>

/** Which part of a list is asked for: so many rows after the one that is numbered `after`, newest first or oldest first. */
export interface Page {
  after: bigint | undefined
  limit: number
  oldestFirst?: boolean
}

/** The condition that a row of the part meets, by the column that numbers the rows. */
export const isAfter = (column: string, { after, oldestFirst }: Page) =>
  after !== undefined && (oldestFirst ? sql`${sql.ref(column)} > ${after}` : sql`${sql.ref(column)} < ${after}`)

/** Its order and size. */
export const inOrder = (column: string, { limit, oldestFirst }: Page) =>
  sql`order by ${sql.ref(column)} ${oldestFirst ? sql`asc` : sql`desc`} limit ${sql.lit(limit)}`

/**
 * Reads several lists in one statement: the way to the database costs more than most of them. All of them show the same
 * moment.
 */
export async function readLists<Rows extends object>(
  db: Db | Tx,
  lists: { [Name in keyof Rows]: List<Rows[Name]> },
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  const columns = Object.entries<List<unknown>>(lists).map(
    ([name, list]) => sql`(select coalesce(json_agg(r), '[]') from (${list}) r) as ${sql.ref(name)}`,
  )
  const { rows } = await sql<{ [Name in keyof Rows]: Rows[Name][] }>`select ${sql.join(columns)}`.execute(db)
  return rows[0]!
}

/** Reads one. */
export const readList = async <Row>(db: Db | Tx, list: List<Row>): Promise<Row[]> =>
  (await readLists(db, { rows: list })).rows

/** What all hold of the conditions that are given. Left out rather than switched off, so that an index can be used. */
export const where = (...conditions: (RawBuilder<unknown> | undefined | false)[]) => {
  const given = conditions.filter((condition) => condition !== undefined && condition !== false)
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `)
}

export const dollars = (cents: number): number => usdToNumber(usd(BigInt(cents)))

/** A time as PostgreSQL writes it in JSON, as answers write it: to the millisecond. */
export const isoOf = (text: string): string =>
  // Most have six decimals and are in UTC already; reading the date costs ten times as much as cutting it.
  text.length === '2026-01-01T00:00:00.123456+00:00'.length && text.endsWith('+00:00')
    ? `${text.slice(0, '2026-01-01T00:00:00.123'.length)}Z`
    : toIso(Date.parse(text))
