import { Transform } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import type { FileField } from '#contract/endpoint.ts'
import { type FieldError, Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { invalid } from './check.ts'
import type { UncheckedFile } from './handler.ts'

/** Longest text field, in bytes. */
const FIELD_BYTES = 8_192
/** Maximum parts in a form. */
const PARTS = 40

interface Multipart {
  form: Record<string, string>
  files: Record<string, UncheckedFile>
}

/**
 * Reads a multipart body: its text fields, and the files that the endpoint declares, each within its size limit.
 * Rejects a form with too many parts before parsing it: the parser spends a third of a millisecond on each.
 */
export async function readMultipart(
  request: FastifyRequest,
  known: Record<string, FileField>,
  maxBytes: number,
): Promise<Multipart> {
  const collected = await collect(request, known, maxBytes)
  const { errors, tooLarge } = collected
  if (tooLarge) {
    const megabytes = must(known[tooLarge]).maxBytes / 1_048_576
    throw new Problem('too_large', `The file is too large: at most ${megabytes} MB.`, {
      errors: [{ field: tooLarge, message: `must be at most ${megabytes} MB` }],
    })
  }
  if (errors.length) throw invalid(errors)
  return { form: Object.fromEntries(collected.form), files: Object.fromEntries(collected.files) }
}

interface Collected {
  form: Map<string, string>
  files: Map<string, UncheckedFile>
  errors: FieldError[]
  /** Returns the first file that is larger than its field allows. */
  tooLarge: string | undefined
}

function collect({ raw }: FastifyRequest, known: Record<string, FileField>, maxBytes: number): Promise<Collected> {
  const { 'content-type': type = '' } = raw.headers
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(type)?.slice(1).find(Boolean)
  if (boundary === undefined) return Promise.reject(unreadable())
  const found: Collected = { form: new Map(), files: new Map(), errors: [], tooLarge: undefined }
  const parser = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: {
      fileSize: Math.max(...Object.values(known).map((field) => field.maxBytes)),
      fieldSize: FIELD_BYTES,
    },
  })
  const parts = bounded(boundary, maxBytes)

  return new Promise((resolve, reject) => {
    const fail = (problem: Problem) => {
      // Read and discard the rest of the body, so that the response reaches a client that is still sending.
      raw.unpipe(parts)
      raw.resume()
      reject(problem)
    }
    const seen = new Set<string>()
    const once = (field: string) => {
      if (seen.has(field)) found.errors.push({ field, message: 'is given twice' })
      seen.add(field)
    }
    parser.on('field', (field, value, _nameTruncated, valueTruncated) => {
      once(field)
      if (valueTruncated) found.errors.push({ field, message: 'is too long' })
      else found.form.set(field, value)
    })
    // The parser's types don't say so: a file whose part is damaged has no name.
    parser.on('file', (field: string | undefined, stream, filename = '') => {
      if (field === undefined) {
        stream.resume()
        return fail(unreadable())
      }
      once(field)
      const rule = Object.hasOwn(known, field) ? known[field] : undefined
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        if (rule) chunks.push(chunk)
      })
      stream.on('error', () => fail(unreadable()))
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks)
        if (!rule) found.errors.push({ field, message: 'is not a known field' })
        else if (stream.truncated || bytes.length > rule.maxBytes) found.tooLarge ??= field
        // A form without a selected file sends an empty one without a name.
        else if (bytes.length > 0 || filename) found.files.set(field, { bytes, name: filename })
      })
    })
    parser.on('error', () => fail(unreadable()))
    parts.on('error', (error) => fail(error instanceof Problem ? error : unreadable()))
    raw.on('aborted', () => fail(unreadable()))
    parser.on('finish', () => resolve(found))
    raw.pipe(parts).pipe(parser)
  })
}

/** Passes a form through until it exceeds the maximum number of parts or bytes; Content-Length may be missing. */
function bounded(boundary: string, maxBytes: number): Transform {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  let count = 0
  let bytes = 0
  let tail = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) return done(new Problem('too_large', 'The request is too large.'))
      // A delimiter may be split between two chunks.
      const text = Buffer.concat([tail, chunk])
      for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + delimiter.length)) count++
      tail = text.subarray(Math.max(0, text.length - delimiter.length + 1))
      // The last delimiter closes the form.
      if (count > PARTS + 1) done(new Problem('too_large', 'The form has too many parts.'))
      else done(null, chunk)
    },
  })
}

const unreadable = () => new Problem('malformed', "We couldn't read the form.")
