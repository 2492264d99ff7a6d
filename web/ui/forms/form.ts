import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  get,
  type Resolver,
  set,
  useForm,
} from 'react-hook-form'
import { refusedFields } from '#web/client/index.ts'
import type { FieldError } from './refusal.ts'

/** The part of a schema that is used here; both zod and zod/mini provide it. */
interface Parser<T> {
  safeParse(
    values: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: readonly { path: PropertyKey[]; code?: string; message: string }[] } }
}

/** Validates a form with a zod schema: each failing field shows its first failing rule. */
export const resolver =
  <T extends FieldValues>(schema: Parser<T>): Resolver<T> =>
  (values) => {
    const parsed = schema.safeParse(values)
    if (parsed.success) return { values: parsed.data, errors: {} }
    const errors: FieldErrors<T> = {}
    for (const issue of parsed.error.issues) {
      const name = issue.path.join('.')
      if (get(errors, name) === undefined) set(errors, name, { type: issue.code ?? 'custom', message: issue.message })
    }
    return { values: {}, errors }
  }

function errorOf(error: { type?: unknown; message?: unknown } | undefined): FieldError | undefined {
  if (error === undefined) return undefined
  const message = String(error.message)
  return error.type === REFUSED ? { refused: message } : message
}

/** The type of an error that the server found. */
const REFUSED = 'refused'

/**
 * A form validated by a schema: per field while typing, all fields on submit. `field('email')` returns the props of a
 * `Field` or `Select`, including the message of its failing rule; `submit(send)` is the form's `onSubmit`.
 */
export function useRules<T extends FieldValues>(schema: Parser<T>, defaultValues: DefaultValues<T>) {
  const form = useForm<T>({ resolver: resolver(schema), mode: 'onChange', defaultValues })
  const { errors } = form.formState
  const field = (name: Parameters<typeof form.register>[0]) => ({
    ...form.register(name),
    error: errorOf(get(errors, name)),
  })
  const submit = (send: (values: T) => Promise<void>) => (event: { preventDefault(): void }) =>
    void form.handleSubmit(send)(event as Parameters<ReturnType<typeof form.handleSubmit>>[0])
  /** Marks the fields that the server refused, and focuses the first. Pass it to `useRequest` or `useAction`. */
  function refuse(_message: string, error: unknown): void {
    const refused = Object.entries(refusedFields(error)).filter(([name]) => get(form.getValues(), name) !== undefined)
    for (const [at, [name, message]] of refused.entries())
      form.setError(name as Parameters<typeof form.setError>[0], { type: REFUSED, message }, { shouldFocus: at === 0 })
  }
  return { ...form, field, submit, refuse }
}
