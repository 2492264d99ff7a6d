import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SITE_DEFAULTS } from '#contract/site.ts'
import { readConfig } from './config.ts'
import { readSiteFile } from './site-values.ts'

const folder = mkdtempSync(join(tmpdir(), 'cleartick-site-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(content: unknown): string {
  const path = join(folder, 'site.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('uses the defaults without a file; a file overrides what it names', () => {
  expect(readSiteFile(undefined).values).toEqual(SITE_DEFAULTS)
  expect(readSiteFile(file({ signalAccuracy: 61.5, brand: 'Northwind' }))).toEqual({
    values: { ...SITE_DEFAULTS, signalAccuracy: 61.5, brand: 'Northwind' },
    mapPicture: undefined,
    assets: [],
  })
})

test('takes the addresses that the operator publishes', () => {
  const assets = [{ name: 'Cold storage', coin: 'BTC', address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }]
  expect(readSiteFile(file({ assets })).assets).toEqual(assets)
  expect(() => readSiteFile(file({ assets: [{ name: 'x', coin: 'BTC' }] }))).toThrow(/name, coin and address/)
  expect(() => readSiteFile(file({ assets: 'bc1q' }))).toThrow(/assets must be a list/)
})

test('accepts a longer address, and finds its picture next to the file', () => {
  const address = `${'1 Market Street, '.repeat(9)}London`
  const { values, mapPicture } = readSiteFile(file({ address, mapPicture: 'pictures/map.png' }))
  expect(values.address).toBe(address)
  expect(mapPicture).toBe(join(folder, 'pictures/map.png'))
  expect(() => readSiteFile(file({ address: 'x'.repeat(161) }))).toThrow(/address may have at most 160/)
  expect(() => readSiteFile(file({ mapPicture: 1 }))).toThrow(/mapPicture must be a path/)
})

test.each([
  ['no JSON', '{', /can't be read as JSON/],
  ['no object', [], /is invalid/],
  ['a key that is none', { signalAccuracie: 1 }, /signalAccuracie: no such key/],
  ['a text for a number', { signalAccuracy: '87' }, /signalAccuracy must be a number/],
  ['a number for a text', { leverage: 20 }, /leverage must be text/],
  ['less than nothing', { demoDays: -1 }, /demoDays must be at least 0/],
  ['nothing', { phone: '' }, /phone must not be empty/],
  ['too much', { phone: '1'.repeat(61) }, /phone may have at most 60/],
])('%s stops the start with a clear message', (_what, content, message) => {
  expect(() => readSiteFile(file(content))).toThrow(message)
})

test('a missing file stops the start', () => {
  const settings = { DATA_DIR: folder, SITE_FILE: join(folder, 'nowhere.json') }
  expect(() => readConfig(settings)).toThrow(/SITE_FILE: .*nowhere\.json/)
})

test('the settings for brand, phone and e-mail win over the file', () => {
  const SITE_FILE = file({ brand: 'Northwind', phone: '+1 555 010 0142', demoDays: 14 })
  const config = readConfig({ DATA_DIR: folder, SITE_FILE, BRAND: 'Southwind' })
  expect(config).toMatchObject({ BRAND: 'Southwind', SUPPORT_PHONE: '+1 555 010 0142' })
  expect(config.site).toMatchObject({
    brand: 'Southwind',
    phone: '+1 555 010 0142',
    demoDays: 14,
    email: config.SUPPORT_EMAIL,
  })
})
