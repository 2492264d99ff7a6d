import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'

/** What a schema must be able to do here; zod's and zod/mini's both can. */
interface Parser<T> {
  safeParse(
    values: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: readonly { path: PropertyKey[]; code?: string; message: string }[] } }
}

/** Lets a zod schema check a form: each failing field shows its own first failing rule. */
export const resolver =
  <T extends FieldValues>(schema: Parser<T>): Resolver<T> =>
  (values) => {
    const parsed = schema.safeParse(values)
    if (parsed.success) return { values: parsed.data, errors: {} }
    const errors: Record<string, { type: string; message: string }> = {}
    for (const issue of parsed.error.issues) {
      errors[issue.path.join('.')] ??= { type: issue.code ?? 'custom', message: issue.message }
    }
    return { values: {}, errors: errors as FieldErrors<T> }
  }
