import { createHash, randomBytes } from 'node:crypto'
import type { Log } from '../process/log.ts'

/** A finished piece of work, as OpenTelemetry describes it. Times are Unix milliseconds. */
export interface Span {
  /** 32 hex digits. */
  traceId: string
  /** 16 hex digits; random if it is left out. */
  spanId?: string | undefined
  parentId?: string | undefined
  name: string
  kind: 'internal' | 'server' | 'client'
  startMs: number
  endMs: number
  attributes?: Readonly<Record<string, string | number | boolean>>
  failed?: boolean
  /** The caller's own span, from its header `traceparent`. */
  link?: { traceId: string; spanId: string } | undefined
}

export interface Tracer {
  /** Whether the spans of this trace are exported. Every process decides the same. */
  samples(traceId: string): boolean
  /** Queues a span. Never waits and never fails. */
  record(span: Span): void
  /** Spans that were not exported, since the start. */
  dropped(): number
  /** Exports what is queued, for a moment. */
  stop(): Promise<void>
}

interface TracerOptions {
  /** The collector's base address; spans go to `/v1/traces` below it. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  service: string
  /** Share of the traces that are exported, 0 to 1. */
  ratio: number
  log: Log
  /** Tests: how long spans gather, and the pause before another attempt. */
  gatherMs?: number
  retryMs?: number
}

const BATCH_MAX = 512
/** Spans that wait for the collector, at most: beyond that, new ones are dropped. */
const WAITING_MAX = 8_192
const GATHER_MS = 1_000
const RETRY_MS = 1_000
const ATTEMPTS = 3
const PATIENCE_MS = 5_000
/** At the end, the process doesn't wait longer for the collector. */
const STOP_WITHIN_MS = 2_000
const KIND = { internal: 1, server: 2, client: 3 } as const
const ERROR = 2

/**
 * Exports spans to an OpenTelemetry collector: OTLP over HTTP, as JSON. See
 * docs/decisions/0011-traces-without-an-sdk.md. Holds no timer while nothing is queued.
 */
export function openTracer(options: TracerOptions): Tracer {
  const { service, ratio, gatherMs = GATHER_MS } = options
  const stopping = new AbortController()
  const send = spanSender(options, stopping.signal)
  let waiting: Span[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0 && !stopping.signal.aborted) {
      const batch = waiting.slice(0, BATCH_MAX)
      waiting = waiting.slice(BATCH_MAX)
      if (!(await send(JSON.stringify(toRequest(service, batch))))) dropped += batch.length
    }
  }

  return {
    samples: (traceId) => Number.parseInt(traceId.slice(0, 12), 16) < ratio * 2 ** 48,
    record(span) {
      if (waiting.length >= WAITING_MAX) {
        dropped++
        return
      }
      waiting.push(span)
      if (waiting.length >= BATCH_MAX) void flush()
      else if (!sending) {
        timer ??= setTimeout(() => void flush(), gatherMs)
        timer.unref()
      }
    },
    dropped: () => dropped,
    async stop() {
      const patience = setTimeout(() => stopping.abort(), STOP_WITHIN_MS)
      await flush()
      clearTimeout(patience)
      stopping.abort()
    },
  }
}

/** Returns the function that sends spans; it returns whether the collector has taken them. */
function spanSender(
  { endpoint, headers, log, retryMs = RETRY_MS }: TracerOptions,
  stopping: AbortSignal,
): (body: string) => Promise<boolean> {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  let isDown = false

  async function post(body: string): Promise<{ reason: string; isFinal: boolean } | undefined> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), stopping]),
      })
      await response.arrayBuffer()
      if (response.ok) return undefined
      return {
        reason: `the collector responds ${response.status}`,
        isFinal: ![429, 502, 503, 504].includes(response.status),
      }
    } catch (error) {
      return { reason: String((error as Error).cause ?? error), isFinal: false }
    }
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, ms)
      stopping.addEventListener('abort', () => {
        clearTimeout(timeout)
        resolve()
      })
    })

  return async (body) => {
    for (let attempt = 1; ; attempt++) {
      const failure = await post(body)
      if (failure === undefined) {
        if (isDown) log.warn({}, 'traces are exported again')
        isDown = false
        return true
      }
      if (failure.isFinal || attempt === ATTEMPTS || stopping.aborted) {
        if (!isDown) log.warn({ reason: failure.reason }, 'traces are not exported')
        isDown = true
        return false
      }
      await pause(retryMs * attempt)
    }
  }
}

/** Returns the id of the trace of one thing, the same in every process, so that it needn't be stored anywhere. */
export const traceIdOf = (thing: string): string => hashOf(`trace ${thing}`).slice(0, 32)

/** Returns the id of one span of that trace, for spans of other processes that have it as their parent. */
export const spanIdOf = (thing: string, span: string): string => hashOf(`span ${span} ${thing}`).slice(0, 16)

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Reads the header of a caller that has a trace; undefined if it is missing or malformed (W3C Trace Context). */
export function parseTraceparent(unchecked: string | undefined): { traceId: string; spanId: string } | undefined {
  const found = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-|$)/.exec(unchecked ?? '')
  if (!found) return undefined
  const [, traceId = '', spanId = ''] = found
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId }
}

function toRequest(service: string, spans: readonly Span[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes({ 'service.name': service, 'process.pid': process.pid }) },
        scopeSpans: [{ scope: { name: 'cleartick' }, spans: spans.map(toOtlp) }],
      },
    ],
  }
}

const toOtlp = (span: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId ?? randomBytes(8).toString('hex'),
  ...(span.parentId === undefined ? {} : { parentSpanId: span.parentId }),
  name: span.name,
  kind: KIND[span.kind],
  startTimeUnixNano: toNanoseconds(span.startMs),
  endTimeUnixNano: toNanoseconds(Math.max(span.startMs, span.endMs)),
  attributes: toAttributes(span.attributes ?? {}),
  ...(span.link ? { links: [span.link] } : {}),
  status: span.failed ? { code: ERROR } : {},
})

/** Microseconds are exact in a double until the year 2255. */
const toNanoseconds = (ms: number) => `${BigInt(Math.round(ms * 1_000)) * 1_000n}`

const toAttributes = (attributes: Readonly<Record<string, string | number | boolean>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))

function toValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
