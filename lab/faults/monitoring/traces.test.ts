import { expect, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { sql } from '#server/platform/database/db.ts'
import { type ReceivedSpan, startCollector } from '#tests/support/outside/collector.ts'
import { openSuper, startServer, traders } from '#tests/support/servers/server.ts'
import { crowd, order } from '#tests/support/trades/crowd.ts'

const { freshData } = crowd(1)

test('a trade is one trace over both processes, from the request to its settlement', async () => {
  const collector = await startCollector()
  const dataDir = freshData()
  const server = await startServer(dataDir, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const [trader] = await traders(server, dataDir, 1)
  const traceId = 'c'.repeat(32)
  const response = await fetch(`${server.origin}/api/trading/submit`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${trader!.token}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${'d'.repeat(16)}-01`,
    },
    body: JSON.stringify(order(100)),
  })
  expect(response.status).toBe(200)
  const { trade_id } = ((await response.json()) as { data: { trade_id: string } }).data
  const ofTrade = () => collector.spans.filter(({ attributes }) => attributes['cleartick.trade.id'] === trade_id)
  const named = (name: string) => ofTrade().find((span) => span.name === name)
  // Make the trade end sooner than normally possible.
  const { db, close } = openSuper(dataDir)
  await sql.raw('alter table trades drop constraint if exists trades_terms').execute(db)
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`update trades set end_time = trade_time + 2000 where id = ${parsePublicId(trade_id)!}`.execute(tx)
  })
  await close()
  await expect.poll(() => named('settle'), { timeout: 30_000 }).toBeDefined()
  await expect.poll(() => ofTrade().length, { timeout: 20_000 }).toBe(5)

  const root = named('POST /api/trading/submit')!
  expect(root).toMatchObject({ service: 'cleartick-web', kind: 2 })
  expect(root.parentSpanId).toBeUndefined()
  expect(root.links).toEqual([{ traceId, spanId: 'd'.repeat(16) }])
  expect(root.attributes).toMatchObject({ 'http.response.status_code': '200', 'http.route': '/api/trading/submit' })
  const others = ofTrade().filter((span) => span !== root)
  expect(others.map(({ service, name }) => `${service} ${name}`).toSorted()).toEqual([
    'cleartick-engine enter',
    'cleartick-engine open',
    'cleartick-engine settle',
    'cleartick-web accept',
  ])
  expect(new Set(others.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root.spanId]))
  expect(new Set(ofTrade().map((span) => span.traceId)).size).toBe(1)
  expect(new Set(ofTrade().map((span) => span.spanId)).size).toBe(5)

  const from = (span: ReceivedSpan) => Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000
  const until = (span: ReceivedSpan) => Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000
  const [accept, enter, open, settle] = [named('accept')!, named('enter')!, named('open')!, named('settle')!]
  expect(from(accept)).toBeGreaterThanOrEqual(from(root))
  expect(until(accept)).toBeLessThanOrEqual(until(root))
  // The clocks of the two processes agree to within a few milliseconds.
  expect(from(open)).toBeGreaterThan(from(root) - 100)
  expect(until(open) - from(open)).toBe(2_000)
  expect(from(enter)).toBe(from(open))
  expect(until(enter)).toBeGreaterThan(from(open))
  expect(until(enter)).toBeLessThan(until(open))
  expect(until(settle)).toBeGreaterThan(until(open) - 100)
  // A trace contains the trade's id but no personal data.
  const words = JSON.stringify(ofTrade())
  expect(words).not.toContain(trader!.token)
  expect(words).not.toContain('@')
  expect(await server.end('SIGTERM')).toBe(0)
})

test('an unreachable collector changes nothing for traders', async () => {
  const dataDir = freshData()
  const server = await startServer(dataDir, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  const [trader] = await traders(server, dataDir, 1)
  const response = await fetch(`${server.origin}/api/trading/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${trader!.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(order(100)),
  })
  expect(response.status).toBe(200)
  expect(await server.end('SIGTERM')).toBe(0)
})
