/**
 * Checks the module boundaries: storeys and rooms import only downwards, a room is imported through its `index.ts`, and
 * features don't import each other. One table lists what is allowed; anything else fails with the offending line.
 * Files don't import each other in a cycle, not even types. ARCHITECTURE.md has the figures of the server's rooms.
 * Packages that are slow to load must be loaded on first use.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from '#kernel/must.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The server's rooms from bottom to top. A room may import the ones listed before it. */
const SERVER = [
  'platform',
  'config',
  'site',
  'proposals',
  'levers',
  'ledger',
  'venues',
  'prices',
  'price-lists',
  'strategies',
  'notices',
  'guardrails',
  'identity',
  'webpush',
  'kyc',
  'plans',
  'cashier',
  'trading',
  'risk',
  'proof',
  'complaints',
  'incidents',
  'alerts',
  'waiting',
  'own-strategies',
  'signals',
  'automatic',
  'backtest',
  'statements',
  'support',
  'desk',
  'invariants',
  'app',
]
/** Rooms whose files may all be imported. The others have an `index.ts`. */
const OPEN = ['server/platform', 'server/config', 'server/site', 'server/app']
/** What operates the product, from bottom to top. It may import the server, and the server never imports it. */
const OPS = ['backup', 'archive', 'doctor', 'commands']
/** What measures, tests and builds the product may import everything. */
const WORKSHOPS = ['lab', 'tests', 'scripts']
/** The former places of commands that operators type or units name. They go with the next release. */
const FORWARDS = /^server\/(verify|migrate-command|backup-command|doctor-command|healthcheck|main)\.ts$/
/** Rooms that import no other room, not even the platform: their results depend on their input alone. */
const PURE = ['strategies']
/** Pure files that may be imported directly: a worker thread loads them without the rest of their room. */
const DIRECT_FILES = ['server/prices/candles/candles.ts', 'server/trading/trade.ts']
/** The web's lower rooms from bottom to top. Features may import all of them; each may import the ones before it. */
const WEB_FLOORS = ['client', 'ui', 'api', 'markets', 'receipts', 'complaints', 'trades', 'alerts', 'backtest']

/**
 * Packages that cost each process of the server 40 to 180 ms and 10 to 30 MB: `await import(…)` where they are used.
 */
const LOADED_WHEN_USED = ['@simplewebauthn/server', '@zxcvbn-ts/language-common', 'file-type', 'nodemailer', 'sharp']

interface Place {
  room: string
  /** Path below the room, to check for `index.ts`. */
  inside: string
}

export function placeOf(file: string): Place {
  const [top = '', second = '', ...rest] = file.split('/')
  if (top === 'server' || top === 'ops') return { room: `${top}/${second}`, inside: rest.join('/') }
  if (top === 'web') {
    if (second === 'trader') return { room: `web/trader/${rest[0]}`, inside: rest.slice(1).join('/') }
    return { room: `web/${second}`, inside: rest.join('/') }
  }
  return { room: top, inside: [second, ...rest].join('/') }
}

/** Returns why `from` may not import `to`, or undefined when it may. */
export function refusal(from: string, to: string): string | undefined {
  const here = placeOf(from)
  const there = placeOf(to)
  if (here.room === there.room || FORWARDS.test(from)) return undefined
  const test = /\.test\.tsx?$/.test(from)

  if (WORKSHOPS.includes(here.room)) return undefined
  if (there.room === 'tests') return test ? undefined : 'only tests import test support'
  if (there.room === 'lab') return 'the product knows no laboratory'
  if (here.room === 'kernel') return 'the kernel imports nothing'
  if (here.room === 'packages') return 'a package works without the rest of this repository'
  if (there.room === 'kernel' || there.room === 'packages') return undefined
  if (here.room === 'contract') return 'the contract imports only the kernel'
  if (there.room === 'contract') return undefined

  if (here.room.startsWith('ops/')) {
    if (there.room.startsWith('web/')) return 'operations import no screens'
    if (there.room.startsWith('ops/') && OPS.indexOf(nameOf(there)) >= OPS.indexOf(nameOf(here)))
      return `imports run downwards: ${here.room} is below ${there.room}`
    return viaIndex(there)
  }
  if (here.room.startsWith('server/')) {
    if (there.room.startsWith('ops/')) return 'the server works without operations'
    if (!there.room.startsWith('server/')) return 'the server does not import the web'
    if (PURE.includes(nameOf(here)) && !test) return `${here.room} is pure: it imports only the contract and the kernel`
    const theirs = SERVER.indexOf(nameOf(there))
    if (here.room === 'server/platform') return 'the platform knows no room'
    if (theirs < 0) return `${there.room} is no room that ${here.room} may know`
    if (theirs >= SERVER.indexOf(nameOf(here))) return `imports run downwards: ${here.room} is below ${there.room}`
    return DIRECT_FILES.includes(to) ? undefined : viaIndex(there)
  }

  if (here.room.startsWith('web/')) {
    if (!there.room.startsWith('web/')) return 'the web imports only the contract and the kernel'
    const mine = WEB_FLOORS.indexOf(nameOf(here))
    const theirs = WEB_FLOORS.indexOf(nameOf(there))
    if (here.room !== 'web/app') {
      if (there.room === 'web/app') return 'features do not know the app'
      if (theirs < 0) return 'features do not know each other'
      if (mine >= 0 && theirs >= mine) return `imports run downwards: ${here.room} is below ${there.room}`
    }
    return ASSET.test(there.inside) ? undefined : viaIndex(there)
  }
  return undefined
}

