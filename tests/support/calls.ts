import { expect } from 'vitest'
import { api, type CallName } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { PROBLEMS } from '#contract/problem.ts'
import type { Hostile } from './hostile.ts'
import type { Reply, WholeApp } from './servers/app.ts'

export interface Ask {
  token?: string
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  form?: Record<string, string>
  file?: Buffer
  headers?: Record<string, string>
}

/** What is rejected, how to derive the bad request from the good one, and the expected status and code. */
export type Refusal = [what: string, ask: (good: Ask) => Ask | Promise<Ask>, status: number, code: string]

export interface Case {
  /** Returns a request that succeeds; creates a new one each time. */
  good(): Promise<Ask>
  refused: Refusal[]
  /** Whether a value that is hostile elsewhere is valid for this field. */
  takes?: (field: string, hostile: Hostile) => boolean
  /** The response to the good request if this installation lacks a feature it needs. */
  lacking?: [status: number, code: string]
}

export interface OpenApi {
  openapi: string
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: Record<string, { schema: Record<string, unknown> }> }> }>
  >
}

export const withBody =
  (change: Record<string, unknown>) =>
  (good: Ask): Ask => ({ ...good, body: { ...good.body, ...change } })
export const withQuery =
  (change: Record<string, string>) =>
  (good: Ask): Ask => ({ ...good, query: { ...good.query, ...change } })

export const endpointOf = (name: CallName): Endpoint => api[name]

/** Makes a call, named as in the contract. */
export function ask(
  app: WholeApp,
  name: CallName,
  { token, params = {}, query = {}, body, form, file, headers }: Ask,
): Promise<Reply> {
  const [method, pattern] = name.split(' ') as [string, string]
  const path = pattern.replaceAll(/:(\w+)/g, (_, part: string) => encodeURIComponent(params[part] ?? ''))
  const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''
  return app.send(method, `/api${path}${search}`, {
    token,
    ...(headers ? { headers } : {}),
    ...(form || file
      ? { body: multipart(form ?? {}, file, Object.keys(endpointOf(name).files ?? {})[0]) }
      : body
        ? { body }
        : {}),
  })
}

export function multipart(fields: Record<string, string>, file: Buffer | undefined, fileField = 'id_file'): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  if (file) form.set(fileField, new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'id.jpg')
  return form
}

/**
 * Expects an error response: the standard shape, a code that fits its status, a message for people, and no internals.
 */
export function expectRefusal(reply: Reply, what: string): void {
  expect(reply.status, `${what}: ${reply.text.slice(0, 300)}`).toBeGreaterThanOrEqual(400)
  expect(reply.status, `${what}: ${reply.text.slice(0, 300)}`).toBeLessThan(500)
  const { json } = reply
  expect(json, what).toMatchObject({ status: false, code: expect.any(String), message: expect.stringMatching(/\S/) })
  expect(PROBLEMS[json!.code as keyof typeof PROBLEMS], `${what}: ${json!.code}`).toBe(reply.status)
  expect(reply.text, what).not.toMatch(/postgres|kysely|syntax error at|violates|node_modules|\.ts:\d|zod|ECONN/i)
  expect(reply.text.length, `${what}: what is wrong is not sent back`).toBeLessThan(6_000)
}

/** Runs a function for each item, a few at a time. */
export async function each<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
}

/** Returns a body, as text, with a hostile value in one of its fields. */
export function replaced(body: Record<string, unknown>, field: string, hostile: Hostile): string {
  const mark = 'the-value-to-be-replaced'
  return JSON.stringify({ ...body, [field]: mark }).replace(`"${mark}"`, () => hostile.json)
}
