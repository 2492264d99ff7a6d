import pg from 'pg'
import { isLoopback } from '../platform/http/limits/network.ts'
import { serversOf } from '../platform/postgres/address.ts'

/** What settings with addresses must say for connections that are encrypted and check the server's certificate. */
const HINTS = {
  DATABASE_URL: 'add ?sslmode=verify-full',
  DATABASE_APP_URL: 'add ?sslmode=verify-full',
  DATABASE_READ_URL: 'add ?sslmode=verify-full',
  BACKUP_DATABASE_URL: 'add ?sslmode=verify-full',
  REDIS_URL: 'use rediss://',
  SMTP_URL: 'use smtps://, or smtp:// with ?requireTLS=true',
  FILES_URL: 'use s3+https://',
  BACKUP_URL: 'use s3+https://',
  ARCHIVE_URL: 'use s3+https://',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'use https://',
  STRIPE_API: 'use https://',
  VENUE_ADDRESSES: 'use https://',
} as const

/** A setting that `PLAIN_CONNECTIONS` may name. Time stamps are signed, so their address may be plain. */
export type Connecting = keyof typeof HINTS
export const CONNECTING = Object.keys(HINTS) as Connecting[]

type Addresses = { [Name in Connecting]?: string | Record<string, string> | undefined }

/** Returns the settings whose connections leave this machine and can be read or impersonated on the way, with a hint. */
export function plainConnections(settings: Addresses): { name: Connecting; hint: string }[] {
  return CONNECTING.filter((name) => {
    const given = settings[name]
    const addresses = typeof given === 'string' ? [given] : Object.values(given ?? {})
    return !addresses.every((address) => isProtected(address))
  }).map((name) => ({ name, hint: HINTS[name] }))
}

function isProtected(address: string): boolean {
  if (/^postgres(ql)?:/.test(address)) return serversOf(address).every(isProtectedDatabase)
  // A folder, for backups.
  if (!/^[\w+]+:\/\//.test(address)) return true
  const { protocol, hostname, searchParams } = new URL(address.replace(/^s3\+/, ''))
  if (isOwnHost(hostname)) return true
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return ['https:', 'rediss:'].includes(protocol)
  const isOn = (name: string) => ['true', '1'].includes(searchParams.get(name) ?? '')
  const isChecked = !['false', '0'].includes(searchParams.get('tls.rejectUnauthorized') ?? '')
  return isChecked && (protocol === 'smtps:' || (isOn('requireTLS') && !searchParams.has('ignoreTLS')))
}

/** Asks the driver: parameters and the environment override parts of an address. */
function isProtectedDatabase(server: string): boolean {
  const client = new pg.Client({ connectionString: server })
  if (client.host.startsWith('/') || isOwnHost(client.host)) return true
  const ssl = (client as unknown as { ssl: boolean | { rejectUnauthorized?: boolean } }).ssl
  return ssl === true || (typeof ssl === 'object' && ssl.rejectUnauthorized !== false)
}

const isOwnHost = (host: string): boolean => host === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1'))
