import { expect, onTestFinished, test } from 'vitest'
import { startCollector } from '#tests/support/outside/collector.ts'
import { createLog } from '../process/log.ts'
import { openTracer, parseTraceparent, type Span, spanIdOf, traceIdOf } from './tracing.ts'

function open(endpoint: string, more: Partial<Parameters<typeof openTracer>[0]> = {}) {
  const given = { endpoint, headers: {}, service: 'test', ratio: 1, log: createLog('silent'), gatherMs: 1, retryMs: 1 }
  const tracer = openTracer({ ...given, ...more })
  onTestFinished(() => tracer.stop())
  return tracer
}

const span = (more: Partial<Span> = {}): Span => ({
  traceId: traceIdOf('one'),
  name: 'work',
  kind: 'internal',
  startMs: 1_795_000_000_000.25,
  endMs: 1_795_000_000_012.5,
  ...more,
})

test('exports spans to the collector, with its headers, as OTLP in JSON', async () => {
  const collector = await startCollector()
  const tracer = open(`${collector.url}/`, { headers: { 'x-key': 'secret' } })
  tracer.record(
    span({
      spanId: spanIdOf('one', 'root'),
      kind: 'server',
      attributes: { text: 'ü"', whole: 7, part: 0.5, yes: true },
      failed: true,
      link: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
    }),
  )
  tracer.record(span({ parentId: spanIdOf('one', 'root') }))
  await expect.poll(() => collector.spans.length).toBe(2)
  const [request] = collector.requests
  expect(request).toMatchObject({
    url: '/v1/traces',
    headers: { 'x-key': 'secret', 'content-type': 'application/json' },
  })
  const [resource] = (JSON.parse(request!.text) as { resourceSpans: object[] }).resourceSpans
  expect(resource).toMatchObject({
    resource: { attributes: expect.arrayContaining([{ key: 'service.name', value: { stringValue: 'test' } }]) },
    scopeSpans: [
      {
        spans: [
          {
            traceId: traceIdOf('one'),
            spanId: spanIdOf('one', 'root'),
            kind: 2,
            startTimeUnixNano: '1795000000000250000',
            endTimeUnixNano: '1795000000012500000',
            attributes: [
              { key: 'text', value: { stringValue: 'ü"' } },
              { key: 'whole', value: { intValue: '7' } },
              { key: 'part', value: { doubleValue: 0.5 } },
              { key: 'yes', value: { boolValue: true } },
            ],
            links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }],
            status: { code: 2 },
          },
          { parentSpanId: spanIdOf('one', 'root'), spanId: expect.stringMatching(/^[\da-f]{16}$/), status: {} },
        ],
      },
    ],
  })
})

test('tries again while the collector is busy, and drops what it rejects', async () => {
  const collector = await startCollector((request) => (request < 2 ? 503 : request === 2 ? 200 : 400))
  const tracer = open(collector.url)
  tracer.record(span({ name: 'kept' }))
  await expect.poll(() => collector.spans.map(({ name }) => name)).toEqual(['kept'])
  tracer.record(span({ name: 'rejected' }))
  await expect.poll(() => tracer.dropped()).toBe(1)
  expect(collector.requests.map(({ status }) => status)).toEqual([503, 503, 200, 400])
})

test('holds a bounded number of spans while nobody takes them', async () => {
  const tracer = open('http://127.0.0.1:1', { retryMs: 60_000 })
  for (let n = 0; n < 20_000; n++) tracer.record(span())
  expect(tracer.dropped()).toBeGreaterThan(10_000)
  await tracer.stop()
})

test('exports what is queued when it stops', async () => {
  const collector = await startCollector()
  const tracer = open(collector.url, { gatherMs: 60_000 })
  for (let n = 0; n < 300; n++) tracer.record(span({ name: String(n) }))
  await tracer.stop()
  expect(collector.spans.map(({ name }) => name)).toEqual(Array.from({ length: 300 }, (_, n) => String(n)))
})

test('samples a share of the traces, the same ones in every process', () => {
  const ids = Array.from({ length: 4_000 }, (_, n) => traceIdOf(`trade ${n}`))
  const chosen = (ratio: number) => {
    const tracer = open('http://127.0.0.1:1', { ratio })
    return ids.filter((id) => tracer.samples(id))
  }
  expect(chosen(0)).toEqual([])
  expect(chosen(1)).toEqual(ids)
  const quarter = chosen(0.25)
  expect(quarter.length).toBeGreaterThan(850)
  expect(quarter.length).toBeLessThan(1_150)
  expect(chosen(0.25)).toEqual(quarter)
})

test.each([
  [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }],
  [`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, undefined],
  [`00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`, undefined],
  ['nonsense', undefined],
  [undefined, undefined],
])('reads the traceparent %s', (text, expected) => {
  expect(parseTraceparent(text)).toEqual(expected)
})
