import { api, type CallName } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Ask } from '#tests/support/calls.ts'
import { draws } from '#tests/support/random.ts'
import { type OpenApiDocument, type Operation, operationsOf, router } from './document.ts'
import { type Draft, pathOf, wireOf } from './draft.ts'
import type { Loot } from './mutation.ts'
import { mutate } from './mutations.ts'
import { type Asked, type Canary, judge, type Verdict } from './oracles.ts'
import { type Draws, encoded } from './values.ts'
import { bytesOf, openWire, type WireReply } from './wire.ts'

/** Who sends a request: its rightful owner, or someone who may not. */
const ACTORS = ['owner', 'visitor', 'stranger', 'other side', 'lesser operator', 'forger'] as const
type Actor = (typeof ACTORS)[number]

/** What an attack needs: valid requests, and other people's tokens. */
export interface Target {
  port: number
  document: OpenApiDocument
  good(call: string): Promise<Ask>
  /** Returns a token of someone who may not make the owner's request to a call with this access. */
  tokenOf(actor: Exclude<Actor, 'owner' | 'visitor'>, access: Operation['access'], draw: Draws): Promise<string>
  canaries: readonly Canary[]
  loot: Loot
  /** Called from time to time. */
  breathe(): Promise<void>
}

interface AttackOptions {
  requests: number
  seed: number
  /** Sends only the request with this number. */
  only?: number | undefined
  /** Stops after this many findings, or minutes. */
  findingsMost?: number
  minutes?: number | undefined
  progress?(line: string): void
}

export interface Finding {
  number: number
  what: string
  request: string
  verdicts: Verdict[]
}

export interface AttackResult {
  sent: number
  seconds: number
  statuses: Map<number, number>
  /** Numbers of sent and accepted requests, by call. */
  calls: Map<string, { sent: number; accepted: number; actors: Set<Actor> }>
  findings: Finding[]
  /** Milliseconds until the response: median, 99th percentile, longest. */
  latency: { p50: number; p99: number; longest: number }
  unavailable: number
}

const CONNECTIONS = 16
/** Consecutive requests to the same call, which share valid requests. */
const BLOCK = 48
/** A valid request is replaced after this many uses, and sooner once accepted, since it may only work once. */
const USES = 48
const USES_ONCE_ACCEPTED = 8
const FINDINGS_MOST = 50

/**
 * Sends hostile requests to every call of a document and judges each response. The n-th request and its changes depend
 * only on the seed and n.
 */
export async function attack(target: Target, options: AttackOptions): Promise<AttackResult> {
  const { requests, seed, only, findingsMost = FINDINGS_MOST, minutes, progress = () => undefined } = options
  const operations = operationsOf(target.document)
  const find = router(operations)
  const bases = basesOf(target)
  const wire = openWire(target.port)
  const times: number[] = []
  const result: AttackResult = {
    sent: 0,
    seconds: 0,
    statuses: new Map(),
    calls: new Map(operations.map(({ name }) => [name, { sent: 0, accepted: 0, actors: new Set() }])),
    findings: [],
    latency: { p50: 0, p99: 0, longest: 0 },
    unavailable: 0,
  }
  const order = shuffled(operations, draws(seed))

  const operationAt = (number: number) => order[Math.floor(number / BLOCK) % order.length]!

  async function one(number: number): Promise<void> {
    const draw = draws((seed ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0)
    const operation = operationAt(number)
    if (only === undefined) for (const ahead of [1, 2, 3]) bases.prepare(operationAt(number + ahead * BLOCK))
    const base = await bases.next(operation)
    const actor = drawActor(operation, draw)
    const draft = draftOf(operation, base.asked)
    const token =
      actor === 'owner'
        ? base.asked.token
        : actor === 'visitor'
          ? undefined
          : await target.tokenOf(actor, operation.access, draw)
    if (token !== undefined) draft.headers.push(['authorization', `Bearer ${token}`])
    // Only operators may change the victim's data.
    const isPowerful = operation.access === 'operator' && (actor === 'owner' || actor === 'lesser operator')
    const done = mutate(draft, draw, isPowerful ? {} : target.loot)
    const request = wireOf(draft)
    const bytes = bytesOf(request)
    const reply = await wire.send(request)

    result.sent++
    const status = reply?.status ?? 0
    result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1)
    const call = result.calls.get(operation.name)!
    call.sent++
    call.actors.add(actor)
    if (status === 200) {
      call.accepted++
      base.accepted(draft.method !== 'GET')
    }
    if (reply) times.push(reply.ms)
    if (status === 503 && reply?.body.includes('"unavailable"')) result.unavailable++
    const path = pathOf(draft)
    const text = `${bytes.toString('utf8')}\n${decodedOnce(path)}`
    const asked: Asked = {
      method: draft.method,
      text,
      operation: find(draft.method === 'HEAD' ? 'GET' : draft.method, path),
      isApi: path.startsWith('/api/'),
      viewer: viewerOf(actor, operation),
      stolen: stolenIn(draft, path, target.loot),
      isUnframed: draft.isUnframed,
    }
    const verdicts = judge(asked, reply, target.canaries)
    if (verdicts.length > 0)
      result.findings.push({
        number,
        what: `${operation.name} as ${actor}: ${done.join(', ') || 'unchanged'}`,
        request: shown(bytes, reply),
        verdicts,
      })
  }

  const began = performance.now()
  const until = began + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
  let next = 0
  const worker = async () => {
    while (next < requests && result.findings.length < findingsMost && performance.now() < until) {
      const number = next++
      await one(number)
      if (number % 5_000 === 4_999)
        progress(`${number + 1} requests, ${Math.round(((number + 1) / (performance.now() - began)) * 1_000)}/s`)
      if (number % 500 === 0) await target.breathe()
    }
  }
  try {
    if (only !== undefined) await one(only)
    else await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  } finally {
    wire.close()
  }
  result.seconds = (performance.now() - began) / 1_000
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)
  result.latency = { p50: at(0.5), p99: at(0.99), longest: at(1) }
  return result
}

