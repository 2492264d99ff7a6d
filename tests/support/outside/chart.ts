import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'

/**
 * Renders the Helm chart without Helm. Supports only the actions and functions of Go templates that the chart uses;
 * throws on anything else, and on missing values.
 */
const CHART = fileURLToPath(new URL('../../../deploy/helm', import.meta.url))
/** Kubernetes reads YAML 1.1, where a bare `on` or `yes` is true. */
const YAML = { version: '1.1' } as const

// biome-ignore lint/suspicious/noExplicitAny: a test reads properties that it expects, and fails if they're missing.
export type Manifest = Record<string, any>
type Values = { [key: string]: unknown }

interface Block {
  action: string
  body: (string | Block)[]
  /** The branch after the `else` of an `if`. */
  otherwise: (string | Block)[]
}

const defaultValues = (): Values => parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'), YAML)

/** Returns the objects that `helm template NAME deploy/helm` would print with these values over the defaults. */
export function renderChart(values: Values = {}, release = 'trade'): Manifest[] {
  const scope = {
    Values: merge(defaultValues(), values),
    Chart: { AppVersion: String(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')).appVersion) },
    Release: { Name: release, Service: 'Helm' },
  }
  const defined = new Map<string, Block>()
  const files = readdirSync(join(CHART, 'templates')).map((name) => ({
    name,
    root: blocksOf(readFileSync(join(CHART, 'templates', name), 'utf8')),
  }))
  for (const { root } of files)
    for (const block of root.body) {
      const name = typeof block === 'string' ? undefined : /^define "(.*)"$/.exec(block.action)?.[1]
      if (name) defined.set(name, block as Block)
    }
  const FUNCTIONS: Record<string, (...args: never[]) => unknown> = {
    include: (name: string, dot: unknown) => print(defined.get(name)!.body, dot, {}),
    not: (value: unknown) => !value,
    kindIs: (kind: string, value: unknown) => kindOf(value) === kind,
    quote: (value: unknown) => (value === undefined ? '' : JSON.stringify(textOf(value))),
    default: (fallback: unknown, value: unknown) => value || fallback,
    toJson: (value: unknown) => JSON.stringify(value),
    toYaml: (value: unknown) => stringify(value, YAML).trimEnd(),
    nindent: (spaces: number, text: string) => `\n${text}`.replaceAll('\n', `\n${' '.repeat(spaces)}`),
    '.Files.Get': (name: string) => readFileSync(join(CHART, name), 'utf8'),
    sha256sum: (text: string) => createHash('sha256').update(text).digest('hex'),
  }

  return files.flatMap(({ name, root }) => {
    const text = print(root.body, scope, {})
    if (name.endsWith('.tpl')) return []
    return parseAllDocuments(text, YAML).flatMap((document) => {
      if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0]!.message}\n${text}`)
      return document.toJS() === null ? [] : [document.toJS() as Manifest]
    })
  })

  function print(body: readonly (string | Block)[], dot: unknown, variables: Values): string {
    return body.map((part) => (typeof part === 'string' ? part : act(part, dot, variables))).join('')
  }

  function act({ action, body, otherwise }: Block, dot: unknown, variables: Values): string {
    const [, word, rest] = /^(\w+|\S+)\s*([\s\S]*)$/.exec(action) as unknown as [string, string, string]
    if (word === 'define' || word.startsWith('/*')) return ''
    if (word === 'if') return print(evaluate(rest, dot, variables) ? body : otherwise, dot, variables)
    if (word === 'range') {
      const [, key, value, over] = /^\$(\w+), \$(\w+) := (.+)$/.exec(rest)!
      return Object.entries((evaluate(over!, dot, variables) ?? {}) as Values)
        .filter(([, one]) => one !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => print(body, one, { ...variables, [key!]: name, [value!]: one }))
        .join('')
    }
    return textOf(evaluate(action, dot, variables))
  }

  function evaluate(pipeline: string, dot: unknown, variables: Values): unknown {
    return pipeline
      .split(' | ')
      .map((call) => call.match(/"[^"]*"|\S+/g)!)
      .reduce<unknown>((piped, [head, ...args], at) => {
        const given = args.map((arg) => lookUp(arg, dot, variables))
        if (at > 0) given.push(piped)
        return head! in FUNCTIONS ? FUNCTIONS[head!]!(...(given as never[])) : lookUp(head!, dot, variables)
      }, undefined)
  }

  function lookUp(text: string, dot: unknown, variables: Values): unknown {
    if (text === '.') return dot
    if (/^\d+$/.test(text)) return Number(text)
    if (text.startsWith('"')) return text.slice(1, -1)
    if (text.startsWith('$')) return variables[text.slice(1)]
    if (!text.startsWith('.')) throw new Error(`the chart uses ${text}, which this test doesn't know`)
    return text
      .slice(1)
      .split('.')
      .reduce<unknown>((inner, key) => {
        if (inner === null || typeof inner !== 'object' || !(key in inner)) throw new Error(`there is no value ${text}`)
        return (inner as Values)[key]
      }, dot)
  }
}

/** Returns Go's name for the type of a value. Helm reads every number as a float64. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice'
  return { number: 'float64', boolean: 'bool', object: 'map', undefined: 'invalid' }[typeof value as string] ?? 'string'
}

/** Formats a value as Go prints it: nothing for a missing one, and an exponent for very large and small numbers. */
function textOf(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'number' || value === 0) return String(value)
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  if (Number(exponent) >= -4 && Number(exponent) < 6) return String(value)
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
}

/** Parses a template into text and actions. Actions with an `end` contain everything before it. */
function blocksOf(template: string): Block {
  const root: Block = { action: '', body: [], otherwise: [] }
  const open = [{ block: root, into: root.body }]
  let trimNext = false
  const text = (raw: string, trimEnd: boolean) => {
    const start = trimNext ? raw.trimStart() : raw
    open.at(-1)!.into.push(trimEnd ? start.trimEnd() : start)
  }
  let from = 0
  for (const found of template.matchAll(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g)) {
    text(template.slice(from, found.index), found[1] === '-')
    const block: Block = { action: found[2]!, body: [], otherwise: [] }
    const inner = open.at(-1)!
    if (block.action === 'end') open.pop()
    else if (block.action === 'else') inner.into = inner.block.otherwise
    else {
      inner.into.push(block)
      if (/^(define|if|range)\b/.test(block.action)) open.push({ block, into: block.body })
    }
    trimNext = found[3] === '-'
    from = found.index + found[0].length
  }
  text(template.slice(from), false)
  if (open.length !== 1) throw new Error('an action has no end')
  return root
}

/** Merges values over others. As in Helm, null removes a value. */
function merge(base: Values, over: Values): Values {
  const merged: Values = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const both = [base[key], value].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
    merged[key] = both ? merge(base[key] as Values, value as Values) : (value ?? undefined)
  }
  return merged
}
