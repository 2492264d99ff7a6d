import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AUTOMATIC_KEYS, type Endpoint, WAITING_KEYS } from '#contract/endpoint.ts'
import { Problem } from '#contract/problem.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { checked, invalid, rejectUnknown } from './check.ts'
import type { UncheckedFile } from './handler.ts'
import { readMultipart } from './multipart.ts'

/** Largest JSON body, in bytes. */
export const JSON_BYTES = 32_768
/** Allowance for an upload's text fields and part headers, in bytes. */
const FORM_BYTES = 131_072
const KEY_LENGTH = 255

export interface Content {
  body: unknown
  form: unknown
  files: Record<string, UncheckedFile | undefined>
}

/** Returns an endpoint's largest body, in bytes: its files and fields, or JSON. */
export const largestBody = (endpoint: Endpoint): number =>
  endpoint.form
    ? Object.values(endpoint.files ?? {}).reduce((sum, field) => sum + field.maxBytes, FORM_BYTES)
    : JSON_BYTES

/** Rejects a body by its headers alone, before any of it is read: 413 if it is too large, 415 for another type. */
export function checkBodyHeaders(endpoint: Endpoint, request: FastifyRequest): void {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-type': type = '' } = request.headers
  const mediaType = first(type.split(';')).trim().toLowerCase()
  if (length !== undefined && Number(length) > (isJson(mediaType) ? JSON_BYTES : largestBody(endpoint)))
    throw new Problem('too_large', 'The request is too large.')
  if (endpoint.form) {
    if (mediaType !== 'multipart/form-data')
      throw new Problem('unsupported_media_type', 'Send this request as multipart/form-data.')
  } else if ((chunked !== undefined || Number(length ?? 0) > 0) && !isJson(mediaType)) {
    throw new Problem('unsupported_media_type', 'Send this request as application/json.')
  }
}

const isJson = (mediaType: string) => mediaType === 'application/json'

/** Reads and parses the body as the endpoint declares it. */
export async function readContent(endpoint: Endpoint, request: FastifyRequest): Promise<Content> {
  if (endpoint.form) {
    const known = endpoint.files ?? {}
    const read = await readMultipart(request, known, largestBody(endpoint))
    const form = checked(endpoint.form, read.form)
    for (const [field, rule] of Object.entries(known)) {
      if (rule.required && !read.files[field])
        throw invalid([{ field, message: rule.whenMissing ?? 'must not be empty' }])
    }
    return { body: undefined, form, files: read.files }
  }
  if (endpoint.raw) return { body: undefined, form: undefined, files: {} }
  if (endpoint.body) return { body: checked(endpoint.body, request.body ?? {}), form: undefined, files: {} }
  rejectUnknown(request.body, 'body')
  return { body: undefined, form: undefined, files: {} }
}

/** Returns the Bearer token; the scheme is case-insensitive (RFC 9110). */
export function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^bearer +([A-Za-z0-9_-]{20,200})$/i.exec(request.headers.authorization ?? '')
  return match?.[1]
}

export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key === '' || key.length > KEY_LENGTH) {
    throw invalid([{ field: 'Idempotency-Key', message: `must be from 1 to ${KEY_LENGTH} characters long` }])
  }
  const ours = [AUTOMATIC_KEYS, WAITING_KEYS].find((start) => key.startsWith(start))
  if (ours !== undefined) throw invalid([{ field: 'Idempotency-Key', message: `must not begin with ${ours}` }])
  return key
}

export function stepUpToken(request: FastifyRequest): string | undefined {
  const token = request.headers['x-step-up']
  return typeof token === 'string' && /^[A-Za-z0-9_-]{20,200}$/.test(token) ? token : undefined
}

/**
 * Returns the sha256 over method, path, fields and files: equal for equal requests, whatever the order of their fields.
 * `except`: a field of the body that is left out.
 */
export function fingerprint(request: FastifyRequest, { body, form, files }: Content, except?: string): Buffer {
  const fields = except === undefined ? body : { ...(body as object), [except]: undefined }
  const text = `${request.method} ${request.url}\0${canonical(fields ?? form ?? null)}`
  const parts = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([field, file]) => (file ? [Buffer.from(`\0${field}\0`), hash('sha256', file.bytes, 'buffer')] : []))
  return hash('sha256', parts.length === 0 ? text : Buffer.concat([Buffer.from(text), ...parts]), 'buffer')
}

function canonical(value: unknown): string {
  // An amount that the contract has decoded: as a client sends it.
  if (typeof value === 'bigint') return String(usdToNumber(usd(value)))
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}
