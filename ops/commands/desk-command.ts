import { z } from 'zod/mini'
import { email } from '#contract/fields.ts'
import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { type Config, readConfig } from '#server/config/config.ts'
import { auditHead, inviteFromHost, joinUrl } from '#server/desk/index.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { reachDatabase } from './reach-database.ts'
import { noMore, runCommand, say, WrongArguments } from './run-command.ts'

const USAGE = `Usage: npm run desk -- invite EMAIL ROLE[,ROLE]
       npm run desk -- audit-head

Roles: ${OPERATOR_ROLES.join(', ')}`

/** Host commands that need no desk, whether or not the server is running. */
async function desk([verb, ...args]: string[]): Promise<undefined> {
  const work = workOf(verb, args)
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 1, name: 'desk', log: createLog('silent') })
  try {
    say(await work(database.db, config))
  } finally {
    await database.close()
    await close()
  }
}

function workOf(verb: string | undefined, args: string[]): (db: Db, config: Config) => Promise<string> {
  if (verb === undefined) throw new WrongArguments('Say what to do.')
  if (verb === 'invite') return inviting(args)
  noMore(verb === 'audit-head' ? args : [verb])
  return auditHead
}

/**
 * Creates the first operator, or a later one; also restores access for an operator who lost their authenticator.
 * Returns a link that works once, within 15 minutes.
 */
function inviting([address, list, ...more]: string[]): (db: Db, config: Config) => Promise<string> {
  if (!address || !list) throw new WrongArguments('Say whom to invite, and for which roles.')
  noMore(more)
  const asked = { email: emailOf(address), roles: rolesOf(list) }
  return async (db, config) => {
    const { token } = await inviteFromHost(db, asked)
    const site = config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${config.PORT}`
    return joinUrl(site, token)
  }
}

function emailOf(unchecked: string): string {
  const read = z.safeParse(email, unchecked)
  if (!read.success) throw new WrongArguments(`'${unchecked}' is no e-mail address.`)
  return read.data
}

function rolesOf(list: string): OperatorRole[] {
  const roles = [...new Set(list.split(',').map((role) => role.trim()))]
  return roles.map((name) => {
    const role = OPERATOR_ROLES.find((one) => one === name)
    if (role === undefined) throw new WrongArguments(`'${name}' is no role.`)
    return role
  })
}

runCommand(USAGE, desk)
