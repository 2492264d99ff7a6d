/**
 * The address of a database may name several servers, as in libpq: `postgres://user:password@one:5432,two:5432/name`.
 * One of them is the primary.
 */
import { first } from '#kernel/must.ts'

const PARTS = /^([a-z]+:\/\/)([^@/]*@)?([^/?#@]*)(.*)$/is

function partsOf(address: string): { scheme: string; login: string; servers: string[]; rest: string } {
  const [, scheme = '', login = '', servers = '', rest = ''] = PARTS.exec(address) ?? []
  return { scheme, login, servers: servers.split(','), rest }
}

/** Returns the address of each server: one for most databases. */
export function serversOf(address: string): string[] {
  const { scheme, login, servers, rest } = partsOf(address)
  return servers.map((server) => `${scheme}${login}${server}${withoutTarget(rest)}`)
}

/** libpq's way to ask for the primary: we always do. */
const withoutTarget = (rest: string) =>
  rest.replace(/([?&])target_session_attrs=[^&#]*(&?)/, (_, before: string, after: string) => (after ? before : ''))

/** Returns the address with another login, database or parameters; the servers stay. */
export function changeAddress(address: string, change: (one: URL) => void): string {
  const { servers } = partsOf(address)
  const one = new URL(first(serversOf(address)))
  change(one)
  const { scheme, login, rest } = partsOf(one.href)
  return `${scheme}${login}${servers.join(',')}${rest}`
}

/** Returns login, database and parameters of an address. */
export const readAddress = (address: string): URL => new URL(first(serversOf(address)))
