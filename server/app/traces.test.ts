import { expect, test } from 'vitest'
import type { Span } from '../platform/observe/tracing.ts'
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
  traces.settled([{ id: 7n, tradeTime: 1, entryTime: 2, endTime: 3 }], 1)
  expect(spans).toEqual([])
})

test('a settled trade shows when it got its entry, if it did', () => {
  const { spans, traces } = recorder()
  traces.settled(
    [
      { id: 7n, tradeTime: 1_000, entryTime: 1_200, endTime: 61_000 },
      { id: 8n, tradeTime: 1_000, entryTime: undefined, endTime: 61_000 },
    ],
    1,
  )
  expect(spans.map(({ name, startMs, endMs }) => (name === 'settle' ? name : [name, startMs, endMs]))).toEqual([
    ['enter', 1_000, 1_200],
    ['open', 1_000, 61_000],
    'settle',
    ['open', 1_000, 61_000],
    'settle',
  ])
})