const nameOf = ({ room }: Place) => room.slice(room.indexOf('/') + 1)

/** Styles and fonts that a build's entry point loads. */
const ASSET = /\.(css|woff2)$/

const viaIndex = (there: Place) =>
  there.inside === 'index.ts' || OPEN.includes(there.room) ? undefined : `${there.room} is entered by its index.ts`

export function sources(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sources(path)
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}

function target(file: string, specifier: string): string | undefined {
  const path = specifier.startsWith('#')
    ? join(ROOT, specifier.slice(1))
    : specifier.startsWith('.')
      ? resolve(dirname(file), specifier)
      : undefined
  if (!path) return undefined
  const clean = path.replace(/\?.*$/, '')
  const found = [clean, `${clean}.ts`, `${clean}.tsx`, join(clean, 'index.ts')].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  )
  return found ? relative(ROOT, found) : undefined
}

/** Returns the packages that this server file imports statically although they must be loaded on first use. */
export function heavyImports(file: string, text: string): string[] {
  if (!file.startsWith('server/') || file.endsWith('.test.ts')) return []
  const statics = [...text.matchAll(/^import (?!type )[^'"]*['"]([^'"]+)['"]/gm)].map((match) => must(match[1]))
  return statics.filter((name) => LOADED_WHEN_USED.includes(name))
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)[^'"\n;]*(?:\{[^}]*\}[^'"\n;]*)?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g

/** Returns what each of our files imports, types and modules that are loaded later included. */
function importsOfAll(): Map<string, string[]> {
  const files = ['kernel', 'contract', 'server', 'ops', 'web', 'tests', 'lab', 'scripts'].flatMap((folder) =>
    sources(join(ROOT, folder)),
  )
  return new Map(
    files.map((file) => [
      relative(ROOT, file),
      [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(
        ([, from, later, effect]) => target(file, from ?? later ?? effect ?? '') ?? [],
      ),
    ]),
  )
}

/** Returns cycles of imports as lists of files that begin and end with the same one; at least one if there is any. */
export function cycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const seen = new Set<string>()
  const path: string[] = []
  function visit(file: string): void {
    const at = path.indexOf(file)
    if (at >= 0) found.push([...path.slice(at), file])
    if (seen.has(file)) return
    seen.add(file)
    path.push(file)
    for (const next of imports.get(file) ?? []) visit(next)
    path.pop()
  }
  for (const file of imports.keys()) visit(file)
  return found
}

interface Figures {
  rooms: number
  floors: number
  arrows: number
}

const serverRoom = (file: string): string | undefined => {
  const { room } = placeOf(file)
  return file.startsWith('server/') && !/\.test\.ts$/.test(file) && !FORWARDS.test(file) ? room : undefined
}

/**
 * Counts the server's rooms, the floors on which their imports put them (a room is above all that it imports), and the
 * pairs of which one imports the other. Tests don't count.
 */
export function figuresOf(imports: ReadonlyMap<string, readonly string[]>): Figures {
  const below = new Map<string, Set<string>>()
  for (const [from, targets] of imports) {
    const room = serverRoom(from)
    if (room === undefined) continue
    const under = below.get(room) ?? new Set()
    for (const to of targets) {
      const other = serverRoom(to)
      if (other !== undefined && other !== room) under.add(other)
    }
    below.set(room, under)
  }
  const floors = new Map<string, number>()
  function floorOf(room: string): number {
    const known = floors.get(room)
    if (known !== undefined) return known
    // A cycle of rooms ends here; it's reported as an import upwards.
    floors.set(room, 1)
    const floor = 1 + Math.max(0, ...[...(below.get(room) ?? [])].map(floorOf))
    floors.set(room, floor)
    return floor
  }
  return {
    rooms: below.size,
    floors: Math.max(...[...below.keys()].map(floorOf)),
    arrows: [...below.values()].reduce((sum, under) => sum + under.size, 0),
  }
}

/** The sentence of ARCHITECTURE.md that has these figures. */
export const figuresText = ({ rooms, floors, arrows }: Figures): string =>
  `${rooms} rooms on ${floors} floors, with ${arrows} arrows between them`

function brokenFigures(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const text = figuresText(figuresOf(imports))
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  return page.includes(text) ? [] : [`ARCHITECTURE.md must say: ${text}`]
}

export function brokenBoundaries(): string[] {
  const imports = importsOfAll()
  const broken = [
    ...cycles(imports).map((files) => `${files.join(' imports ')}: a cycle, even if only of types`),
    ...brokenFigures(imports),
  ]
  for (const [from, targets] of imports) {
    for (const name of heavyImports(from, readFileSync(join(ROOT, from), 'utf8')))
      broken.push(`${from} imports ${name}: load it where it is used, with await import('${name}')`)
    for (const to of targets) {
      const why = refusal(from, to)
      if (why) broken.push(`${from} imports ${to}: ${why}`)
    }
  }
  return broken
}

if (import.meta.main) {
  const broken = brokenBoundaries()
  for (const line of broken) console.error(line)
  process.exit(broken.length === 0 ? 0 : 1)
}
