import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { colorOf, dashboardPage, legendLines, runsOf, widthOf } from '../../../deploy/monitoring/dashboard-page.ts'
import {
  type Dashboard,
  expressionOf,
  legendOf,
  type Panel,
  queryPanel,
  rateIntervalSeconds,
  type Series,
  stepSeconds,
} from '../../../deploy/monitoring/dashboard-queries.ts'
import { axisTicks, formatValue } from '../../../deploy/monitoring/units.ts'

const url = new URL('../../../deploy/monitoring/dashboard.json', import.meta.url)
const dashboard = JSON.parse(readFileSync(url, 'utf8')) as Dashboard
const HOUR = { from: 1_790_000_000, to: 1_790_003_600, scrapeSeconds: 15 }

test('points are a round step apart, and never closer than the scrape interval', () => {
  expect(stepSeconds(HOUR, 500)).toBe(15)
  expect(stepSeconds({ ...HOUR, scrapeSeconds: 5 }, 500)).toBe(5)
  expect(stepSeconds({ ...HOUR, from: HOUR.to - 3 * 3_600 }, 500)).toBe(20)
  expect(stepSeconds({ ...HOUR, from: HOUR.to - 30 * 86_400 }, 500)).toBe(3_600)
})

test('a rate interval covers four scrapes, or a step plus one scrape', () => {
  expect(rateIntervalSeconds(15, 15)).toBe(60)
  expect(rateIntervalSeconds(300, 15)).toBe(315)
})

test("replaces Grafana's variables, and rejects unknown ones", () => {
  expect(expressionOf('rate(a[$__rate_interval]) / rate(a[$__range] @ end())', 20, HOUR)).toBe(
    'rate(a[60s]) / rate(a[3600s] @ end())',
  )
  expect(() => expressionOf('a{node="$node"}', 20, HOUR)).toThrow('the variable $node')
})

test('names a series by its format, or else as Prometheus does', () => {
  const labels = { __name__: 'up', instance: 'a:1', role: 'web' }
  expect(legendOf('read by {{instance}} ({{ role }}{{absent}})', labels, 'up')).toBe('read by a:1 (web)')
  expect(legendOf('', labels, 'up')).toBe('up{instance="a:1", role="web"}')
  expect(legendOf('', {}, 'sum(up)')).toBe('sum(up)')
})

test.each([
  [0, 's', '0 s'],
  [0.0004567, 's', '457 µs'],
  [0.25, 's', '250 ms'],
  [90, 's', '1.5 min'],
  [7_200, 's', '2 hours'],
  [12.345, 'ops', '12.3 ops/s'],
  [12_345, 'reqps', '12.3 K req/s'],
  [0.0712, 'percentunit', '7.12 %'],
  [300 * 1024 ** 2, 'bytes', '300 MiB'],
  [1_500, 'none', '1500'],
])('formats %d in the unit %s as %s', (value, unit, text) => {
  expect(formatValue(value, unit)).toBe(text)
})

test('rejects an unknown unit', () => {
  expect(() => formatValue(1, 'celsius')).toThrow('the unit celsius')
})

test('an axis has round numbers in its unit and extends beyond the highest value', () => {
  expect(axisTicks(0, 17, 'ops', 5)).toEqual([0, 5, 10, 15, 20])
  expect(axisTicks(0, 0, 'none', 5)).toEqual([0, 1])
  expect(axisTicks(0, 250, 's', 5)).toEqual([0, 60, 120, 180, 240, 300])
  expect(axisTicks(0, 290 * 1024 ** 2, 'bytes', 4)).toEqual([0, 1, 2, 3].map((n) => n * 100 * 1024 ** 2))
})

test('a value has the colour of the highest threshold it has reached', () => {
  const steps = [
    { color: 'red', value: null },
    { color: 'green', value: 1 },
    { color: 'red', value: 2 },
  ]
  expect([0, 1, 1.9, 2].map((value) => colorOf(value, steps))).toEqual(['red', 'green', 'green', 'red'])
})

test('a line has a gap where a point is missing', () => {
  expect(runsOf([undefined, 1, 2, undefined, undefined, 3])).toEqual([[1, 2], [3]])
})

test('a legend gets as many lines as its names need', () => {
  expect(legendLines(['open', 'due'], 500)).toBe(1)
  expect(
    legendLines(
      Array.from({ length: 12 }, () => 'a rather long name'),
      500,
    ),
  ).toBe(4)
})

const panelOf = (title: string) => dashboard.panels.find((panel) => panel.title === title)!

test("sends a panel's queries to Prometheus, and keeps non-numbers as gaps", async () => {
  const asked: URLSearchParams[] = []
  const server = createServer(async (request, response) => {
    asked.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()))
    const values = [
      [1_789_999_995, '1'],
      [1_790_000_010, 'NaN'],
      [1_790_000_025, '2.5'],
    ]
    const result = asked.length === 1 ? [{ metric: {}, values }] : []
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const prometheus = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const range = { from: 1_790_000_000, to: 1_790_000_030, scrapeSeconds: 15 }
  const panel = panelOf('Settled')
  expect(await queryPanel(prometheus, panel, range, widthOf(panel))).toEqual([
    {
      name: 'settled',
      points: [
        [1_789_999_995, 1],
        [1_790_000_010, null],
        [1_790_000_025, 2.5],
      ],
    },
  ])
  expect(Object.fromEntries(asked[0]!)).toEqual({
    query: 'sum(rate(cleartick_trades_settled_total[60s]))',
    start: '1789999995',
    end: '1790000025',
    step: '15',
  })
  expect(await queryPanel(prometheus, panel, range, widthOf(panel))).toEqual([])
})

test('draws every panel of the dashboard', () => {
  const line: Series[] = [{ name: '<b>', points: [0, 1, 2].map((n) => [HOUR.from + n * 900, n]) }]
  const withQueries = dashboard.panels.filter(({ targets }) => targets)
  const [first, ...others] = withQueries as [Panel, ...Panel[]]
  const page = dashboardPage(dashboard, new Map(others.map(({ id }) => [id, line])), HOUR)
  for (const { title } of dashboard.panels) expect(page).toContain(`<h2>${title.replaceAll('"', '&quot;')}`)
  expect(page.match(/<svg/g)).toHaveLength(others.filter(({ type }) => type === 'timeseries').length)
  expect(page.match(/No data/g)).toHaveLength(1)
  expect(first.type).toBe('stat')
  expect(page).toContain('&lt;b&gt;')
  expect(page).not.toMatch(/<b(>|&gt;)/)
})

test('stacks series if the panel says so', () => {
  const at = (value: number): Series => ({ name: 'open', points: [[HOUR.from, value]] })
  const topOf = (title: string) => {
    const panel = panelOf(title)
    const page = dashboardPage({ ...dashboard, panels: [panel] }, new Map([[panel.id, [at(30), at(30)]]]), HOUR)
    return [...page.matchAll(/text-anchor="end">(\d+)</g)].map(([, label]) => Number(label)).at(-1)
  }
  expect(topOf('Symbols')).toBeGreaterThanOrEqual(60)
  expect(topOf('Open trades')).toBeLessThan(60)
})
