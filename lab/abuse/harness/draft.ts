import type { Operation } from './document.ts'
import type { WireRequest } from './wire.ts'

/** JSON text that is written as it is, valid or not. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A JSON object whose keys may repeat. */
export class Pairs {
  readonly entries: readonly [string, unknown][]
  constructor(entries: readonly [string, unknown][]) {
    this.entries = entries
  }
}

interface DraftFile {
  field: string
  filename: string
  type: string
  bytes: Buffer
}

/** A request under construction: valid at first, then changed by mutations. */
export interface Draft {
  operation: Operation
  method: string
  /** Path parameters, percent-encoded. */
  params: Record<string, string>
  /** Percent-encoded names and values. */
  query: [string, string][]
  headers: [string, string][]
  body: unknown
  form: [string, string][] | undefined
  files: DraftFile[]
  /** Replaces the path built from the operation. */
  path?: string
  /** Replaces the written body. */
  bytes?: Buffer
  /** Replaces the headers about the body's type and length. */
  framing?: [string, string][]
  isUnframed: boolean
}

function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (value instanceof Pairs) return `{${value.entries.map(pair).join(',')}}`
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (value !== null && typeof value === 'object') return `{${Object.entries(value).map(pair).join(',')}}`
  return JSON.stringify(value) ?? 'null'
}

const pair = ([key, value]: [string, unknown]): string => `${JSON.stringify(key)}:${writeJson(value)}`

const BOUNDARY = 'boundary-of-the-form'

function writeForm({ form = [], files }: Draft): Buffer {
  const parts: Buffer[] = []
  for (const [name, value] of form)
    parts.push(Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`))
  for (const { field, filename, type, bytes } of files)
    parts.push(
      Buffer.from(
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename="${filename}"\r\ncontent-type: ${type}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    )
  parts.push(Buffer.from(`--${BOUNDARY}--\r\n`))
  return Buffer.concat(parts)
}

export function pathOf({ operation, params, path, query }: Draft): string {
  const own = `/${operation.segments.map((segment) => (segment.startsWith('{') ? (params[segment.slice(1, -1)] ?? '') : segment)).join('/')}`
  const search = query.map(([name, value]) => `${name}=${value}`).join('&')
  return (path ?? own) + (search === '' ? '' : `?${search}`)
}

/**
 * Returns the request to write on the wire. Replaces line breaks in headers by spaces: they would start a new request.
 */
export function wireOf(draft: Draft): WireRequest {
  const isForm = draft.form !== undefined
  const body = draft.bytes ?? (isForm ? writeForm(draft) : draft.body === undefined ? undefined : jsonBytes(draft.body))
  const type = isForm ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json'
  const framing =
    draft.framing ??
    (body
      ? [
          ['content-type', type],
          ['content-length', String(body.length)],
        ]
      : [])
  const hasLength = framing.some(([name]) => /^(content-length|transfer-encoding)$/.test(name))
  const headers = [...draft.headers, ...framing] as [string, string][]
  if (!hasLength && body) headers.push(['content-length', String(body.length)])
  if (!headers.some(([name]) => name === 'host')) headers.unshift(['host', 'localhost'])
  return {
    method: draft.method,
    target: pathOf(draft).replaceAll(/[\r\n ]/g, '+'),
    headers: headers.map(([name, value]) => [name, value.replaceAll(/[\r\n]/g, ' ')]),
    body,
    isUnframed: draft.isUnframed,
  }
}

const jsonBytes = (body: unknown): Buffer => Buffer.from(writeJson(body))
