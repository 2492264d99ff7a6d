import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'cleartick-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
const read = (settings: Record<string, string>) => readConfig({ DATA_DIR: folder, ...settings })

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://example.org', SMTP_URL: 'smtp://localhost' }

test('reading the settings creates no data folder', () => {
  const none = join(folder, 'mistyped', 'folder')
  expect(readConfig({ DATA_DIR: none }).dataDir).toBe(none)
  expect(existsSync(join(folder, 'mistyped'))).toBe(false)
})

describe('a test installation', () => {
  test.each<Record<string, string>>([
    {},
    { HOST: 'localhost' },
    { HOST: '::1' },
    { PUBLIC_URL: 'http://localhost:8080' },
    { PUBLIC_URL: 'http://[::1]:8080' },
  ])('starts on loopback with the mailbox: %j', (settings) => {
    expect(read(settings)).toMatchObject({ mailbox: true, realTradesOnTestPrices: true })
  })

  test.each<Record<string, string>>([
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.20' },
    { HOST: '127.0.0.1.example.org' },
    { HOST: '0.0.0.0', SMTP_URL: 'smtp://localhost' },
    { HOST: '0.0.0.0', ...PRODUCTION, REAL_TRADES_ON_TEST_PRICES: 'on' },
    // A proxy on this machine makes every request come from loopback.
    { PUBLIC_URL: 'https://play.example' },
    { TRUST_PROXY: '127.0.0.1' },
    { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'http://localhost:8080' },
  ])('refuses to start if other machines can reach it: %j', (settings) => {
    expect(() => read(settings)).toThrow(/PUBLIC_TEST_INSTALLATION=on/)
  })

  test('starts there if the operator allows it explicitly', () => {
    expect(read({ HOST: '0.0.0.0', PUBLIC_TEST_INSTALLATION: 'on' })).toMatchObject({ mailbox: true })
  })
})

describe('a given seed of simulated prices', () => {
  const FEED = 'simulation:journeys'

  test.each<Record<string, string>>([
    PRODUCTION,
    { ...PRODUCTION, HOST: '0.0.0.0' },
    { HOST: '0.0.0.0', PUBLIC_TEST_INSTALLATION: 'on' },
    { PUBLIC_URL: 'https://play.example', PUBLIC_TEST_INSTALLATION: 'on' },
    { TRUST_PROXY: '127.0.0.1', PUBLIC_TEST_INSTALLATION: 'on' },
  ])('is refused in production and where other machines can reach the server: %j', (settings) => {
    expect(() => read({ ...settings, FEED })).toThrow(/FEED=simulation:SEED.*Use FEED=simulation,/)
    expect(read({ ...settings, FEED: 'simulation' }).FEED).toBe('simulation')
  })

  test.each<Record<string, string>>([{}, { NODE_ENV: 'test' }, { HOST: '::1', PUBLIC_URL: 'http://localhost:8080' }])(
    'works on loopback: %j',
    (settings) => {
      expect(read({ ...settings, FEED }).FEED).toBe(FEED)
    },
  )
})

test('production starts on any host, without a mailbox and without play money', () => {
  expect(read({ HOST: '0.0.0.0', ...PRODUCTION })).toMatchObject({
    mailbox: false,
    realTradesOnTestPrices: false,
  })
})

test.each(['PUBLIC_URL', 'SMTP_URL'])('production refuses to start without %s', (name) => {
  expect(() => read({ ...PRODUCTION, [name]: '' })).toThrow(/NODE_ENV=production needs PUBLIC_URL.*SMTP_URL/)
})

