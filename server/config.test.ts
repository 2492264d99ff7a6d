import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'cleartick-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
const read = (settings: Record<string, string>) => readConfig({ DATA_DIR: folder, ...settings })

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://example.org', SMTP_URL: 'smtp://localhost' }

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
  ])('refuses to start if other machines can reach it: %j', (settings) => {
    expect(() => read(settings)).toThrow(/PUBLIC_TEST_INSTALLATION=on/)
  })

  test('starts there if the operator allows it explicitly', () => {
    expect(read({ HOST: '0.0.0.0', PUBLIC_TEST_INSTALLATION: 'on' })).toMatchObject({ mailbox: true })
  })
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
