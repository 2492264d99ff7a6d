import * as z from 'zod/mini'
import { readDecimal } from '#web/ui/index.ts'

/** The rule of a form's field for a number of coins above 0. */
export const typedCoins = z.pipe(
  z.string(),
  z.transform((typed: string, context) => {
    const { decimal, problem = 'must be more than 0' } = readDecimal(typed, 8)
    if (decimal !== undefined && /[1-9]/.test(decimal)) return decimal
    context.issues.push({ code: 'custom', message: problem, input: typed })
    return z.NEVER
  }),
)
