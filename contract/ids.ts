import * as z from 'zod/mini'
import { parsePublicId, parseRowId } from '#kernel/id.ts'

/** An id as text, which the server reads as a number. In a path, an id that can't exist is simply not found. */
const idOf = (parse: (unchecked: string) => bigint | undefined) =>
  z.pipe(
    z.string({ error: 'must be text' }),
    z.transform((text, context): bigint => {
      const id = parse(text)
      if (id !== undefined) return id
      context.issues.push({ code: 'custom', message: 'is invalid', input: text })
      return z.NEVER
    }),
  )

/** The id of a trade, deposit or withdrawal. */
export const publicId = idOf(parsePublicId)
/** The number of any other row. */
export const rowId = idOf(parseRowId)
