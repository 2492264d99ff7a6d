import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'

/** A span as a collector receives it. */
export interface ReceivedSpan {
  service: string
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, string>
  links?: { traceId: string; spanId: string }[]
}

interface Attribute {
  key: string
  value: Record<string, string>
}

interface Received {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'service' | 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

/** Starts an OpenTelemetry collector that records the spans it gets. `respond` chooses the status of each response. */
export async function startCollector(respond: (request: number) => number = () => 200) {
  const spans: ReceivedSpan[] = []
  const requests: { url: string | undefined; headers: IncomingHttpHeaders; text: string; status: number }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (bytes) => (text += String(bytes)))
    request.on('end', () => {
      const status = respond(requests.length)
      requests.push({ url: request.url, headers: request.headers, text, status })
      if (status === 200) spans.push(...spansIn(JSON.parse(text) as Received))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, spans, requests }
}

const spansIn = ({ resourceSpans }: Received): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: toRecord(resource.attributes)['service.name']!,
        attributes: toRecord(span.attributes),
      })),
    ),
  )

const toRecord = (attributes: Attribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]))
