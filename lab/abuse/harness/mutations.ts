import { FOREIGN_FIELDS, HOSTILE_BODIES } from '#tests/support/hostile.ts'
import type { Schema } from './document.ts'
import { type Draft, Pairs, pathOf, RawJson } from './draft.ts'
import type { Loot, Mutation } from './mutation.ts'
import { damaged, HEADERS, KEYS, METHODS } from './odd-values.ts'
import { TRANSPORT_MUTATIONS } from './transport.ts'
import { type Draws, encoded, fittingValue, hostileText, hostileValue } from './values.ts'

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  !(value instanceof RawJson || value instanceof Pairs)

const propertiesOf = (schema: Schema | undefined): Record<string, Schema> =>
  (schema?.properties ?? {}) as Record<string, Schema>

/** Replaces one value in the body, often a nested one. */
function replaceValue(draft: Draft, draw: Draws, make: (schema: Schema) => unknown): string | undefined {
  if (!isFields(draft.body)) return undefined
  draft.body = structuredClone(draft.body)
  let place = draft.body as Fields
  let schema = draft.operation.body
  const path: string[] = []
  for (;;) {
    const names = [...new Set([...Object.keys(place), ...Object.keys(propertiesOf(schema))])]
    if (names.length === 0) return undefined
    const name = draw.pick(names)
    path.push(name)
    const inner = propertiesOf(schema)[name] ?? {}
    const value = place[name]
    if (isFields(value) && draw.chance(0.6)) {
      place = value
      schema = inner
      continue
    }
    if (Array.isArray(value) && value.length > 0 && draw.chance(0.5)) {
      const at = draw.below(value.length)
      value[at] = make((inner.items ?? {}) as Schema)
      path.push(String(at))
    } else place[name] = make(inner)
    return path.join('.')
  }
}

const pickField = (record: Fields, draw: Draws) => {
  const names = Object.keys(record)
  return names.length === 0 ? undefined : draw.pick(names)
}

/** Returns the loot that fits a field of this name. */
const lootFor = (name: string, loot: Loot): readonly string[] =>
  Object.entries(loot).find(([key]) => key === name)?.[1] ??
  (/id$/.test(name) ? (loot.id ?? []) : /hash|token|session|link/.test(name) ? (loot.token ?? []) : [])

