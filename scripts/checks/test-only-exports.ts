/**
 * Keeps tests at the public functions: at most 62 exports of the product are imported by tests and the laboratory only.
 * Test through a function that the product uses, or move a helper of tests to `tests/support`.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'
import { walk } from './named-files.ts'

const MOST = 62

const CODE = /(?<!\.d)\.(tsx?|m?js)$/
const PRODUCT = /^(kernel|contract|server|ops|web)\//
const TEST = /^(tests|lab)\/|\.test\.tsx?$/
/** React Router finds these in a screen's file by their names. */
const OF_SCREENS = /^(default|meta|handle|links)$/
/** The name of all exports at once: `import * as`, `import()` and `export *`. */
const ALL = '*'

/** A name in another file. */
interface Reference {
  file: string
  name: string
}

interface Module {
  imports: Reference[]
  exports: string[]
  /** What the file exports of other files, under the name `as`. */
  passedOn: (Reference & { as: string })[]
}

/** Returns the path, from the root, of the module that `from` imports as `request`. */
const pathOf = (from: string, request: string): string =>
  request.startsWith('#') ? request.slice(1) : join(dirname(from), request)

/** Returns what a file imports and exports. */
export function moduleIn(file: string, code: string): Module {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module
  const named = ({ kind, name }: { kind: string; name?: string | null }) =>
    kind === 'Name' ? (name ?? ALL) : kind === 'Default' ? 'default' : ALL
  const exported = staticExports.flatMap(({ entries }) => entries)
  return {
    imports: [
      ...staticImports.flatMap(({ moduleRequest, entries }) =>
        entries.map(({ importName }) => ({ file: pathOf(file, moduleRequest.value), name: named(importName) })),
      ),
      ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
        file: pathOf(file, code.slice(start + 1, end - 1)),
        name: ALL,
      })),
    ],
    exports: [...new Set(exported.flatMap((one) => (one.moduleRequest ? [] : [named(one.exportName)])))],
    passedOn: exported.flatMap(({ moduleRequest, importName, exportName }) =>
      moduleRequest
        ? [{ file: pathOf(file, moduleRequest.value), name: named(importName), as: named(exportName) }]
        : [],
    ),
  }
}

/** Returns the product's exports that tests import, but no other file does, directly or through a file that passes them on. */
export function testOnly(modules: ReadonlyMap<string, Module>): Reference[] {
  const used = { byProduct: new Set<string>(), byTests: new Set<string>() }
  function use({ file, name }: Reference, names: Set<string>): void {
    const module = modules.get(file)
    if (!module || names.has(`${file} ${name}`)) return
    names.add(`${file} ${name}`)
    if (name === ALL) for (const one of module.exports) names.add(`${file} ${one}`)
    for (const passed of module.passedOn)
      if (name === ALL || passed.as === name) use(passed, names)
      else if (passed.as === ALL) use({ file: passed.file, name }, names)
  }
  for (const [file, { imports }] of modules)
    for (const reference of imports) use(reference, TEST.test(file) ? used.byTests : used.byProduct)
  return [...modules]
    .filter(([file]) => PRODUCT.test(file) && !TEST.test(file))
    .flatMap(([file, { exports }]) => exports.map((name) => ({ file, name })))
    .filter(({ file, name }) => used.byTests.has(`${file} ${name}`) && !used.byProduct.has(`${file} ${name}`))
    .filter(({ name }) => !OF_SCREENS.test(name))
}

if (import.meta.main) {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  const files = walk().filter((file) => CODE.test(file))
  const found = testOnly(new Map(files.map((file) => [file, moduleIn(file, read(file))])))
  if (found.length > MOST) {
    process.exitCode = 1
    console.log(`${found.length} exports are used by tests only, at most ${MOST} may be:`)
    for (const { file, name } of found) console.log(`${file} ${name}`)
  }
}
