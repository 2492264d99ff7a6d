import type { Reply } from '#tests/support/servers/app.ts'

export type Schema = { [key: string]: unknown }

/** The parts of an OpenAPI document that the harness reads. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema> }
}

interface RawOperation {
  parameters: { name: string; in: 'path' | 'query' | 'header'; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: Record<string, unknown>[]
  responses: Record<string, { content: Record<string, { schema?: Schema }> }>
}

/** One call, as the document describes it. */
export interface Operation {
  /** `POST /api/deposit/{id}`. */
  name: string
  method: string
  /** The path's segments; a parameter is `{name}`. */
  segments: string[]
  access: 'visitor' | 'user' | 'operator'
  query: Record<string, Schema>
  body: Schema | undefined
  form: Schema | undefined
  /** The schema of the JSON response by status; undefined for a file. */
  responses: ReadonlyMap<number, Schema | undefined>
}

/** Returns the operations of a document, with references resolved. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const named = (schema: Schema | undefined): Schema | undefined => {
    const ref = schema?.$ref
    if (typeof ref !== 'string') return schema
    const found = document.components.schemas[ref.replace('#/components/schemas/', '')]
    if (!found) throw new Error(`the document has no ${ref}`)
    return found
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]): Operation => {
      const security = Object.keys(raw.security?.[0] ?? {})[0]
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        segments: path.split('/').slice(1),
        access: security === undefined ? 'visitor' : security === 'desk' ? 'operator' : 'user',
        query: Object.fromEntries(
          raw.parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema]),
        ),
        body: raw.requestBody?.content['application/json']?.schema,
        form: raw.requestBody?.content['multipart/form-data']?.schema,
        responses: new Map(
          Object.entries(raw.responses).map(([status, { content }]) => [
            Number(status),
            named(content['application/json']?.schema),
          ]),
        ),
      }
    }),
  )
}

/** Returns a function that finds the operation for a method and a path. */
export function router(operations: readonly Operation[]) {
  const byLength = Map.groupBy(operations, ({ segments }) => segments.length)
  return (method: string, target: string): Operation | undefined => {
    const path = pathIn(target)
    const parts = path.slice(1).split('/')
    const fits = (byLength.get(parts.length) ?? []).filter(
      (operation) =>
        operation.method === method &&
        operation.segments.every((segment, at) => segment.startsWith('{') || segment === decoded(parts[at]!)),
    )
    // A fixed segment is more specific than a parameter.
    return fits.sort((a, b) => parametersIn(a) - parametersIn(b))[0]
  }
}

/** Returns the path of a request's target, which may name a host as well. */
const pathIn = (target: string): string => target.replace(/^https?:\/\/[^/]*/i, '').split('?')[0]!

const parametersIn = ({ segments }: Operation) => segments.filter((segment) => segment.startsWith('{')).length

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export const documentOf = ({ json }: Pick<Reply, 'json'>): OpenApiDocument => json as unknown as OpenApiDocument
