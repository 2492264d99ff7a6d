import * as z from 'zod/mini'
import { usdNumber } from '../fields.ts'

/** The signed-in user, as shown on their own screens. Texts not provided yet are empty. */
export const User = z.strictObject({
  id: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  firstname: z.string(),
  lastname: z.string(),
  phone: z.string(),
  gender: z.string(),
  date_of_birth: z.string(),
  country: z.string(),
  state: z.string(),
  city: z.string(),
  address: z.string(),
  /** Path of the image, or null. */
  avatar: z.nullable(z.string()),
  referral_code: z.string(),
  /** US dollars in the real and demo accounts, excluding open stakes. */
  balance: usdNumber,
  demo_balance: usdNumber,
  /** `''` (shown as 'None') or a plan of the ladder: `Gold-7600`. */
  trading_plan: z.string(),
  plan_request: z.nullable(z.strictObject({ plan: z.string(), trading_plan: z.string(), status: z.string() })),
})
export type User = z.infer<typeof User>
