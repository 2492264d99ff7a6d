import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'

/**
 * Renders the Helm chart without Helm: the few actions and functions of Go's templates that the chart uses. Anything
 * else, and any value that doesn't exist, throws.
 */
const CHART = fileURLToPath(new URL('../../deploy/helm', import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: a test looks where it knows something to be, and fails if it isn't.
export type Manifest = Record<string, any>
type Values = { [key: string]: unknown }

interface Block {
  action: string
  body: (string | Block)[]
}

export const defaultValues = (): Values => parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))

/** Returns the objects that `helm template NAME deploy/helm` would print, with these values over the default ones. */
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
    include: (name: string) => print(defined.get(name)!.body, {}),
    not: (value: unknown) => !value,
    quote: (value: unknown) => JSON.stringify(String(value)),
    default: (fallback: unknown, value: unknown) => value || fallback,
    toYaml: (value: unknown) => stringify(value).trimEnd(),
    nindent: (spaces: number, text: string) => `\n${text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces))}`,
    sha256sum: (text: string) => createHash('sha256').update(text).digest('hex'),
  }

  return files.flatMap(({ name, root }) => {
    const text = print(root.body, {})
    if (name.endsWith('.tpl')) return []
    return parseAllDocuments(text).flatMap((document) => {
      if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0]!.message}\n${text}`)
      return document.toJS() === null ? [] : [document.toJS() as Manifest]
    })
  })

  function print(body: readonly (string | Block)[], variables: Values): string {
    return body.map((part) => (typeof part === 'string' ? part : act(part, variables))).join('')
  }

  function act({ action, body }: Block, variables: Values): string {
    const [, word, rest] = /^(\w+|\S+)\s*([\s\S]*)$/.exec(action) as unknown as [string, string, string]
    if (word === 'define') return ''
    if (word === 'if') return evaluate(rest, variables) ? print(body, variables) : ''
    if (word === 'range') {
      const [, key, value, over] = /^\$(\w+), \$(\w+) := (.+)$/.exec(rest)!
      return Object.entries(evaluate(over!, variables) as Values)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => print(body, { ...variables, [key!]: name, [value!]: one }))
        .join('')
    }
    return String(evaluate(action, variables))
  }

  function evaluate(pipeline: string, variables: Values): unknown {
    return pipeline
      .split(' | ')
      .map((call) => call.match(/"[^"]*"|\S+/g)!)
      .reduce<unknown>((piped, [head, ...args], at) => {
        const given = args.map((arg) => lookUp(arg, variables))
        if (at > 0) given.push(piped)
        return head! in FUNCTIONS ? FUNCTIONS[head!]!(...(given as never[])) : lookUp(head!, variables)
      }, undefined)
  }

  function lookUp(text: string, variables: Values): unknown {
    if (text === '.') return scope
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
      }, scope)
  }
}

/** Splits a template into text and actions; the actions that have an end contain what lies before it. */
function blocksOf(template: string): Block {
  const root: Block = { action: '', body: [] }
  const open = [root]
  let trimNext = false
  const text = (raw: string, trimEnd: boolean) => {
    const start = trimNext ? raw.trimStart() : raw
    open.at(-1)!.body.push(trimEnd ? start.trimEnd() : start)
  }
  let from = 0
  for (const found of template.matchAll(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g)) {
    text(template.slice(from, found.index), found[1] === '-')
    const block: Block = { action: found[2]!, body: [] }
    if (block.action === 'end') open.pop()
    else {
      open.at(-1)!.body.push(block)
      if (/^(define|if|range)\b/.test(block.action)) open.push(block)
    }
    trimNext = found[3] === '-'
    from = found.index + found[0].length
  }
  text(template.slice(from), false)
  if (open.length !== 1) throw new Error('an action has no end')
  return root
}

function merge(base: Values, over: Values): Values {
  const merged: Values = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const both = [base[key], value].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
    merged[key] = both ? merge(base[key] as Values, value as Values) : value
  }
  return merged
}
