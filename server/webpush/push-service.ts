import { lookup as lookUp } from 'node:dns'
import { Agent, request } from 'node:https'
import { BlockList, isIPv4, type LookupFunction } from 'node:net'

/**
 * The push services of Google, Mozilla, Apple and Microsoft, as a whole host name or the end of one. A subscription names
 * its address, so anything else would let a trader make the server call addresses of their choice.
 */
const SERVICES = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '.push.apple.com',
  '.notify.windows.com',
] as const

/** IPv4 networks that aren't the public internet. */
const NOT_PUBLIC = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(network, bits, 'ipv4')

/** The public IPv6 internet, and what of it leads elsewhere: documentation, Teredo, and 6to4, which holds an IPv4 address. */
const PUBLIC_V6 = new BlockList()
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6')
const NOT_PUBLIC_V6 = new BlockList()
NOT_PUBLIC_V6.addSubnet('2001:db8::', 32, 'ipv6')
NOT_PUBLIC_V6.addSubnet('2001::', 32, 'ipv6')
NOT_PUBLIC_V6.addSubnet('2002::', 16, 'ipv6')

/** Whether an IP address is of the public internet. */
export const isPublicAddress = (ip: string): boolean =>
  isIPv4(ip) ? !NOT_PUBLIC.check(ip, 'ipv4') : PUBLIC_V6.check(ip, 'ipv6') && !NOT_PUBLIC_V6.check(ip, 'ipv6')

/** Refuses a host that resolves to any address inside, checked for the connection that is made and not before it. */
const onlyPublic: LookupFunction = (host, options, done) => {
  lookUp(host, { ...options, all: true }, (error, addresses) => {
    const inside = addresses?.find(({ address }) => !isPublicAddress(address))
    const refused = error ?? (inside ? new Error(`${host} resolves to ${inside.address}`) : null)
    if (refused) return done(refused, [])
    if (options.all) return done(null, addresses)
    const [first] = addresses
    return first ? done(null, first.address, first.family) : done(new Error(`${host} has no address`), '')
  })
}

/** What a push service made of a message. `gone`: the browser no longer has the subscription. */
export type Sent =
  | { is: 'taken' }
  | { is: 'gone' }
  | { is: 'refused'; why: string }
  | { is: 'later'; why: string; seconds?: number }

interface Message {
  headers: Record<string, string>
  body: Uint8Array
}

export interface PushServices {
  /** Whether an endpoint belongs to a push service that the server calls. */
  knows(endpoint: string): boolean
  send(endpoint: string, message: Message): Promise<Sent>
  stop(): void
}

const PATIENCE_MS = 5_000
/** A push service asks for at most this pause. */
const RETRY_SECONDS_MAX = 3_600

/**
 * Calls push services: over TLS, without following redirects, for at most five seconds each. `added`: origins that count
 * as push services too, wherever they resolve to. `ca`: who certified them, if it isn't a public authority.
 */
export function openPushServices(
  added: readonly string[],
  { patienceMs = PATIENCE_MS, ca }: { patienceMs?: number; ca?: string } = {},
): PushServices {
  const agents = {
    known: new Agent({ keepAlive: true, maxSockets: 20, lookup: onlyPublic }),
    added: new Agent({ keepAlive: true, maxSockets: 20, ...(ca === undefined ? {} : { ca }) }),
  }
  const isAdded = (url: URL) => added.includes(url.origin)
  const knows = (endpoint: string): boolean => {
    if (!URL.canParse(endpoint)) return false
    const url = new URL(endpoint)
    if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return false
    if (isAdded(url)) return true
    return (
      url.port === '' &&
      SERVICES.some((service) => (service.startsWith('.') ? url.hostname.endsWith(service) : url.hostname === service))
    )
  }
  return {
    knows,
    async send(endpoint, { headers, body }) {
      if (!knows(endpoint)) return { is: 'gone' }
      const url = new URL(endpoint)
      const agent = isAdded(url) ? agents.added : agents.known
      const signal = AbortSignal.timeout(patienceMs)
      return new Promise<Sent>((resolve) => {
        const call = request(url, { method: 'POST', headers, agent, signal }, (response) => {
          // Nothing of the answer's body is wanted; reading it frees the connection, until the time is over.
          response.on('error', () => undefined).resume()
          resolve(outcomeOf(response.statusCode ?? 0, response.headers['retry-after']))
        })
        call.on('error', (error) => resolve({ is: 'later', why: error.message.slice(0, 200) }))
        call.end(body)
      })
    },
    stop() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function outcomeOf(status: number, retryAfter: string | undefined): Sent {
  if (status >= 200 && status < 300) return { is: 'taken' }
  if (status === 404 || status === 410) return { is: 'gone' }
  const why = `the push service answered ${status}`
  if (status !== 429 && status < 500) return { is: 'refused', why }
  const seconds = Math.min(Number(retryAfter), RETRY_SECONDS_MAX)
  return { is: 'later', why, ...(seconds > 0 ? { seconds } : {}) }
}
