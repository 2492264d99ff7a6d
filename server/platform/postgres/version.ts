import type pg from 'pg'
import { first } from '#kernel/must.ts'
import { StartProblem } from '../process/start-problem.ts'

/** The version of PostgreSQL that is built in and that the statements are written for. */
export const POSTGRES_MAJOR = 18

/** Throws `StartProblem` if the server is another version of PostgreSQL: statements would fail while money moves. */
export async function refuseOtherServer(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  const version = first(rows).server_version
  if (Number.parseInt(version, 10) === POSTGRES_MAJOR) return
  throw new StartProblem(
    `The database runs PostgreSQL ${version}, but Cleartick needs ${POSTGRES_MAJOR}. Nothing was changed.\nUpgrade PostgreSQL to ${POSTGRES_MAJOR}, or set DATABASE_URL to one.`,
  )
}