describe('connections of production to other machines', () => {
  const production = (settings: Record<string, string>) => read({ ...PRODUCTION, ...settings })
  const ROOT = fileURLToPath(new URL('../../package.json', import.meta.url))

  test.each<Record<string, string>>([
    { DATABASE_URL: 'postgres://u:p@db/d' },
    { DATABASE_URL: 'postgres://u:p@db/d?sslmode=disable' },
    { DATABASE_URL: 'postgres://u:p@db/d?sslmode=no-verify' },
    { DATABASE_URL: 'postgres://u:p@db/d?uselibpqcompat=true&sslmode=require' },
    { DATABASE_URL: 'postgres://u:p@localhost,db/d' },
    { DATABASE_URL: 'postgres://u:p@localhost/d?host=db' },
    { DATABASE_APP_URL: 'postgres://u:p@10.0.0.5/d' },
    { DATABASE_READ_URL: 'postgres://standby:5432' },
    { BACKUP_DATABASE_URL: 'postgresql://u:p@db/d' },
    { REDIS_URL: 'redis://:p@cache:6379' },
    { SMTP_URL: 'smtp://u:p@mail.example.org' },
    { SMTP_URL: 'smtp://u:p@mail.example.org?requireTLS=false' },
    { SMTP_URL: 'smtp://u:p@mail.example.org?requireTLS=true&ignoreTLS=true' },
    { SMTP_URL: 'smtps://u:p@mail.example.org?tls.rejectUnauthorized=false' },
    { FILES_URL: 's3+http://k:s@store/bucket' },
    { BACKUP_URL: 's3+http://k:s@store/bucket' },
    { ARCHIVE_URL: 's3+http://k:s@store/bucket' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
    { STRIPE_API: 'http://127.0.0.1.example.org' },
    { VENUE_ADDRESSES: 'kraken=https://one,binance=http://two' },
  ])('are refused without TLS, naming the setting: %j', (settings) => {
    const [name] = Object.keys(settings)
    expect(() => production(settings)).toThrow(new RegExp(`^  ${name}: (use|add) [^]*PLAIN_CONNECTIONS=${name}$`, 'm'))
    expect(production({ ...settings, PLAIN_CONNECTIONS: name! }).production).toBe(true)
    expect(read({ ...settings, NODE_ENV: 'development' }).production).toBe(false)
  })

  test.each<Record<string, string>>([
    { DATABASE_URL: 'postgres://u:p@db,standby:5433/d?sslmode=verify-full' },
    { DATABASE_URL: `postgres://u:p@db/d?sslrootcert=${ROOT}&sslmode=verify-full` },
    { DATABASE_URL: 'postgres://u:p@localhost,127.0.0.2:5433,[::1]:5434/d' },
    { DATABASE_URL: 'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/d' },
    { DATABASE_URL: 'postgres:///d?host=/var/run/postgresql' },
    { REDIS_URL: 'rediss://:p@cache:6379' },
    { REDIS_URL: 'redis://:p@[::1]:6379' },
    { SMTP_URL: 'smtps://u:p@mail.example.org' },
    { SMTP_URL: 'smtp://u:p@mail.example.org:587?requireTLS=true' },
    { FILES_URL: 's3+https://k:s@store/bucket' },
    { FILES_URL: 's3+http://k:s@127.0.0.1:7070/bucket' },
    { BACKUP_URL: '/mnt/backups' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector' },
    // Time stamps are signed.
    { TIMESTAMP_URL: 'http://tsa.example.org' },
  ])('are made with TLS, or stay on this machine: %j', (settings) => {
    expect(production(settings).production).toBe(true)
  })

  test('are all named at once, and without the secrets in their addresses', () => {
    const settings = { DATABASE_URL: 'postgres://u:hunter2@db/d', REDIS_URL: 'redis://:hunter2@cache' }
    expect(() => production(settings)).toThrow(/PLAIN_CONNECTIONS=DATABASE_URL,REDIS_URL$/)
    expect(() => production(settings)).not.toThrow(/hunter2/)
    expect(() => production({ ...settings, PLAIN_CONNECTIONS: 'REDIS_URL' })).toThrow(
      /PLAIN_CONNECTIONS=REDIS_URL,DATABASE_URL$/,
    )
    expect(() => production({ PLAIN_CONNECTIONS: 'on' })).toThrow(/PLAIN_CONNECTIONS must name some of DATABASE_URL,/)
  })

  test('always check certificates', () => {
    expect(() => production({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow(/NODE_EXTRA_CA_CERTS/)
    expect(read({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }).production).toBe(false)
  })
})

test('reads secrets from files, and says which file is missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'database-url')
  writeFileSync(file, 'postgres://u:p@h/d\n')
  const env = { DATA_DIR: folder, DATABASE_URL_FILE: file }
  expect(readConfig(env).DATABASE_URL).toBe('postgres://u:p@h/d')
  expect(() => readConfig({ ...env, DATABASE_URL: 'postgres://u:p@h/e' })).toThrow(
    'DATABASE_URL and DATABASE_URL_FILE are both set',
  )
  expect(() => readConfig({ DATA_DIR: folder, FILES_KEY_FILE: join(folder, 'none') })).toThrow(
    /FILES_KEY_FILE: can't read .*none \(ENOENT\)/,
  )
})
