import type { ADDRESS_METHODS, GENDERS, ID_METHODS } from '#contract/account/auth.ts'
import { oneOf } from '#contract/fields.ts'

type Method = (typeof ID_METHODS)[number]
type Gender = (typeof GENDERS)[number]

/** Labels of the identity documents. */
export const METHOD_LABELS: Record<Method, string> = {
  drivers_license: "Driver's license",
  international_passport: 'International passport',
  national_id: 'National ID',
  others: 'Others',
}

/** Labels of the proofs of address. */
export const ADDRESS_METHOD_LABELS: Record<(typeof ADDRESS_METHODS)[number], string> = {
  utility_bill: 'Utility bill',
  bank_statement: 'Bank statement',
  tax_document: 'Tax document',
  others: 'Others',
}

export const addressMethodRule = oneOf(Object.keys(ADDRESS_METHOD_LABELS) as (typeof ADDRESS_METHODS)[number][])
export const methodRule = oneOf(Object.keys(METHOD_LABELS) as Method[])
export const genderRule = oneOf(['male', 'female', 'others'] as const satisfies Gender[])
