import { z } from 'zod/mini'
import { email } from '#contract/fields.ts'
import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { readConfig, StartProblem } from './config.ts'
import { HOST, invite, joinUrl } from './desk/index.ts'
import { openDatabase } from './platform/db.ts'
import { createLog } from './platform/log.ts'
import { reachDatabase, whyNot } from './reach-database.ts'

const USAGE = `Usage: npm run desk -- invite EMAIL ROLE[,ROLE]\n\nRoles: ${OPERATOR_ROLES.join(', ')}`

/**
 * `npm run desk -- invite EMAIL ROLE[,ROLE]`: makes the first operator, or any later one, from the host; also lets in
 * again whoever lost his authenticator. Prints a link that works once and for 15 minutes. The server may be running.
 */
async function desk([verb, address, list, ...more]: string[]): Promise<void> {
  if (verb !== 'invite' || !address || !list || more.length > 0) throw new StartProblem(USAGE)
  const asked = { email: emailOf(address), roles: rolesOf(list) }
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 1, name: 'desk', log: createLog('silent') })
  try {
    const { token } = await invite(database.db, HOST, asked)
    const site = config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${config.PORT}`
    process.stdout.write(`${joinUrl(site, token)}\n`)
  } finally {
    await database.close()
    await close()
  }
}

function emailOf(unchecked: string): string {
  const read = z.safeParse(email, unchecked)
  if (!read.success) throw new StartProblem(`${unchecked} is no e-mail address.\n\n${USAGE}`)
  return read.data
}

function rolesOf(list: string): OperatorRole[] {
  const roles = [...new Set(list.split(',').map((role) => role.trim()))]
  const unknown = roles.find((role) => !(OPERATOR_ROLES as readonly string[]).includes(role))
  if (unknown !== undefined) throw new StartProblem(`${unknown || 'Nothing'} is no role.\n\n${USAGE}`)
  return roles as OperatorRole[]
}

desk(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${whyNot(error)}\n`)
    process.exit(1)
  },
)
