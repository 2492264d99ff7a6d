import * as z from 'zod/mini'
import { usdToText } from '#kernel/money.ts'
import { readUsd } from './typed-usd.ts'

/**
 * The rule of a form's field for an amount of at least `min` dollars. Its value is plain decimal text, as calls take it:
 * `1500.00` for `1.500,00`.
 */
export const typedUsd = (min = 1) =>
  z.pipe(
    z.string(),
    z.transform((typed: string, context) => {
      const { amount, problem = `must be at least ${min}` } = readUsd(typed)
      if (amount !== undefined && amount >= BigInt(min) * 100n) return usdToText(amount)
      context.issues.push({ code: 'custom', message: problem, input: typed })
      return z.NEVER
    }),
  )
