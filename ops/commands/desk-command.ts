import { z } from 'zod/mini'
import { email } from '#contract/fields.ts'
import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { type Config, readConfig } from '#server/config/config.ts'
import { auditHead, inviteFromHost, joinUrl } from '#server/desk/index.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { reachDatabase, whyNot } from './reach-database.ts'

const USAGE = `Usage: npm run desk -- invite EMAIL ROLE[,ROLE]
       npm run desk -- audit-head

Roles: ${OPERATOR_ROLES.join(', ')}`

/** Host commands that need no desk, whether or not the server is running. */
async function desk([verb, ...args]: string[]): Promise<void> {
  const work = verb === 'invite' ? inviting(args) : verb === 'audit-head' && args.length === 0 ? auditHead : undefined
  if (!work) throw new StartProblem(USAGE)
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 1, name: 'desk', log: createLog('silent') })
  try {
    process.stdout.write(`${await work(database.db, config)}\n`)
  } finally {
    await database.close()
    await close()
  }
}

/**
 * Creates the first operator, or a later one; also restores access for an operator who lost their authenticator.
 * Returns a link that works once, within 15 minutes.
 */
function inviting([address, list, ...more]: string[]): (db: Db, config: Config) => Promise<string> {
  if (!address || !list || more.length > 0) throw new StartProblem(USAGE)
  const asked = { email: emailOf(address), roles: rolesOf(list) }
  return async (db, config) => {
    const { token } = await inviteFromHost(db, asked)
    const site = config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${config.PORT}`
    return joinUrl(site, token)
  }
}

function emailOf(unchecked: string): string {
  const read = z.safeParse(email, unchecked)
  if (!read.success) throw new StartProblem(`${unchecked} is no e-mail address.\n\n${USAGE}`)
  return read.data
}

function rolesOf(list: string): OperatorRole[] {
  const roles = [...new Set(list.split(',').map((role) => role.trim()))]
  return roles.map((name) => {
    const role = OPERATOR_ROLES.find((one) => one === name)
    if (role === undefined) throw new StartProblem(`${name || 'Nothing'} is no role.\n\n${USAGE}`)
    return role
  })
}

desk(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${whyNot(error)}\n`)
    process.exit(1)
  },
)
