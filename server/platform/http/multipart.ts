import type { FastifyRequest } from 'fastify'
import type { FileField } from '#contract/endpoint.ts'
import { type FieldError, Problem } from '#contract/problem.ts'
import { invalid } from './check.ts'
import type { UncheckedFile } from './handler.ts'

const FIELD_BYTES = 8_192
const FIELDS = 40

/** Reads a multipart body: its text fields, and the files that the call knows, each within its size. */
export async function readMultipart(
  request: FastifyRequest,
  known: Record<string, FileField>,
): Promise<{ form: Record<string, string>; files: Record<string, UncheckedFile> }> {
  if (!request.isMultipart()) {
    throw new Problem('unsupported_media_type', 'This call takes multipart/form-data.')
  }
  const largest = Math.max(...Object.values(known).map((field) => field.maxBytes))
  const form: Record<string, string> = {}
  const files: Record<string, UncheckedFile> = {}
  const errors: FieldError[] = []
  let tooLarge: string | undefined

  const parts = request.parts({
    limits: {
      fileSize: largest,
      files: Object.keys(known).length + 1,
      fields: FIELDS,
      fieldSize: FIELD_BYTES,
      parts: FIELDS + 10,
    },
  })
  for await (const part of parts) {
    const field = part.fieldname
    if (field in form || field in files) errors.push({ field, message: 'is given twice' })
    if (part.type === 'file') {
      const bytes = await readAll(part.file)
      const rule = Object.hasOwn(known, field) ? known[field] : undefined
      if (!rule) errors.push({ field, message: 'is not a known field' })
      else if (part.file.truncated || bytes.length > rule.maxBytes) tooLarge ??= field
      // A form with no file chosen sends an empty one without a name.
      else if (bytes.length > 0 || part.filename) files[field] = { bytes, name: part.filename ?? '' }
    } else if (part.valueTruncated || typeof part.value !== 'string') {
      errors.push({ field, message: 'is too long' })
    } else {
      form[field] = part.value
    }
  }
  if (tooLarge) {
    const megabytes = known[tooLarge]!.maxBytes / 1_048_576
    throw new Problem('too_large', `The file is too large: at most ${megabytes} MB.`, {
      errors: [{ field: tooLarge, message: `must be at most ${megabytes} MB` }],
    })
  }
  if (errors.length) throw invalid(errors)
  return { form, files }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
