/** What the server refused of a field. The form's alert announces it, so the field only shows and describes it. */
export interface Refusal {
  refused: string
}

export type FieldError = string | Refusal

/** Returns what the server refused of a field, from its refusals by field. */
export function refusalOf(refusals: Record<string, string> | undefined, field: string): Refusal | undefined {
  const refused = refusals?.[field]
  return refused === undefined ? undefined : { refused }
}
