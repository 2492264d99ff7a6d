import { expect, test } from 'vitest'
import type { Span } from './platform/tracing.ts'
import { tradeTraces } from './traces.ts'

function recorder(samples = true) {
  const spans: Span[] = []
  const tracer = {
    samples: () => samples,
    record: (span: Span) => void spans.push(span),
    dropped: () => 0,
    stop: async () => undefined,
  }
  return { spans, traces: tradeTraces(tracer, { now: () => 1_000_000 }) }
}

const accepted = { id: 7n, tradeTime: 1_000_000, tookMs: 3 }
const answered = {
  id: 7n,
  route: 'POST /api/trading/submit',
  status: 200,
  beganAt: 0,
  endedAt: 5,
  traceparent: undefined,
}

test('the order of an automatic trade begins its trace, and a request begins that of any other', () => {
  const { spans, traces } = recorder()
  traces.accepted({ ...accepted, isAutomatic: true })
  expect(spans[0]).toMatchObject({ name: 'automatic order' })
  expect(spans[0]!.parentId).toBeUndefined()
  traces.accepted({ ...accepted, isAutomatic: false })
  traces.responded(answered)
  expect(spans[1]).toMatchObject({ name: 'accept', parentId: spans[0]!.spanId, traceId: spans[0]!.traceId })
  expect(spans[2]).toMatchObject({ spanId: spans[0]!.spanId, traceId: spans[0]!.traceId })
})

test('records nothing of a trade that is not sampled', () => {
  const { spans, traces } = recorder(false)
  traces.accepted({ ...accepted, isAutomatic: false })
  traces.responded(answered)
  traces.entered([7n], 1)
  traces.settled([{ id: 7n, tradeTime: 1, endTime: 2 }], 1)
  expect(spans).toEqual([])
})
