import { expect, test } from 'vitest'
import { fillSite, ORIGIN, placeholder, SITE_DEFAULTS, SITE_KEYS, siteText } from './site.ts'

const ORIGIN_HERE = 'https://example.org'
const filled = (html: string, change: Partial<typeof SITE_DEFAULTS> = {}) =>
  fillSite(html, { ...SITE_DEFAULTS, ...change }, ORIGIN_HERE)

test('formats the defaults as the specification writes them', () => {
  const said = Object.fromEntries(SITE_KEYS.map((key) => [key, siteText(key, SITE_DEFAULTS[key])]))
  expect(said).toMatchObject({
    signalAccuracy: '87%',
    payoutsUpTo: '218%',
    instruments: '250+',
    foundedYear: '2018',
    leverage: '20:1',
    lowestMargin: '0.5%',
    maxPosition: '$200,000',
    liabilityCap: '$7,500',
    copyrightYear: '2023',
    deskName: 'Support',
  })
})

test('fills known placeholders and leaves unknown ones', () => {
  expect(filled(`<p>${placeholder('demoDays')} days, {{nothing}}, {{ demoDays }}, ${ORIGIN}/legal</p>`)).toBe(
    '<p>21 days, {{nothing}}, {{ demoDays }}, https://example.org/legal</p>',
  )
})

test("escapes the operator's values in the page and its structured data", () => {
  const brand = `A&B "<script>" '`
  expect(filled(`<p title="${placeholder('brand')}">`, { brand })).toBe(
    '<p title="A&amp;B &quot;&lt;script&gt;&quot; &#39;">',
  )
  const data = filled(`<script type="application/ld+json">{"name":"${placeholder('brand')}"}</script>`, { brand })
  const json = /<script type="application\/ld\+json">(.*)<\/script>/.exec(data)![1]!
  expect(json).not.toContain('<')
  expect(JSON.parse(json)).toEqual({ name: brand })
})
