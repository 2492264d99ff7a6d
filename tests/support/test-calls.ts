import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { api, type CallName } from '#contract/api.ts'
import {
  type Ask,
  ask,
  type Case,
  each,
  endpointOf,
  expectRefusal,
  multipart,
  type OpenApi,
  replaced,
} from './calls.ts'
import { FOREIGN_FIELDS, HOSTILE, HOSTILE_BODIES } from './hostile.ts'
import { mismatches } from './json-schema.ts'
import type { Reply, WholeApp } from './servers/app.ts'

/** Sends a raw request, for methods that fetch doesn't allow. */
function bare(app: WholeApp, method: string, path: string, token: string | undefined) {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const request = httpRequest(
      app.origin + path,
      { method, headers: token ? { authorization: `Bearer ${token}` } : {} },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode!, text, headers: response.headers }))
      },
    )
    request.on('error', reject)
    request.end()
  })
}

interface CallsUnderTest<Name extends CallName> {
  app(): WholeApp
  names: readonly Name[]
  cases: Record<Name, Case>
  /** State that a rejected call must not change. */
  unchanged(): Promise<unknown>
  /** Optional fields of the good requests. */
  optional: readonly string[]
  /** Calls that may return 401 or 403 while the session is active. */
  signsOut: readonly Name[]
  /** The only responses that a browser may cache. */
  cached?: Partial<Record<Name, string>>
  /** Forms whose fields are all optional and accept any text. */
  loose?: readonly Name[]
}

/** Sends a request again, as its reply asks, while another one for the same row or address is being processed. */
async function untilFree(send: () => Promise<Reply>): Promise<Reply> {
  for (let again = 0; again < 10; again++) {
    const reply = await send()
    if (reply.status !== 503 || reply.json?.code !== 'unavailable') return reply
  }
  return send()
}

