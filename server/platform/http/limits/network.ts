import { isIPv6 } from 'node:net'
import { must } from '#kernel/must.ts'

/**
 * Returns the network that limits count an address by: an IPv4 address itself, an IPv6 address by its /64, since one
 * subscriber owns all of it. IPv4 addresses mapped into IPv6 count as IPv4.
 */
export function networkOf(ip: string): string {
  const [address = ''] = ip.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return must(mapped[1])
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  // An IPv4 tail fills two groups; it never reaches the first four of a full address.
  const groupsAfter = after.length + (after.at(-1)?.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - groupsAfter)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Returns whether an address is this machine's own. */
export const isLoopback = (ip: string | undefined): boolean =>
  ip !== undefined && /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/i.test(ip)
