import type { GENDERS, ID_METHODS } from '#contract/auth.ts'
import { oneOf } from '#contract/fields.ts'

type Method = (typeof ID_METHODS)[number]
type Gender = (typeof GENDERS)[number]

/** The ways to prove who one is, as people read them. */
export const METHOD_LABELS: Record<Method, string> = {
  drivers_license: "Driver's license",
  international_passport: 'International passport',
  national_id: 'National ID',
  others: 'Others',
}

export const methodRule = oneOf(Object.keys(METHOD_LABELS) as Method[])
export const genderRule = oneOf(['male', 'female', 'others'] as const satisfies Gender[])