/** Tests every call with valid, invalid and hostile requests. */
export function testCalls<Name extends CallName>(options: CallsUnderTest<Name>): void {
  const { names, cases, unchanged } = options
  describe.each([...names])('%s', (name) => {
    const endpoint = endpointOf(name)
    const asking = (asked: Ask) => ask(options.app(), name, asked)
    const { good, refused, lacking, takes } = cases[name]
    const [method, pattern] = name.split(' ') as [string, string]
    /** Responses with 401 or 403 sign a client out, so few calls may return them while the session is active. */
    const signsOut = options.signsOut.includes(name)

    test('responds as the contract and the OpenAPI document say', async () => {
      const reply = await asking(await good())
      if (lacking) {
        expect([reply.status, reply.json?.code], reply.text).toEqual(lacking)
        return
      }
      expect(reply.status, reply.text).toBe(200)
      expect(reply.headers.get('cache-control')).toBe(options.cached?.[name] ?? 'no-store')
      if (endpoint.reply === 'text') return
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
      const { paths } = (await options.app().send('GET', '/api/openapi.json')).json as unknown as OpenApi
      const operation = paths[`/api${pattern.replaceAll(/:(\w+)/g, '{$1}')}`]![method.toLowerCase()]!
      expect(mismatches(operation.responses['200']!.content['application/json']!.schema, reply.json)).toEqual([])
    })

    test('documents every error that is expected here', async () => {
      const { paths } = (await options.app().send('GET', '/api/openapi.json')).json as unknown as OpenApi
      const { responses } = paths[`/api${pattern.replaceAll(/:(\w+)/g, '{$1}')}`]![method.toLowerCase()]!
      for (const [what, , status] of refused) expect(Object.keys(responses), what).toContain(String(status))
    })

    for (const [what, change, status, code] of refused) {
      test(`rejects ${what}`, async () => {
        const changed = await change(await good())
        const before = await unchanged()
        const reply = await asking(changed)
        expectRefusal(reply, what)
        expect([reply.status, reply.json?.code], reply.text).toEqual([status, code])
        expect(await unchanged()).toEqual(before)
      })
    }

    if (endpoint.access !== 'visitor') {
      test('requires a session', async () => {
        const asked = await good()
        for (const authorization of [
          '',
          'Bearer',
          'Bearer ',
          `Bearer ${'x'.repeat(43)}`,
          `Basic ${asked.token}`,
          `Bearer ${asked.token}x`,
          `Bearer ${'x'.repeat(4_000)}`,
          "Bearer ' or 1=1 --",
        ]) {
          const { token: _, ...rest } = asked
          const reply = await asking({ ...rest, headers: authorization ? { authorization } : {} })
          expectRefusal(reply, authorization)
          expect([reply.status, reply.json?.code]).toEqual([401, 'unauthenticated'])
        }
      })
    }

    if (endpoint.body) {
      test('rejects hostile values in every field without an internal error', async () => {
        const asked = await good()
        const path = `/api${pattern}`
        const tries = Object.entries(asked.body!).flatMap(([field, value]) =>
          HOSTILE.map((hostile) => ({ field, value, hostile })),
        )
        const before = await unchanged()
        await each(tries, async ({ field, value, hostile }) => {
          const what = `${field}: ${hostile.name}`
          const send = () =>
            options.app().send(method, path, { token: asked.token, body: replaced(asked.body!, field, hostile) })
          const reply = await untilFree(send)
          // A text field may accept any text; a value that isn't text, or isn't a number where one is required, must be
          // rejected.
          if (reply.status === 200 && typeof value === 'string' && hostile.kind === 'text') return
          if (reply.status === 200 && takes?.(field, hostile)) return
          expectRefusal(reply, what)
          if (!signsOut) expect([401, 403], what).not.toContain(reply.status)
          if (hostile.kind === 'broken') expect(reply.status, what).toBe(400)
        })
        expect(await unchanged()).toEqual(before)
      })

      test('names every missing required field', async () => {
        const asked = await good()
        for (const field of Object.keys(asked.body!)) {
          const { [field]: _, ...body } = asked.body!
          const reply = await asking({ ...asked, body })
          if (reply.status === 200) {
            expect(options.optional, `${name} without ${field}`).toContain(field)
            return
          }
          expectRefusal(reply, field)
          expect(reply.json).toMatchObject({ code: 'validation_failed' })
          expect(reply.json!.errors).toContainEqual({ field, message: expect.any(String) })
        }
      })

      test('rejects unknown fields', async () => {
        const asked = await good()
        await each(Object.entries(FOREIGN_FIELDS), async ([field, value]) => {
          if (Object.hasOwn(asked.body!, field)) return
          const reply = await asking({ ...asked, body: { ...asked.body, [field]: value } })
          expectRefusal(reply, field)
          expect([400, 422]).toContain(reply.status)
        })
        const proto = JSON.stringify(asked.body).replace(/\}$/, ',"__proto__":{"balance":1}}')
        expectRefusal(
          await options.app().send(method, `/api${pattern}`, { token: asked.token, body: proto }),
          '__proto__',
        )
      })

      test('rejects a missing body or one of another type', async () => {
        const { token, body } = await good()
        const send = (headers: Record<string, string>, sent?: string | Uint8Array) =>
          options
            .app()
            .send(method, `/api${pattern}`, { token, headers, ...(sent === undefined ? {} : { body: sent }) })
        for (const hostile of HOSTILE_BODIES) {
          const reply = await send({}, hostile.body)
          expectRefusal(reply, hostile.name)
          expect(hostile.status, `${hostile.name}: ${reply.text.slice(0, 200)}`).toContain(reply.status)
        }
        const text = JSON.stringify(body)
        expect((await send({}, '')).status, 'an empty body').toBe(422)
        expect((await send({})).status, 'no body').toBe(422)
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/xml',
          'text/html',
          'nonsense',
        ]) {
          const reply = await send({ 'content-type': type }, text)
          expectRefusal(reply, type)
          expect(reply.status, type).toBe(415)
        }
        const form = await options
          .app()
          .send(method, `/api${pattern}`, { token, body: multipart({ a: 'b' }, undefined) })
        expectRefusal(form, 'a form')
        const latin = new Uint8Array([...Buffer.from('{"a":"'), 0xff, 0xfe, 0xc3, ...Buffer.from('"}')])
        expectRefusal(await send({}, latin), 'bytes that are no text')
        expectRefusal(await send({ 'content-encoding': 'gzip' }, new Uint8Array([31, 139, 8, 0])), 'compressed')
      })
    } else if (!endpoint.form && !endpoint.raw) {
      test('accepts no body', async () => {
        if (method === 'GET') return
        const { headers, ...asked } = await good()
        const reply = await asking({ ...asked, ...(headers ? { headers } : {}), body: { balance: 1_000_000 } })
        expectRefusal(reply, 'a body')
        expect(reply.status).toBe(422)
      })
    }

    if (endpoint.form) {
      test('rejects hostile forms', async () => {
        const asked = await good()
        const path = `/api${pattern}`
        const texts = HOSTILE.filter((hostile) => hostile.kind === 'text')
        const isLoose = options.loose?.includes(name) ?? false
        for (const field of Object.keys(asked.form!)) {
          await each(texts, async (hostile) => {
            const value = JSON.parse(hostile.json) as string
            const reply = await asking({ ...asked, form: { ...asked.form, [field]: value } })
            if (isLoose && reply.status === 200) return
            // A form carries its amounts as plain decimal text.
            if (field === 'usd_amount' && hostile.name === 'a number as text') return
            expectRefusal(reply, `${field}: ${hostile.name}`)
          })
          const { [field]: _, ...form } = asked.form!
          const reply = await asking({ ...asked, form })
          if (isLoose) {
            expect(reply.status, `without ${field}`).toBe(200)
            continue
          }
          if (reply.status === 200) {
            expect(options.optional, `${name} without ${field}`).toContain(field)
            continue
          }
          expectRefusal(reply, `without ${field}`)
          expect(reply.json!.errors).toContainEqual({ field, message: expect.any(String) })
        }
        for (const field of ['balance', 'email_verified', 'status', 'constructor', 'user_id'])
          expectRefusal(await asking({ ...asked, form: { ...asked.form, [field]: '1' } }), field)
        const twice = multipart(asked.form!, asked.file)
        twice.append('method', 'others')
        expectRefusal(await options.app().send(method, path, { token: asked.token, body: twice }), 'a field twice')
        const many = multipart(asked.form!, asked.file)
        for (let n = 0; n < 100; n++) many.append(`f${n}`, 'x')
        expectRefusal(await options.app().send(method, path, { token: asked.token, body: many }), 'a hundred fields')
        const json = await options.app().send(method, path, { token: asked.token, body: { method: 'national_id' } })
        expect(json.status, 'JSON').toBe(415)
        for (const [type, body] of [
          ['multipart/form-data', 'x'],
          ['multipart/form-data; boundary=b', ''],
          ['multipart/form-data; boundary=b', '--b\r\nnonsense'],
          ['multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="method"\r\n\r\nx'],
          [`multipart/form-data; boundary=${'b'.repeat(500)}`, '--b--'],
        ] as const) {
          const headers = { 'content-type': type }
          expectRefusal(
            await options.app().send(method, path, { token: asked.token, headers, body }),
            `${type.slice(0, 60)} ${body}`,
          )
        }
      })
    }

    test('rejects hostile queries', async () => {
      const asked = await good()
      const known = Object.keys(asked.query ?? {})
      const texts = HOSTILE.filter((hostile) => hostile.kind === 'text' && hostile.json.length < 10_000)
      await each(known, async (field) => {
        for (const hostile of texts) {
          const value = hostile.name === 'a lone surrogate' ? 'a\ufffdb' : (JSON.parse(hostile.json) as string)
          const reply = await asking({ ...asked, query: { ...asked.query, [field]: value } })
          if (reply.status !== 200) expectRefusal(reply, `${field}: ${hostile.name}`)
        }
      })
      const { headers = {}, token } = asked
      const path = `/api${pattern.replaceAll(/:(\w+)/g, (_, part: string) => asked.params?.[part] ?? '')}`
      const search = new URLSearchParams(asked.query).toString()
      const raw = [
        'x=1',
        'x=1&x=2',
        'balance=1',
        '__proto__=1',
        'constructor=1',
        ...known.map((field) => `${field}=1&${field}=2`),
        ...known.map((field) => `${field}[]=1`),
        ...known.map((field) => `${field}[a]=1`),
      ]
      const { body, form, file } = asked
      for (const query of raw) {
        const reply = await options.app().send(method, `${path}?${search ? `${search}&` : ''}${query}`, {
          token,
          headers,
          ...(form ? { body: multipart(form, file) } : body ? { body } : {}),
        })
        expectRefusal(reply, query)
        if (!signsOut) expect(reply.status, `${query}: ${reply.text}`).toBe(422)
      }
      for (const query of ['%', '%zz', '%ff', `a=${'x'.repeat(9_000)}`]) {
        const reply = await options.app().send(method, `${path}?${query}`, { token, headers })
        expect(reply.status, query).toBeLessThan(500)
      }
    })

    if (endpoint.params) {
      test('rejects hostile paths', async () => {
        const asked = await good()
        const at = (segment: string) => `/api${pattern.replace(/:\w+/, () => segment)}`
        const segments = [
          ...HOSTILE.filter((hostile) => hostile.kind === 'text' && hostile.name !== 'a lone surrogate')
            .map((hostile) => encodeURIComponent(JSON.parse(hostile.json) as string))
            // A small number may be an existing id.
            .filter((segment) => segment.length < 8_000 && !/^\d{1,3}$/.test(segment)),
          '%00',
          '%',
          '%ff%fe',
          '..%2f..%2fetc%2fpasswd',
          '%2e%2e',
          '-1',
          '9223372036854775808',
          '99999999999999999999999999999999',
          '1e3',
          '0x1',
        ]
        await each(segments, async (segment) => {
          const reply = await options.app().send(method, at(segment), { token: asked.token })
          expectRefusal(reply, segment.slice(0, 60))
          // A call that takes a form reads its media type before its path.
          expect(endpoint.files ? [400, 404, 415, 422] : [400, 404, 422]).toContain(reply.status)
        })
      })
    }

    test('rejects other methods, including OPTIONS', async () => {
      const { token } = await good()
      const path = `/api${pattern.replaceAll(/:(\w+)/g, 'x')}`
      const taken = (Object.keys(api) as CallName[])
        .filter((other) => other.split(' ')[1] === pattern)
        .map((other) => other.split(' ')[0]!)
      for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']) {
        if (taken.includes(other)) continue
        // For example, `GET /auth/sessions/x` may match another call with a path parameter.
        const reply = await bare(options.app(), other, path, token)
        expect(reply.status, `${other} ${path}`).toBeGreaterThanOrEqual(400)
        expect(reply.status, `${other} ${path}`).toBeLessThan(500)
        expect(reply.headers['access-control-allow-origin']).toBeUndefined()
      }
      const head = await bare(options.app(), 'HEAD', path, token)
      expect(head.status).toBeLessThan(500)
      expect(head.text).toBe('')
    })
  })
}
