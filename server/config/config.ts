import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import type { Asset } from '#contract/prices/proof.ts'
import type { SiteValues } from '#contract/site.ts'
import { must } from '#kernel/must.ts'
import { keyFromText } from '../platform/files/store.ts'
import { readNetwork } from '../platform/http/limits/desk-networks.ts'
import { StartProblem } from '../platform/process/start-problem.ts'
import { bool, folderOrBucket, isBucket, isConnecting, key32, namesOf, pairOf, whole } from './config-values.ts'
import { CONNECTING, plainConnections } from './plain-connections.ts'
import { readSiteFile, type SiteFileContent } from './site-values.ts'

/** Newer trades are never archived: slightly more than twice the days in which a trader can complain. */
export const ARCHIVE_DAYS_MIN = 62

export const ALL_ROLES = ['engine', 'web'] as const
/** The work of a process: `engine` makes prices and settles trades, `web` serves browsers and API clients. */
export type Role = (typeof ALL_ROLES)[number]

/**
 * Reads every setting of the server from the environment, in this one place. Unknown or invalid values stop the start
 * with a message that names the variable.
 */
const Settings = z.object({
  /** Port of the web; 0 takes any free one. */
  PORT: z._default(whole(0, 65_535), 3000),
  /** Address that the web listens on. */
  HOST: z._default(z.string(), '127.0.0.1'),
  /** The public address of the site; links in e-mails begin with it. */
  PUBLIC_URL: z.optional(z.url('must be an address such as https://example.org')),
  /** Folder for the built-in database, files and keys. */
  DATA_DIR: z._default(z.string(), '.data'),
  /**
   * Any PostgreSQL 18; without it the server starts an embedded one. It may name several servers, of which one is the
   * primary: `postgres://user:password@one:5432,two:5432/name`.
   */
  DATABASE_URL: z.optional(z.string().check(z.regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'))),
  /** The server's login on that PostgreSQL: a member of cleartick_app. Without it one is created. */
  DATABASE_APP_URL: z.optional(z.string().check(z.regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'))),
  /**
   * A standby of that PostgreSQL, for reads that may be a moment old. Without a user name, the server's login signs in
   * there too.
   */
  DATABASE_READ_URL: z.optional(z.string().check(z.regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'))),
  /** `run` migrates the database at the start; `wait` starts once another node has, with the server's login only. */
  MIGRATIONS: z._default(z.enum(['run', 'wait'], 'must be run or wait'), 'run'),
  /** Redis or Valkey, which then carries messages between nodes; without it PostgreSQL does. */
  REDIS_URL: z.optional(z.string().check(z.regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://'))),
  /**
   * Price source: `auto` (live where at least two of Binance, Kraken, Coinbase and Bitstamp answer, else simulated),
   * `live:EXCHANGE,…` (exchanges of ccxt, and `pyth`), `simulation`, `simulation:SEED` (on loopback only, because its
   * prices can be computed in advance), or `replay:FOLDER` (recorded market data).
   */
  FEED: z._default(
    z
      .string()
      .check(
        z.regex(
          /^(auto|simulation(:\w{1,64})?|replay:.+|live:[\w,]+)$/,
          'must be auto, simulation, simulation:SEED, replay:FOLDER or live:EXCHANGE,…',
        ),
      ),
    'auto',
  ),
  /**
   * Where venues of `FEED` are found instead of at their own addresses: a proxy, or a fake in tests. For example
   * `kraken=http://127.0.0.1:4001,binance=http://127.0.0.1:4002`.
   */
  VENUE_ADDRESSES: z._default(
    z.pipe(
      z.string().check(z.regex(/^(\w+=https?:\/\/[^\s,]+(,|$))*$/, 'must be VENUE=http://HOST:PORT,…')),
      z.transform((text) => Object.fromEntries(text.split(',').flatMap(pairOf))),
    ),
    {},
  ),
  /** For the venue `pyth` of `FEED`: the key of an account at Pyth. */
  PYTH_API_KEY: z.optional(z.string().check(z.regex(/^\S+$/, 'must have no spaces'))),
  /** A folder of recorded market data, whose days traders can back-test. */
  RECORDINGS: z.optional(z.string().check(z.refine(existsSync, 'must be a folder that exists'))),
  /** How many times faster than real time a recording is replayed. */
  REPLAY_SPEED: z._default(
    z.pipe(z.string().check(z.regex(/^\d{1,4}(\.\d+)?$/, 'must be a number')), z.transform(Number)),
    1,
  ),
  /** The mail server; a test installation without it keeps e-mails in its own mailbox. */
  SMTP_URL: z.optional(z.string().check(z.regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://'))),
  /**
   * Where private files are stored: a bucket as `s3+https://KEY:SECRET@host/bucket`, or a folder in DATA_DIR if unset.
   */
  FILES_URL: z.optional(
    z
      .string()
      .check(z.refine(isBucket, 'must be s3+https://KEY:SECRET@host/bucket, with an optional prefix and ?region=')),
  ),
  /** Encryption key of private files: 32 bytes as base64 or hex. Without it a key is created and stored in DATA_DIR. */
  FILES_KEY: z.optional(key32),
  /** Keys that only decrypt, separated by commas: the next one and former ones while `npm run rekey` is under way. */
  FILES_KEY_OTHERS: z._default(
    z.pipe(
      z
        .string()
        .check(
          z.refine(
            (text) => text.split(',').every((one) => key32.safeParse(one.trim()).success),
            'must be keys of 32 bytes each, written as base64 or as 64 hex digits, separated by commas',
          ),
        ),
      z.transform((text: string) => text.split(',').map((one) => keyFromText(one.trim()))),
    ),
    [],
  ),
  /**
   * The key that engines sign checkpoints with: 32 bytes as base64 or hex. Without it each engine creates one and stores
   * it in DATA_DIR.
   */
  PROOF_KEY: z.optional(key32),
  /** A time-stamp authority (RFC 3161) that certifies once an hour when the newest checkpoint existed. */
  TIMESTAMP_URL: z.optional(z.url({ protocol: /^https?$/, error: 'must begin with https:// or http://' })),
  /** Where `npm run backup` stores backups: a folder, or a bucket as in FILES_URL. */
  BACKUP_URL: z.optional(folderOrBucket),
  /** Where `npm run archive` moves old trades to, encrypted with the key of backups. */
  ARCHIVE_URL: z.optional(folderOrBucket),
  /** Days after which `npm run archive` removes trades and resets in demo; they are kept if unset. */
  DEMO_AFTER_DAYS: z.optional(whole(ARCHIVE_DAYS_MIN, 36_500)),
  /** Days after which `npm run archive` moves trades out; everything is kept if unset. */
  ARCHIVE_AFTER_DAYS: z.optional(whole(ARCHIVE_DAYS_MIN, 36_500)),
  /** Encryption key of backups: 32 bytes as base64 or hex, or a file with them. It's never part of a backup. */
  BACKUP_KEY: z.optional(key32),
  /** A file with that key. */
  BACKUP_KEY_FILE: z.optional(z.string()),
  /** A login with REPLICATION on the operator's PostgreSQL, if DATABASE_URL lacks it. */
  BACKUP_DATABASE_URL: z.optional(z.string().check(z.regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'))),
  /** A folder that the built-in PostgreSQL copies its write-ahead log to, for restores to a point in time. */
  WAL_ARCHIVE: z.optional(z.string()),
  /** The card payment provider: none, or Stripe with its two secrets. */
  CARD_PROVIDER: z._default(z.enum(['none', 'stripe'], 'must be none or stripe'), 'none'),
  /** Stripe's secret key. */
  STRIPE_SECRET_KEY: z.optional(z.string().check(z.regex(/^(sk|rk)_/, 'must begin with sk_ or rk_'))),
  /** The secret that Stripe signs webhooks with. */
  STRIPE_WEBHOOK_SECRET: z.optional(z.string().check(z.regex(/^whsec_/, 'must begin with whsec_'))),
  /** A fake Stripe API, for tests. */
  STRIPE_API: z.optional(z.url('must be an address')),
  /** Where Bitcoin is sent until an operator sets it at the desk: an address, or an extended public key. */
  DEPOSIT_BTC: z.optional(z.string()),
  /** The same for Ether. */
  DEPOSIT_ETH: z.optional(z.string()),
  /**
   * The private key by which push services know this installation (VAPID, P-256): 32 bytes as base64 or hex. Without it
   * one is derived from FILES_KEY.
   */
  WEB_PUSH_KEY: z.optional(key32),
  /** Addresses that count as push services besides those of browsers' makers: `https://HOST:PORT,…`. For tests. */
  PUSH_SERVICES: z._default(
    z.pipe(
      z.string().check(z.regex(/^(https:\/\/[^\s,/]+(,|$))*$/, 'must be https://HOST:PORT,…')),
      z.transform((text) => text.split(',').filter((one) => one !== '')),
    ),
    [],
  ),
  /** Sender of every e-mail. */
  MAIL_FROM: z._default(z.string(), 'no-reply@cleartick.example'),
  /** What this node does: `engine`, `web`, or both. */
  ROLES: z._default(
    z.pipe(
      z.string().check(z.regex(/^ *(engine|web) *(, *(engine|web) *)*$/, 'must be engine, web, or both: engine,web')),
      z.transform((text: string): Role[] => ALL_ROLES.filter((role) => text.includes(role))),
    ),
    [...ALL_ROLES],
  ),
  /** `on`, `off`, or a factor such as `x1000` that multiplies every limit (for load tests on loopback only). */
  RATE_LIMITS: z._default(
    z.string().check(z.regex(/^(on|off|x\d{1,6})$/, 'must be on, off or a factor such as x1000')),
    'on',
  ),
  /** Addresses whose forwarding headers count, comma separated. */
  TRUST_PROXY: z.optional(z.string()),
  /**
   * The networks that the desk answers, in CIDR notation, comma separated: `10.8.0.0/16,2001:db8::/32`. Others get 403.
   * Behind a proxy, set TRUST_PROXY too.
   */
  DESK_NETWORKS: z.optional(
    z.pipe(
      z
        .string()
        .check(
          z.refine(
            (text) => namesOf(text).every((one) => readNetwork(one) !== undefined),
            'must be networks such as 10.8.0.0/16,2001:db8::/32, separated by commas',
          ),
        ),
      z.transform((text: string) => namesOf(text).map((one) => must(readNetwork(one)))),
    ),
  ),
  /** The address of an OpenTelemetry collector that takes traces over HTTP, such as http://127.0.0.1:4318. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(
    z.url({ protocol: /^https?$/, error: 'must be an address such as http://127.0.0.1:4318' }),
  ),
  /** Headers that the collector requires: `NAME=VALUE,…`, with URL-encoded values. */
  OTEL_EXPORTER_OTLP_HEADERS: z._default(
    z.pipe(
      z.string().check(z.regex(/^([\w-]+=([^,%]|%[\da-fA-F]{2})*(,|$))*$/, 'must be NAME=VALUE,…')),
      z.transform((text) =>
        Object.fromEntries(
          text
            .split(',')
            .flatMap(pairOf)
            .map(([name, value]) => [name, decodeURIComponent(value)]),
        ),
      ),
    ),
    {},
  ),
  /** The name before the role: `cleartick-web`, `cleartick-engine`. */
  OTEL_SERVICE_NAME: z._default(z.string(), 'cleartick'),
  /** Share of trades that are traced, 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z._default(
    z.pipe(z.string().check(z.regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')), z.transform(Number)),
    1,
  ),
  /**
   * How long a stopping web node still takes requests, so that load balancers notice, and over which it spreads the
   * closing of its sockets. By default: as long as the open sockets need.
   */
  DRAIN_SECONDS: z.optional(whole(0, 10)),
  /**
   * Where each process serves its metrics and health for monitoring; without it, only the web serves them, on `PORT`. If
   * one machine runs both roles, the engine takes this port and the web the next one. 0 takes any free ports.
   */
  METRICS_PORT: z.optional(whole(0, 65_534)),
  /** Address that metrics are served on. */
  METRICS_HOST: z._default(z.string(), '127.0.0.1'),
  /** Allows reading metrics from other hosts than loopback, as a Bearer token. */
  METRICS_TOKEN: z.optional(z.string().check(z.regex(/^\S{16,200}$/, 'must be 16 to 200 characters without spaces'))),
  /** `production`, or a test installation: built-in mailbox, real trades on simulated prices, common passwords allowed. */
  NODE_ENV: z._default(z.string(), 'development'),
  /**
   * Settings whose connections production may make without TLS, comma separated: those of a private network that the
   * operator trusts.
   */
  PLAIN_CONNECTIONS: z._default(
    z.pipe(
      z.string().check(z.refine((text) => namesOf(text).every(isConnecting), `must name some of ${CONNECTING.join()}`)),
      z.transform((text: string) => namesOf(text).filter(isConnecting)),
    ),
    [],
  ),
  /**
   * Makes a test installation (mailbox, play money) reachable from other machines. Anyone who can reach it can read its
   * mailbox.
   */
  PUBLIC_TEST_INSTALLATION: z._default(bool, false),
  /** Whether real-mode trades are accepted while prices are replayed or simulated. */
  REAL_TRADES_ON_TEST_PRICES: z.optional(bool),
  /** Days that the tape is kept beyond what trades need. */
  TAPE_RETENTION_DAYS: z._default(whole(1, 3650), 7),
  /** A JSON file with the operator's texts and figures for the public site; its keys are in contract/site.ts. */
  SITE_FILE: z.optional(z.string()),
  /** Overrides the file's `brand`. */
  BRAND: z.optional(z.string()),
  /** Overrides the file's `phone`. */
  SUPPORT_PHONE: z.optional(z.string()),
  /** Overrides the file's `email`. */
  SUPPORT_EMAIL: z.optional(z.string()),
  /** An external chat instead of the built-in one: the address that Live Chat opens. */
  CHAT_URL: z.optional(z.url({ protocol: /^https$/, error: 'must be an address that begins with https://' })),
  /** TradingView charts: on request, always, or never. The built-in charts are always drawn first. */
  WIDGETS: z._default(z.enum(['choice', 'tradingview', 'native'], 'must be choice, tradingview or native'), 'choice'),
  /** The origin of those charts; tests use a fake one. */
  WIDGETS_ORIGIN: z._default(z.url('must be an address'), 'https://www.tradingview-widget.com'),
  /**
   * A third party's list of payouts, shown over ours like those charts; it posts `{ name: 'widget-load' }` once
   * rendered.
   */
  PAYOUTS_URL: z.optional(z.url({ protocol: /^https?$/, error: 'must be an address that begins with https://' })),
  /** How often checkpoints of the tape are signed; tests don't wait for a minute. */
  CHECKPOINT_SECONDS: z._default(whole(1, 60), 60),
  /** Maximum delay until a movement of money is compared with the books; shorter in tests. */
  RECONCILE_SECONDS: z._default(whole(1, 240), 240),
  /**
   * Set once, after a plain copy of the data was started as another installation: its tape records that it is a copy.
   */
  NEW_TAPE_EPOCH: z._default(bool, false),
  /** Accepts traders under 18: the operator has their guardian's permission. */
  MINORS_WITH_GUARDIAN: z._default(bool, false),
  /** Least severe messages that are logged. */
  LOG_LEVEL: z._default(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']), 'warn'),
})

export type Config = Omit<z.infer<typeof Settings>, 'REAL_TRADES_ON_TEST_PRICES'> & {
  BRAND: string
  SUPPORT_PHONE: string
  SUPPORT_EMAIL: string
  /** The operator's values for the public site. */
  site: SiteValues
  /** Absolute path of the picture for the contact page's map area. */
  mapPicture: string | undefined
  /** Addresses that the operator publishes as their own. */
  assets: readonly Asset[]
  production: boolean
  /** Absolute path of `DATA_DIR`, without links where it exists: only a start creates it. */
  dataDir: string
  realTradesOnTestPrices: boolean
  mailbox: boolean
  /** Factor that rate limits are multiplied by; `undefined` turns them off. */
  rateFactor: number | undefined
}

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(Settings.shape)

/** Settings that may come from a file instead, named by `…_FILE`: as containers get their secrets. */
export const SECRETS = [
  'DATABASE_URL',
  'DATABASE_APP_URL',
  'DATABASE_READ_URL',
  'REDIS_URL',
  'FILES_URL',
  'FILES_KEY',
  'FILES_KEY_OTHERS',
  'PROOF_KEY',
  'WEB_PUSH_KEY',
  'SMTP_URL',
  'METRICS_TOKEN',
  'PYTH_API_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'ARCHIVE_URL',
  'BACKUP_URL',
  'BACKUP_DATABASE_URL',
] as const

function readSecrets(env: Record<string, string | undefined>): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) throw new StartProblem(`${name} and ${name}_FILE are both set. Remove one.`)
    try {
      secrets[name] = readFileSync(file, 'utf8').trim()
    } catch (error) {
      throw new StartProblem(`${name}_FILE: can't read ${file} (${(error as NodeJS.ErrnoException).code}).`)
    }
  }
  return secrets
}

export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries({ ...env, ...readSecrets(env) }).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Settings.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`)
    throw new StartProblem(`These settings are invalid:\n${lines.join('\n')}`)
  }
  const settings = parsed.data
  const production = settings.NODE_ENV === 'production'
  if (settings.CARD_PROVIDER === 'stripe' && !(settings.STRIPE_SECRET_KEY && settings.STRIPE_WEBHOOK_SECRET)) {
    throw new StartProblem('CARD_PROVIDER=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.')
  }
  if (production && !(settings.PUBLIC_URL && settings.SMTP_URL)) {
    throw new StartProblem(
      'NODE_ENV=production needs PUBLIC_URL, which links in e-mails begin with, and SMTP_URL, which sends them.',
    )
  }
  if (production) refusePlainConnections(settings, env)
  const loopback = isLoopbackName(settings.HOST)
  if (settings.RATE_LIMITS !== 'on' && !loopback) {
    throw new StartProblem('RATE_LIMITS may only be changed while the server listens on loopback (HOST=127.0.0.1).')
  }
  if (!isLoopbackName(settings.METRICS_HOST) && settings.METRICS_PORT !== undefined && !settings.METRICS_TOKEN) {
    throw new StartProblem(
      `METRICS_HOST=${settings.METRICS_HOST} needs METRICS_TOKEN: no other machine can read metrics without it.`,
    )
  }
  const mailbox = !production && settings.SMTP_URL === undefined
  const realTradesOnTestPrices = settings.REAL_TRADES_ON_TEST_PRICES ?? !production
  // A proxy or a public address in front of a loopback server: requests of others come from loopback too.
  const isPublic =
    !loopback ||
    settings.TRUST_PROXY !== undefined ||
    (settings.PUBLIC_URL !== undefined && !isLoopbackName(new URL(settings.PUBLIC_URL).hostname))
  if (isPublic && !settings.PUBLIC_TEST_INSTALLATION && (!production || realTradesOnTestPrices)) {
    throw new StartProblem(
      `${mailbox ? 'The test mailbox and play money are' : 'Play money is'} on, and other machines could reach this server (HOST, PUBLIC_URL, TRUST_PROXY). ` +
        'Set NODE_ENV=production with REAL_TRADES_ON_TEST_PRICES=off, or HOST=127.0.0.1 without PUBLIC_URL and TRUST_PROXY, ' +
        'or PUBLIC_TEST_INSTALLATION=on to let everyone who reaches it read the mailbox and trade with play money.',
    )
  }
  if (givenSeed(settings.FEED) !== undefined && (production || isPublic)) {
    throw new StartProblem(
      'With FEED=simulation:SEED, anyone who knows or guesses the seed can compute the next prices. Use FEED=simulation, ' +
        'whose seed is drawn and secret; a seed is only for HOST=127.0.0.1 without PUBLIC_URL and TRUST_PROXY, outside of production.',
    )
  }
  const { values: site, mapPicture, assets } = readSite(settings)
  return {
    ...settings,
    BRAND: String(site.brand),
    SUPPORT_PHONE: String(site.phone),
    SUPPORT_EMAIL: String(site.email),
    site,
    mapPicture,
    assets,
    production,
    dataDir: realPathOf(settings.DATA_DIR),
    realTradesOnTestPrices,
    mailbox,
    rateFactor:
      settings.RATE_LIMITS === 'off'
        ? undefined
        : settings.RATE_LIMITS === 'on'
          ? 1
          : Number(settings.RATE_LIMITS.slice(1)),
  }
}

export function realPathOf(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : resolve(folder)
}

/** Returns the seed that a feed names. */
export const givenSeed = (feed: string): string | undefined => /^simulation:(.+)$/.exec(feed)?.[1]

/** Rejects unencrypted connections to other machines, unless the operator allows them. */
function refusePlainConnections(
  { PLAIN_CONNECTIONS, ...settings }: z.infer<typeof Settings>,
  { NODE_TLS_REJECT_UNAUTHORIZED }: Record<string, string | undefined>,
): void {
  if (NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw new StartProblem(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 accepts any certificate. Unset it; name a private authority in NODE_EXTRA_CA_CERTS.',
    )
  }
  const plain = plainConnections(settings).filter(({ name }) => !PLAIN_CONNECTIONS.includes(name))
  if (plain.length === 0) return
  const names = [...PLAIN_CONNECTIONS, ...plain.map(({ name }) => name)]
  throw new StartProblem(
    `NODE_ENV=production connects to other machines only with TLS and a checked certificate:
${plain.map(({ name, hint }) => `  ${name}: ${hint}`).join('\n')}
Only for a private network that you trust, allow it without: PLAIN_CONNECTIONS=${names.join()}`,
  )
}

/** Returns whether a host name or address reaches this machine only. `URL` writes an IPv6 address in brackets. */
const isLoopbackName = (host: string): boolean => ['127.0.0.1', 'localhost', '::1', '[::1]'].includes(host)

function readSite({ SITE_FILE, BRAND, SUPPORT_PHONE, SUPPORT_EMAIL }: z.infer<typeof Settings>): SiteFileContent {
  try {
    const { values, mapPicture, assets } = readSiteFile(SITE_FILE)
    return {
      assets,
      mapPicture,
      values: {
        ...values,
        brand: BRAND ?? values.brand,
        phone: SUPPORT_PHONE ?? values.phone,
        email: SUPPORT_EMAIL ?? values.email,
      },
    }
  } catch (error) {
    throw new StartProblem((error as Error).message)
  }
}
