import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { scrape } from '#tests/support/measures/metrics.ts'
import { startWholeApp } from '#tests/support/servers/app.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = join(ROOT, 'deploy', 'monitoring')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')

const rules = read('deploy', 'monitoring', 'alerts.yml')
const alerts = [...rules.matchAll(/- alert: (\w+)(.*?)(?=\n {6}- alert:|$)/gs)].map(([, name, text]) => ({
  name: name!,
  expression: /expr: >-\n +(.*)/.exec(text!)![1]!,
  anchor: /runbook_url: docs\/operations\/runbooks\.md#(\S+)/.exec(text!)?.[1],
}))

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}
const dashboard = JSON.parse(read('deploy', 'monitoring', 'dashboard.json')) as { panels: Panel[] }
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** Returns the metrics that an expression names, except those that Prometheus itself adds. */
const namesIn = (expression: string) =>
  [...expression.matchAll(/\b(?:cleartick|process|nodejs)_\w+/g)].map(([name]) => name)

describe('metrics', () => {
  const exported = new Set<string>()
  beforeAll(async () => {
    const app = await startWholeApp({
      METRICS_PORT: '0',
      SMTP_URL: 'smtp://127.0.0.1:1',
      DATABASE_READ_URL: 'postgres://nobody:none@127.0.0.1:1/none',
    })
    const { text } = await scrape(app.monitor)
    await app.stop()
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm))
      for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) exported.add(name + suffix)
  })

  test('used by alert rules and the dashboard are exported', () => {
    const named = new Set([...alerts.map(({ expression }) => expression), ...queries].flatMap(namesIn))
    expect(named.size).toBeGreaterThan(25)
    expect([...named].filter((name) => !exported.has(name))).toEqual([])
  })

  test('that start with cleartick_ are on the dashboard or in an alert, or are details of one that is', () => {
    const named = new Set([...alerts.map(({ expression }) => expression), ...queries].flatMap(namesIn))
    const details = ['cleartick_node', 'cleartick_bus_peers', 'cleartick_tape_bytes', 'cleartick_replicas']
    const last = 'cleartick_maintenance_last_run_timestamp_seconds'
    const shown = [...exported].filter((name) => name.startsWith('cleartick_') && !/_(sum|count|bucket)$/.test(name))
    expect(shown.filter((name) => !named.has(name) && ![...details, last].includes(name))).toEqual([])
  })
})

test('each alert has a runbook with its meaning, how to confirm it and what to do', () => {
  const sections = read('docs', 'operations', 'runbooks.md').split(/^## /m).slice(1)
  const byAnchor = new Map(sections.map((text) => [text.split('\n')[0]!, text]))
  expect(alerts.length).toBeGreaterThan(20)
  for (const { name, anchor = 'none' } of alerts)
    for (const part of ['**Means:**', '**Confirm:**', '**Do:**'])
      expect(byAnchor.get(anchor), `${name}, ${anchor}`).toContain(part)
  expect([...byAnchor.keys()].toSorted()).toEqual(alerts.map(({ anchor }) => anchor!).toSorted())
})

test('each alert has a test', () => {
  const tests = read('deploy', 'monitoring', 'alerts.test.yml')
  for (const { name } of alerts) expect(tests).toMatch(new RegExp(`- name: ${name}\\n`))
})

test("the dashboard's panels have their own ids and don't overlap", () => {
  const { panels } = dashboard
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const overlap = panels.flatMap((one, at) =>
    panels.slice(at + 1).flatMap((other) => {
      const [a, b] = [one.gridPos, other.gridPos]
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
      return apart ? [] : [`${one.title} and ${other.title}`]
    }),
  )
  expect(overlap).toEqual([])
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
})

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0

describe.runIf(HAS_PROMTOOL)('promtool', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' })
    return { status, said: `${stdout}${stderr}` }
  }

  test('accepts the rules and the example of a configuration', () => {
    expect(promtool('check', 'rules', 'alerts.yml')).toMatchObject({ status: 0 })
    expect(promtool('check', 'config', 'prometheus.yml')).toMatchObject({ status: 0 })
  })

  test('confirms that each alert fires when it should and not before', () => {
    const { status, said } = promtool('test', 'rules', 'alerts.test.yml')
    expect(said).not.toContain('FAILED')
    expect(status).toBe(0)
  })

  test("accepts the dashboard's queries", () => {
    const folder = mkdtempSync(join(tmpdir(), 'cleartick-queries-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const records = queries.map((query, at) => ({
      record: `query:${at}`,
      expr: query.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '3h'),
    }))
    // JSON is valid YAML.
    writeFileSync(join(folder, 'queries.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules: records }] }))
    expect(promtool('check', 'rules', join(folder, 'queries.yml'))).toMatchObject({ status: 0 })
  })
})
