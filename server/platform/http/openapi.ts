import type { FastifyInstance } from 'fastify'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { api } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { PROBLEMS, type ProblemCode, ProblemReply } from '#contract/problem.ts'

type Json = Record<string, unknown>

/** A call without a body rejects one by its length or type, too. */
const EVERYWHERE: ProblemCode[] = [
  'malformed',
  'validation_failed',
  'too_large',
  'unsupported_media_type',
  'too_many_requests',
  'unavailable',
]

const schemaOf = (schema: $ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}

/** Generates the OpenAPI 3.1 document from the contract, so it can't describe anything that the server doesn't do. */
function openApi(brand: string): Json {
  const paths: Record<string, Json> = {}
  for (const [name, row] of Object.entries(api)) {
    const endpoint: Endpoint = row
    const [method, path] = name.split(' ') as [string, string]
    const url = `/api${path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[url] ??= {}
    paths[url][method.toLowerCase()] = operation(name, endpoint)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand} API`,
      version: '1',
      description:
        'Money is a number of US dollars with at most two decimals; times are ISO 8601 in UTC; errors carry a stable code.',
    },
    paths,
    components: {
      securitySchemes: { access: { type: 'http', scheme: 'bearer' }, desk: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(ProblemReply, 'output') },
    },
  }
}

function operation(name: string, endpoint: Endpoint): Json {
  const codes = [
    ...new Set([
      ...endpoint.problems,
      ...EVERYWHERE,
      ...(endpoint.idempotent ? (['idempotency_mismatch'] as const) : []),
      ...(endpoint.params ? (['not_found'] as const) : []),
      ...(endpoint.access === 'visitor' ? [] : (['unauthenticated'] as const)),
      ...(endpoint.roles ? (['forbidden'] as const) : []),
    ]),
  ]
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code])
  const refusals = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, list]) => [
      String(status),
      {
        description: list.join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ])
  return {
    operationId: name.replaceAll(/[^A-Za-z]+/g, '_'),
    summary: endpoint.summary,
    tags: [name.split('/')[1]],
    ...(endpoint.access === 'visitor' ? {} : { security: [{ [endpoint.access === 'user' ? 'access' : 'desk']: [] }] }),
    parameters: [
      ...parameters(endpoint.params, 'path'),
      ...parameters(endpoint.query, 'query'),
      ...(endpoint.idempotent ? [KEY] : []),
      ...(endpoint.mayLag ? [NEWEST] : []),
    ],
    ...requestBody(endpoint),
    responses: {
      200: {
        description: 'Done',
        content:
          endpoint.reply === 'text'
            ? { 'application/octet-stream': {} }
            : { 'application/json': { schema: schemaOf(endpoint.reply, 'output') } },
      },
      ...Object.fromEntries(refusals),
    },
  }
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Same key and body: same response, one effect. Same key, different body: 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const NEWEST = {
  name: 'Cache-Control',
  in: 'header',
  required: false,
  description: 'The answer may be a moment old, but has what you wrote. `no-cache` asks for the newest.',
  schema: { type: 'string' },
}

function parameters(schema: $ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBody(endpoint: Endpoint): Json {
  if (endpoint.body)
    return {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } } },
    }
  if (!endpoint.form) return {}
  const form = schemaOf(endpoint.form, 'input') as { properties?: Json; required?: string[] }
  const files = Object.entries(endpoint.files ?? {})
  const schema = {
    ...form,
    properties: {
      ...form.properties,
      ...Object.fromEntries(
        files.map(([name, file]) => [
          name,
          { type: 'string', format: 'binary', description: `At most ${file.maxBytes} bytes` },
        ]),
      ),
    },
    required: [...(form.required ?? []), ...files.filter(([, file]) => file.required).map(([name]) => name)],
  }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

/** Serves `/api/openapi.json`, and a readable version at `/api/docs`. */
export function serveOpenApi(app: FastifyInstance, brand: string): void {
  const document = openApi(brand)
  const text = JSON.stringify(document)
  const page = docsPage(brand, document)
  app.get('/api/openapi.json', (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(text),
  )
  app.get('/api/docs.css', (_request, reply) => reply.header('content-type', 'text/css; charset=utf-8').send(DOCS_CSS))
  app.get('/api/docs', (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      })
      .send(page),
  )
}

function docsPage(brand: string, document: Json): string {
  const calls = Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => {
      const responses = Object.entries(call.responses as Record<string, Json>)
      const body = call.requestBody as { content: Json } | undefined
      return `<section id="${escapeHtml(String(call.operationId))}"><h2><span class="method">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></h2>
<p>${escapeHtml(String(call.summary))}${call.security ? ' <em>Needs a session.</em>' : ''}</p>
${(call.parameters as Json[]).length ? `<h3>Parameters</h3><pre tabindex="0">${escapeHtml(JSON.stringify(call.parameters, null, 2))}</pre>` : ''}
${body ? `<h3>Body</h3><pre tabindex="0">${escapeHtml(JSON.stringify(body.content, null, 2))}</pre>` : ''}
<h3>Responses</h3><dl>${responses.map(([status, response]) => `<dt>${status}</dt><dd>${escapeHtml(String(response.description))}</dd>`).join('')}</dl>
<details><summary>Response schema</summary><pre tabindex="0">${escapeHtml(JSON.stringify((call.responses as Record<string, Json>)['200'], null, 2))}</pre></details></section>`
    }),
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(brand)} API</title><link rel="stylesheet" href="/api/docs.css"></head><body><main><h1>${escapeHtml(brand)} API</h1>
<p>Every endpoint of this server, generated from the table that it parses requests by. Machine-readable: <a href="/api/openapi.json">openapi.json</a>.</p>
${calls.join('\n')}</main></body></html>`
}

export const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const DOCS_CSS = `:root{color-scheme:light dark;font:16px/1.55 system-ui,sans-serif}body{margin:0;background:Canvas;color:CanvasText}main{max-width:60rem;margin:0 auto;padding:2rem 1rem}
section{border-top:1px solid #8884;padding:1rem 0}h2{font-size:1.1rem;margin:.5rem 0}h3{font-size:.9rem;margin:1rem 0 .25rem}.method{display:inline-block;min-width:4.5rem;font-weight:700}
h2,code,dd{overflow-wrap:anywhere}pre{overflow:auto;background:#8881;padding:.75rem;border-radius:.5rem;font-size:.85rem}dt{font-weight:600;float:left;clear:left;width:3rem}dd{margin:0 0 .25rem 3.5rem}`
