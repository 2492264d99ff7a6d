import { wireOf } from './draft.ts'
import type { Mutation } from './mutation.ts'
import { damaged, TYPES } from './odd-values.ts'

/** Mutations of a request's bytes, regardless of its content. */
export const TRANSPORT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'media type',
    weight: 3,
    transport: true,
    apply(draft, draw) {
      const type = draw.pick(TYPES)
      draft.framing = draw.chance(0.1) ? [] : [['content-type', type]]
      return type.slice(0, 40)
    },
  },
  {
    name: 'damaged body',
    weight: 4,
    transport: true,
    apply(draft, draw) {
      const { body, headers } = wireOf(draft)
      if (!body || body.length === 0) return undefined
      draft.bytes = draw.chance(0.3) ? body.subarray(0, draw.below(body.length)) : damaged(body, draw)
      draft.framing = headers.filter(([name]) => name === 'content-type')
      return `${draft.bytes.length} bytes`
    },
  },
  {
    name: 'length of the body',
    weight: 2,
    transport: true,
    apply(draft, draw) {
      const { body = Buffer.alloc(0), headers } = wireOf(draft)
      draft.bytes = body
      draft.isUnframed = true
      const type = headers.filter(([name]) => name === 'content-type')
      const how = draw.below(10)
      const lengths: [string, string][][] = [
        [['content-length', String(body.length + 10)]],
        [['content-length', String(Math.max(0, body.length - 5))]],
        [['content-length', '-1']],
        [['content-length', '1e3']],
        [['content-length', '99999999999999999999']],
        [['content-length', '6000000']],
        [
          ['content-length', String(body.length)],
          ['content-length', String(body.length + 1)],
        ],
        [
          ['content-length', String(body.length)],
          ['transfer-encoding', 'chunked'],
        ],
        [['transfer-encoding', 'chunked']],
        [['transfer-encoding', 'gzip, chunked, identity']],
      ]
      draft.framing = [...type, ...lengths[how]!]
      return lengths[how]!.map((line) => line.join(': ')).join(', ')
    },
  },
]
