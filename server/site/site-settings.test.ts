import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { fillSettings, framesOf } from './site-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'cleartick-settings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const settings = (said: Record<string, string> = {}) => readConfig({ DATA_DIR: folder, ...said })

const PAGE = '<div data-mode="{{payouts}}" data-origin="{{payoutsUrl}}" data-name="{{payoutsName}}">'

test('shows only our own list of payouts by default', () => {
  expect(fillSettings(PAGE, settings())).toBe('<div data-mode="native" data-origin="" data-name="">')
  expect(framesOf('/live-payouts', settings())).toEqual(['https://www.tradingview-widget.com'])
})

test("allows a third party's list of payouts only on its page and only while widgets are on", () => {
  const PAYOUTS_URL = 'https://payouts.example/list?of="all"&n=1'
  const said = settings({ PAYOUTS_URL })
  expect(fillSettings(PAGE, said)).toBe(
    '<div data-mode="choice" data-origin="https://payouts.example/list?of=&#34;all&#34;&#38;n=1" data-name="payouts.example">',
  )
  expect(framesOf('/live-payouts', said)).toEqual(['https://www.tradingview-widget.com', 'https://payouts.example'])
  expect(framesOf('/financial-instruments', said)).toEqual(['https://www.tradingview-widget.com'])
  expect(framesOf('/', said)).toEqual([])
  expect(framesOf('/live-payouts', settings({ PAYOUTS_URL, WIDGETS: 'native' }))).toEqual([])
})

test.each(['payouts.example', 'javascript:alert(1)', 'ftp://payouts.example'])(
  'rejects the address %s',
  (PAYOUTS_URL) => {
    expect(() => settings({ PAYOUTS_URL })).toThrow(/PAYOUTS_URL/)
  },
)

test('says whether minors are taken here', () => {
  expect(fillSettings('{{minors}}', settings())).toContain('refuses anyone under 18')
  expect(fillSettings('{{minors}}', settings({ MINORS_WITH_GUARDIAN: 'on' }))).toContain('We take minors')
})