const MUTATIONS: readonly Mutation[] = [
  {
    name: 'hostile value',
    weight: 22,
    apply: (draft, draw) => replaceValue(draft, draw, () => hostileValue(draw)),
  },
  {
    name: 'fitting value',
    weight: 14,
    apply: (draft, draw) => replaceValue(draft, draw, (schema) => fittingValue(schema, draw)),
  },
  {
    name: 'missing field',
    weight: 4,
    apply(draft, draw) {
      if (!isFields(draft.body)) return undefined
      const name = pickField(draft.body, draw)
      if (name === undefined) return undefined
      const { [name]: _, ...rest } = draft.body
      draft.body = rest
      return name
    },
  },
  {
    name: 'foreign field',
    weight: 4,
    apply(draft, draw) {
      if (draft.form) return undefined
      const [name, value] = draw.pick(Object.entries(FOREIGN_FIELDS))
      if (draft.body !== undefined && !isFields(draft.body)) return undefined
      draft.body = { ...((draft.body as Fields | undefined) ?? {}), [name]: value }
      return name
    },
  },
  {
    name: 'repeated or prototype key',
    weight: 5,
    apply(draft, draw) {
      if (!isFields(draft.body)) return undefined
      const name = draw.chance(0.5)
        ? (pickField(draft.body, draw) ?? '__proto__')
        : draw.pick(['__proto__', 'constructor'])
      const value = draw.chance(0.5) ? { balance: 1 } : hostileValue(draw)
      const extra: [string, unknown] = [name, value]
      const entries = Object.entries(draft.body)
      draft.body = new Pairs(draw.chance(0.5) ? [extra, ...entries] : [...entries, extra])
      return name
    },
  },
  {
    name: 'another body',
    weight: 3,
    apply(draft, draw) {
      if (draft.form) return undefined
      const { name, body } = draw.pick(HOSTILE_BODIES)
      draft.body = new RawJson(body)
      return name
    },
  },
  {
    name: 'body in a list',
    weight: 1,
    apply(draft) {
      if (!isFields(draft.body)) return undefined
      draft.body = [draft.body]
      return ''
    },
  },
  {
    name: 'hostile field of a form',
    weight: 14,
    apply(draft, draw) {
      if (!draft.form) return undefined
      const names = [
        ...draft.form.map(([name]) => name),
        ...Object.keys(propertiesOf(draft.operation.form)),
        '__proto__',
      ]
      const name = draw.pick(names)
      const value = hostileText(draw)
      draft.form = draw.chance(0.8)
        ? [...draft.form.filter(([one]) => one !== name), [name, value]]
        : [...draft.form, [name, value]]
      return name
    },
  },
  {
    name: 'hostile file',
    weight: 5,
    apply(draft, draw) {
      const [file] = draft.files
      if (!file) return undefined
      const how = draw.below(7)
      const change =
        how === 0
          ? {
              filename: hostileText(draw)
                .replaceAll(/[\r\n"]/g, '_')
                .slice(0, 300),
            }
          : how === 1
            ? { type: draw.pick(['text/html', 'image/svg+xml', 'application/x-php', 'x', '']) }
            : how === 2
              ? { bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>') }
              : how === 3
                ? { bytes: file.bytes.subarray(0, draw.below(file.bytes.length)) }
                : how === 4
                  ? { bytes: Buffer.alloc(0) }
                  : how === 5
                    ? { bytes: damaged(file.bytes, draw) }
                    : { field: draw.pick(['file', '__proto__', 'avatar', '']) }
      draft.files = draw.chance(0.1) ? [file, { ...file, ...change }] : [{ ...file, ...change }]
      return Object.keys(change)[0]
    },
  },
  {
    name: 'hostile query',
    weight: 14,
    apply(draft, draw) {
      const names = Object.keys(draft.operation.query)
      if (names.length === 0 && draw.chance(0.7)) return undefined
      const name = names.length > 0 ? draw.pick(names) : 'x'
      const schema = draft.operation.query[name] ?? {}
      const value =
        draw.chance(0.4) && typeof fittingValue(schema, draw) === 'string'
          ? String(fittingValue(schema, draw))
          : hostileText(draw)
      const others = draft.query.filter(([one]) => one !== name)
      const text = encoded(value.slice(0, 3_000))
      const how = draw.below(8)
      draft.query =
        how === 0
          ? [...draft.query, [name, text]]
          : how === 1
            ? [...others, [`${name}[]`, text]]
            : how === 2
              ? [...others, [`${name}[__proto__]`, text]]
              : how === 3
                ? [...others, [name, draw.pick(['%', '%zz', '%ff', '%00', '%c0%af', '%ed%a0%80'])]]
                : how === 4
                  ? others
                  : [...others, [name, text]]
      return name
    },
  },
  {
    name: 'foreign query',
    weight: 2,
    apply(draft, draw) {
      const name = draw.pick(['x', 'user_id', '__proto__', 'constructor', 'limit', 'cursor', 'format', 'q', ''])
      draft.query = [...draft.query, [name, draw.pick(['1', '', 'x', '__proto__'])]]
      return name
    },
  },
  {
    name: 'hostile path parameter',
    weight: 8,
    apply(draft, draw) {
      const name = pickField(draft.params, draw)
      if (name === undefined) return undefined
      const text = hostileText(draw)
      // A small number may be the id of an operator that other requests need.
      if (/^\d{1,4}$/.test(text)) return undefined
      const odd = draw.pick([
        '%',
        '%00',
        '%ff%fe',
        '..%2f..',
        '%2e%2e',
        '-1',
        '9223372036854775808',
        '1e3',
        '',
        ' ',
        '0x1',
      ])
      draft.params = { ...draft.params, [name]: draw.chance(0.3) ? odd : encoded(text).slice(0, 6_000) }
      return name
    },
  },
  {
    name: "someone else's",
    weight: 14,
    apply(draft, draw, loot) {
      const places: [string, (value: string) => void][] = []
      for (const name of Object.keys(draft.params))
        places.push([
          name,
          (value) => {
            draft.params = { ...draft.params, [name]: encoded(value) }
          },
        ])
      for (const name of Object.keys(draft.operation.query))
        places.push([
          name,
          (value) => {
            draft.query = [...draft.query.filter(([one]) => one !== name), [name, encoded(value)]]
          },
        ])
      const { body } = draft
      for (const name of isFields(body) ? Object.keys(body) : []) {
        // What someone names comes back in their own lists, and is no file's name.
        if (name === 'name') continue
        places.push([
          name,
          (value) => {
            draft.body = { ...(body as Fields), [name]: value }
          },
        ])
      }
      const fitting = places.filter(([name]) => lootFor(name, loot).length > 0)
      if (fitting.length === 0) return undefined
      const [name, put] = draw.pick(fitting)
      put(draw.pick(lootFor(name, loot)))
      return name
    },
  },
  {
    name: 'odd path',
    weight: 3,
    apply(draft, draw) {
      const path = pathOf({ ...draft, query: [] })
      draft.path = draw.pick([
        `${path}/`,
        `/${path}`,
        path.replace('/api/', '/api//'),
        path.replace('/api/', '/api/./'),
        path.replace('/api/', '/api/%2e%2e/api/'),
        path.replace('/api/', '/API/'),
        `${path}%00`,
        `${path};a=b`,
        `${path}%20`,
        path.replace('/api/', '/api/desk/../'),
        `http://evil.example${path}`,
        '*',
        path.slice(0, -1),
      ])
      return draft.path.slice(0, 80)
    },
  },
  {
    name: 'another method',
    weight: 4,
    apply(draft, draw) {
      draft.method = draw.pick(METHODS)
      return draft.method
    },
  },
  {
    name: 'idempotency key',
    weight: 4,
    apply(draft, draw) {
      const key = draw.pick(KEYS)
      draft.headers.push(['idempotency-key', key])
      if (draw.chance(0.1)) draft.headers.push(['idempotency-key', 'another'])
      return key.slice(0, 20)
    },
  },
  {
    name: 'odd header',
    weight: 5,
    apply(draft, draw) {
      const [name, value] = draw.pick(HEADERS)
      draft.headers.push([name, value])
      return `${name}: ${value.slice(0, 30)}`
    },
  },
  ...TRANSPORT_MUTATIONS,
]

const WEIGHT = MUTATIONS.reduce((sum, { weight }) => sum + weight, 0)

function drawMutation(draw: Draws): Mutation {
  let left = draw.random() * WEIGHT
  for (const mutation of MUTATIONS) {
    left -= mutation.weight
    if (left < 0) return mutation
  }
  return MUTATIONS[0]!
}

/** Changes a draft by up to three mutations and returns what was done. One in twenty drafts stays valid. */
export function mutate(draft: Draft, draw: Draws, loot: Loot): string[] {
  const count = draw.pick([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 0])
  const done: string[] = []
  const late: Mutation[] = []
  const apply = (mutation: Mutation) => {
    const what = mutation.apply(draft, draw, loot)
    if (what !== undefined) done.push(`${mutation.name}${what === '' ? '' : ` (${what})`}`)
    return what !== undefined
  }
  for (let tries = 0; done.length + late.length < count && tries < 20; tries++) {
    const mutation = drawMutation(draw)
    if (!mutation.transport) apply(mutation)
    else if (late.length === 0) late.push(mutation)
  }
  for (const mutation of late) apply(mutation)
  return done
}
