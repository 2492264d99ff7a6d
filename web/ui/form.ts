import { type DefaultValues, type FieldErrors, type FieldValues, type Resolver, useForm } from 'react-hook-form'

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

/**
 * A form that a schema checks: per field while somebody types, all on submit. `field('email')` is what a `Field` or
 * `Select` takes, with the message of its failing rule; `submit(send)` is the form's `onSubmit`.
 */
export function useRules<T extends FieldValues>(schema: Parser<T>, defaultValues: DefaultValues<T>) {
  const form = useForm<T>({ resolver: resolver(schema), mode: 'onChange', defaultValues })
  const { errors } = form.formState
  const field = (name: Parameters<typeof form.register>[0]) => ({
    ...form.register(name),
    error: errors[name]?.message as string | undefined,
  })
  const submit = (send: (values: T) => Promise<void>) => (event: { preventDefault(): void }) =>
    void form.handleSubmit(send)(event as Parameters<ReturnType<typeof form.handleSubmit>>[0])
  return { ...form, field, submit }
}