/** Keeps a valid request for each call, and replaces it when used up. */
function basesOf(target: Target) {
  interface Base {
    asked: Ask
    uses: number
    isSpent: boolean
  }
  const bases = new Map<string, Base>()
  const making = new Map<string, Promise<Base>>()

  async function make(operation: Operation): Promise<Base> {
    const base = { asked: await target.good(callOf(operation)), uses: 0, isSpent: false }
    bases.set(operation.name, base)
    return base
  }

  function makeOnce(operation: Operation): Promise<Base> {
    const { name } = operation
    let made = making.get(name)
    if (!made) {
      made = make(operation).finally(() => making.delete(name))
      // The request that needs it reports the failure.
      made.catch(() => undefined)
      making.set(name, made)
    }
    return made
  }

  const usable = ({ name }: Operation): Base | undefined => {
    const base = bases.get(name)
    return base && base.uses < (base.isSpent ? USES_ONCE_ACCEPTED : USES) ? base : undefined
  }

  return {
    /** Starts making a valid request that will be needed soon. */
    prepare(operation: Operation): void {
      if (!usable(operation)) void makeOnce(operation)
    },
    async next(operation: Operation) {
      const base = usable(operation) ?? (await makeOnce(operation))
      base.uses++
      const { asked } = base
      const used = base
      return {
        asked,
        accepted(isChange: boolean) {
          if (!isChange || used.isSpent) return
          used.isSpent = true
          used.uses = 0
        },
      }
    },
  }
}

/** Returns the name of an operation in the contract: `POST /api/deposit/{id}` is `POST /deposit/:id`. */
const callOf = ({ name }: Operation): string => name.replace(' /api', ' ').replaceAll(/\{(\w+)\}/g, ':$1')

function draftOf(operation: Operation, { params = {}, query = {}, body, form, file, headers = {} }: Ask): Draft {
  const endpoint = api[callOf(operation) as CallName] as Endpoint | undefined
  const field = Object.keys(endpoint?.files ?? {})[0]
  return {
    operation,
    method: operation.method,
    params: Object.fromEntries(
      Object.entries(params)
        .filter(([name]) => operation.segments.includes(`{${name}}`))
        .map(([name, value]) => [name, encoded(value)]),
    ),
    query: Object.entries(query).map(([name, value]) => [name, encoded(value)]),
    headers: Object.entries(headers),
    body,
    form: form || file ? Object.entries(form ?? {}) : undefined,
    files: file && field ? [{ field, filename: 'id.jpg', type: 'image/jpeg', bytes: file }] : [],
    isUnframed: false,
  }
}

function drawActor(operation: Operation, draw: Draws): Actor {
  const roll = draw.random()
  if (roll < 0.6) return 'owner'
  if (roll < 0.68) return 'visitor'
  if (roll < 0.76) return 'forger'
  if (roll < 0.84) return 'other side'
  return operation.access === 'operator' ? 'lesser operator' : 'stranger'
}

function viewerOf(actor: Actor, { access }: Operation): Asked['viewer'] {
  if (actor === 'visitor' || actor === 'forger' || actor === 'other side') return 'visitor'
  return access === 'operator' ? 'operator' : actor === 'owner' && access === 'visitor' ? 'visitor' : 'trader'
}

/**
 * Returns the victim's id in the path, if it's still there after mutations. Ignores row numbers, which others may have
 * too.
 */
function stolenIn({ params }: Draft, path: string, loot: Loot): string | undefined {
  const ids = new Set(
    Object.entries(loot).flatMap(([kind, values]) => (kind === 'id' || kind === 'user_id' ? [] : values)),
  )
  return Object.values(params).find((value) => ids.has(value) && path.includes(value))
}

function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function shuffled<T>(items: readonly T[], draw: Draws): T[] {
  const left = [...items]
  const mixed: T[] = []
  while (left.length > 0) mixed.push(...left.splice(draw.below(left.length), 1))
  return mixed
}

const shown = (bytes: Buffer, reply: WireReply | undefined): string =>
  `${bytes.toString('utf8').slice(0, 1_500)}\n→ ${reply ? `${reply.status} ${reply.body.toString('utf8').slice(0, 300)}` : 'no response'}`
