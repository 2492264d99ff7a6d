/**
 * `node scripts/settings.ts` writes docs/operations/settings.md: every setting with its default, from the comments of
 * server/config/config.ts. `--check` writes nothing, and fails when the page differs or a setting has no comment.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ESTree, parseSync } from 'vite'

const CONFIG = fileURLToPath(new URL('../server/config/config.ts', import.meta.url))
const PAGE = fileURLToPath(new URL('../docs/operations/settings.md', import.meta.url))

interface Setting {
  name: string
  default: string
  does: string
  /** Whether `…_FILE` may name a file that holds it. */
  isSecret: boolean
}

const HEAD = `# Settings

All settings are environment variables, read in \`server/config/config.ts\`. This page is made from it by \`node scripts/settings.ts\`. A setting marked *secret* can also be read from a file, which \`…_FILE\` names: \`DATABASE_URL_FILE=/run/secrets/database\`. Unknown or invalid values stop the start with a message that names the variable.

| variable | default | what it does |
|---|---|---|
`

/** Returns the settings of a source file like server/config/config.ts, in its order. */
export function settingsIn(text: string): Setting[] {
  const { program, comments } = parseSync('config.ts', text)
  const initialOf = (name: string) => {
    for (const statement of program.body) {
      const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
      if (declared?.type !== 'VariableDeclaration') continue
      for (const { id, init } of declared.declarations) if (id.type === 'Identifier' && id.name === name) return init
    }
    return undefined
  }
  const schema = initialOf('Settings')
  const secrets = initialOf('SECRETS')
  const secretsText = secrets ? text.slice(secrets.start, secrets.end) : ''
  const object = schema?.type === 'CallExpression' ? schema.arguments[0] : undefined
  if (object?.type !== 'ObjectExpression') throw new Error('there are no Settings = z.object({…})')
  return object.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') return []
    const { name } = property.key
    const comment = comments.findLast(
      ({ end, type }) => type === 'Block' && end < property.start && /^\s*$/.test(text.slice(end, property.start)),
    )
    return [
      {
        name,
        default: defaultOf(property.value, text),
        does: (comment?.value ?? '').replaceAll(/\s*\n?\s*\*+\s?/g, ' ').trim(),
        isSecret: secretsText.includes(`'${name}'`),
      },
    ]
  })
}

function defaultOf(value: ESTree.Node, text: string): string {
  if (value.type !== 'CallExpression') return 'none'
  const given = value.arguments[1]
  if (!text.slice(value.callee.start, value.callee.end).endsWith('_default') || !given) return 'none'
  const written = text.slice(given.start, given.end)
  if (given.type === 'Literal')
    return typeof given.value === 'boolean' ? (given.value ? 'on' : 'off') : `${given.value}`
  if (written === '[...ALL_ROLES]') return 'engine,web'
  return 'none'
}

export function pageOf(settings: readonly Setting[]): string {
  const cell = (words: string) => words.replaceAll('|', '\\|')
  const rows = settings.map(
    ({ name, default: value, does, isSecret }) =>
      `| \`${name}\`${isSecret ? ' *secret*' : ''} | ${value === 'none' ? 'none' : `\`${cell(value)}\``} | ${cell(does)} |`,
  )
  return `${HEAD}${rows.join('\n')}\n`
}

if (import.meta.main) {
  const settings = settingsIn(readFileSync(CONFIG, 'utf8'))
  const silent = settings.filter(({ does }) => does === '').map(({ name }) => `${name} has no comment`)
  const page = pageOf(settings)
  if (!process.argv.includes('--check')) writeFileSync(PAGE, page)
  else if (readFileSync(PAGE, 'utf8') !== page)
    silent.push('docs/operations/settings.md is old: run node scripts/settings.ts')
  for (const line of silent) console.error(line)
  process.exit(silent.length === 0 ? 0 : 1)
}
