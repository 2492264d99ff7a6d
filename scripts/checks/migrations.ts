/**
 * Checks that each migration after the baseline can run while nodes of the previous version keep working: it takes no
 * long locks and changes nothing that they use. Parses the statements with PostgreSQL's own parser and rejects any that
 * it doesn't know. Exceptions are listed here, each with its reason.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadModule, parseSync } from 'libpg-query'
import { first, last, must } from '#kernel/must.ts'
import { concurrentStatements } from '#server/platform/database/migrate.ts'

const FOLDER = fileURLToPath(new URL('../../db/migrations', import.meta.url))

/** The schema of 0.1.0, the first release: earlier migrations meet no running node. */
const BASELINE = 179

/** Statements that this check rejects but that are safe: the migration, the rule, and the reason. */
const EXCEPTIONS: readonly Exception[] = [
  {
    migration: '0185_expired_grants',
    rule: 'unknown',
    because: 'The triggers refuse what no node does: nodes insert keys, and only `npm run archive` deletes some.',
  },
  {
    migration: '0184_pauses_after_sales',
    rule: 'contract',
    because: 'It allows every pause that the one before allowed, and those after a sale below the stake.',
  },
  {
    migration: '0180_closed_accounts_trade_nothing',
    rule: 'lock',
    because: 'It changes only the rows of accounts that are closed, which nobody uses.',
  },
  {
    migration: '0180_closed_accounts_trade_nothing',
    rule: 'unknown',
    because: 'The trigger fires only where an account is closed, and locks two rows by their keys.',
  },
]

interface Migration {
  name: string
  sql: string
}

interface Exception {
  migration: string
  rule: Rule
  because: string
}

const ADVICE = {
  lock: 'It blocks reads or writes of a table in use for as long as it takes.',
  contract:
    "It breaks nodes that don't know it. Do it one version after the code stopped needing it, with insert into schema_needs (migration, needs).",
  unknown: 'This check does not know whether it is safe. Add an exception with the reason.',
  apart: 'A file with CONCURRENTLY runs outside of a transaction. Give such statements a file of their own.',
  repeat: 'It may fail half-way and leave an invalid index. Put drop index concurrently if exists before it.',
  needs: 'The row of schema_needs must hold this migration and an earlier one.',
  name: 'Name it NNNN_what_changes.sql.',
} as const
export type Rule = keyof typeof ADVICE

interface Finding {
  migration: string
  line: number
  rule: Rule
  says: string
}

type Tree = { [key: string]: unknown }

/** Returns what is wrong with the migrations above `baseline`. Earlier ones are read only to learn what exists. */
export function unsafeIn(migrations: readonly Migration[], baseline = BASELINE): Finding[] {
  const known: Known = { domains: new Set(), functions: new Map() }
  return migrations.flatMap((migration, at) => {
    const number = Number(/^(\d{4})_\w+$/.exec(migration.name)?.[1])
    const checked = !(number <= baseline)
    const findings: Finding[] = []
    const file = new File(migration, migrations.slice(0, at), known, (line, rule, says) => {
      findings.push({ migration: migration.name, line, rule, says })
    })
    if (Number.isNaN(number)) findings.push({ migration: migration.name, line: 1, rule: 'name', says: 'its name' })
    file.check()
    return checked ? findings : []
  })
}

/** What earlier migrations have created. */
interface Known {
  domains: Set<string>
  /** The parameter and return types of each function's versions. */
  functions: Map<string, Set<string>>
}

class File {
  readonly #created = new Set<string>()
  readonly #addedColumns = new Set<string>()
  readonly #unproven = new Set<string>()
  #rebuilt: string | undefined
  #line = 1
  #breaking: (() => void)[] = []
  #needs = false

  readonly #migration: Migration
  readonly #earlier: readonly Migration[]
  readonly #known: Known
  readonly #report: (line: number, rule: Rule, says: string) => void

  constructor(
    migration: Migration,
    earlier: readonly Migration[],
    known: Known,
    report: (line: number, rule: Rule, says: string) => void,
  ) {
    this.#migration = migration
    this.#earlier = earlier
    this.#known = known
    this.#report = report
  }

  check(): void {
    const { sql } = this.#migration
    const bytes = Buffer.from(sql)
    const isConcurrent = concurrentStatements(sql) !== undefined
    const { stmts } = parseSync(sql) as unknown as { stmts?: { stmt: Tree; stmt_location?: number }[] }
    for (const { stmt, stmt_location } of stmts ?? []) {
      const before = bytes.subarray(0, stmt_location ?? 0).toString()
      const gap = must(/^(\s|--.*\n?)*/.exec(sql.slice(before.length)))[0]
      this.#line = (before + gap).split('\n').length
      const [[kind, tree]] = Object.entries(stmt) as [[string, Tree]]
      const concurrent = tree.concurrent === true
      if (isConcurrent && !concurrent) this.#says('apart', `${kind} in a file with CONCURRENTLY`)
      this.#statement(kind, tree, concurrent)
    }
    if (!this.#needs) for (const breaks of this.#breaking) breaks()
  }

  #says(rule: Rule, says: string): void {
    const line = this.#line
    if (rule === 'contract') this.#breaking.push(() => this.#report(line, rule, says))
    else this.#report(line, rule, says)
  }

  #statement(kind: string, tree: Tree, concurrent: boolean): void {
    switch (kind) {
      case 'CreateStmt':
        this.#created.add(relationOf(tree))
        if (tree.inhRelations) this.#says('lock', `a partition or child of another table, ${relationOf(tree)}`)
        break
      case 'CreateTableAsStmt':
        this.#says('unknown', 'create table as')
        break
      case 'IndexStmt':
        this.#createIndex(tree, concurrent)
        break
      case 'DropStmt':
        this.#drop(tree, concurrent)
        break
      case 'AlterTableStmt':
        this.#alterTable(tree)
        break
      case 'RenameStmt':
        if (!this.#created.has(relationOf(tree))) this.#says('contract', `rename to ${tree.newname}`)
        break
      case 'CreateFunctionStmt':
        this.#createFunction(tree)
        break
      case 'CreateTrigStmt':
        if (!this.#created.has(relationOf(tree)))
          this.#says('unknown', `a trigger on ${relationOf(tree)}, which nodes write to`)
        break
      case 'AlterEnumStmt':
        if (tree.oldVal !== undefined) this.#says('contract', `rename value ${tree.oldVal}`)
        break
      case 'CreateDomainStmt':
        this.#known.domains.add(lastName(tree.domainname))
        break
      case 'AlterDomainStmt':
        this.#says('contract', `alter domain ${lastName(tree.typeName)}`)
        break
      case 'GrantStmt':
        if (tree.is_grant !== true) this.#says('contract', 'revoke')
        break
      case 'InsertStmt':
        this.#insert(tree)
        break
      case 'UpdateStmt':
      case 'DeleteStmt':
        this.#says('lock', `${kind === 'UpdateStmt' ? 'update' : 'delete from'} ${relationOf(tree)} in one piece`)
        break
      case 'TruncateStmt':
        this.#says('contract', 'truncate')
        break
      case 'LockStmt':
      case 'ClusterStmt':
      case 'VacuumStmt':
        this.#says('lock', kind.replace('Stmt', '').toLowerCase())
        break
      case 'ReindexStmt':
        this.#says('lock', 'reindex; create a second index concurrently instead')
        break
      case 'DoStmt':
        this.#says('unknown', 'a do block')
        break
      case 'CreateEnumStmt':
      case 'CreateSeqStmt':
      case 'CreateStatsStmt':
      case 'DefineStmt':
      case 'CompositeTypeStmt':
      case 'CommentStmt':
        break
      default:
        this.#says('unknown', kind.replace('Stmt', ''))
        break
    }
  }

  #createIndex(tree: Tree, concurrent: boolean): void {
    const name = String(tree.idxname)
    if (!concurrent) {
      if (!this.#created.has(relationOf(tree))) this.#says('lock', `create index ${name} without CONCURRENTLY`)
    } else if (this.#rebuilt !== name) this.#says('repeat', `create index concurrently ${name}`)
  }

  #drop(tree: Tree, concurrent: boolean): void {
    const what = String(tree.removeType).replace('OBJECT_', '').toLowerCase()
    const names = (tree.objects as Tree[]).map(lastNameOf)
    if (what === 'index') {
      // Makes statements slower, but not wrong.
      if (!concurrent) this.#says('lock', `drop index ${names.join()} without CONCURRENTLY`)
      else if (tree.missing_ok === true) this.#rebuilt = names[0]
      return
    }
    this.#says('contract', `drop ${what} ${names.join()}`)
  }

  #createFunction(tree: Tree): void {
    const name = lastName(tree.funcname)
    const versions = this.#known.functions.get(name)
    const signature = signatureOf(tree)
    this.#known.functions.set(name, new Set([...(versions ?? []), signature]))
    if (versions && !versions.has(signature)) this.#says('contract', `another signature of the function ${name}`)
  }

  #insert(tree: Tree): void {
    const table = relationOf(tree)
    const rows = (tree.selectStmt as { SelectStmt?: { valuesLists?: { List: { items: Tree[] } }[] } } | undefined)
      ?.SelectStmt?.valuesLists
    if (table === 'schema_needs') {
      const [own, needs, ...others] = rows?.length === 1 ? first(rows).List.items.map(textOf) : []
      this.#needs = true
      const isRight =
        own === this.#migration.name && others.length === 0 && this.#earlier.some(({ name }) => name === needs)
      if (!isRight) this.#says('needs', 'insert into schema_needs')
    } else if (!rows && !this.#created.has(table)) this.#says('lock', `insert into ${table} select`)
  }

  #alterTable(tree: Tree): void {
    const table = relationOf(tree)
    const isNew = this.#created.has(table)
    for (const cmd of (tree.cmds as { AlterTableCmd: Tree }[]).map(({ AlterTableCmd }) => AlterTableCmd)) {
      if (isNew) continue
      const kind = String(cmd.subtype).replace('AT_', '')
      const name = `${table}.${cmd.name}`
      const definition = cmd.def as { ColumnDef?: Tree; Constraint?: Tree } | undefined
      if (kind === 'AddColumn') this.#addColumn(table, must(must(definition).ColumnDef))
      else if (kind === 'AddConstraint') this.#addConstraint(table, must(must(definition).Constraint))
      else if (kind === 'ValidateConstraint') {
        if (this.#unproven.has(String(cmd.name)))
          this.#says('lock', `validate ${cmd.name} in the transaction that added it; validate it in a later file`)
      } else if (kind === 'ColumnDefault') {
        if (!cmd.def) this.#says('contract', `drop the default of ${name}`)
      } else if (['SetStatistics', 'SetRelOptions', 'ResetRelOptions'].includes(kind)) continue
      else if (kind === 'DropColumn') this.#says('contract', `drop ${name}`)
      else if (kind === 'DropConstraint') continue
      else if (kind === 'DropNotNull') this.#says('contract', `${name} may be null`)
      else if (kind === 'SetNotNull') {
        this.#says('lock', `set not null of ${name} reads the whole table; add a not null constraint NOT VALID`)
      } else if (kind === 'AlterColumnType') {
        this.#says('lock', `another type of ${name}`)
        this.#says('contract', `another type of ${name}`)
      } else this.#says('unknown', `alter table ${table}: ${kind}`)
    }
  }

  #addColumn(table: string, column: Tree): void {
    const name = `${table}.${column.colname}`
    this.#addedColumns.add(String(column.colname))
    const type = lastName((column.typeName as Tree).names)
    if (this.#known.domains.has(type)) this.#says('lock', `the domain ${type} rewrites ${table}; use its base type`)
    if (/^(small|big)?serial\d?$/.test(type)) this.#says('lock', `${type} of ${name} rewrites the table`)
    const kinds = new Map(
      ((column.constraints ?? []) as { Constraint: Tree }[]).map(({ Constraint }) => [
        String(Constraint.contype).replace('CONSTR_', ''),
        Constraint,
      ]),
    )
    const fallback = kinds.get('DEFAULT')?.raw_expr as Tree | undefined
    if (kinds.has('NOTNULL') && !fallback)
      this.#says('contract', `${name} is not null and has no default: nodes that don't know it can't insert`)
    if (fallback && !isStable(fallback)) this.#says('lock', `the volatile default of ${name} rewrites the table`)
    for (const kind of kinds.keys()) {
      if (['IDENTITY', 'GENERATED'].includes(kind)) this.#says('lock', `${name} rewrites the table`)
      if (['PRIMARY', 'UNIQUE', 'CHECK'].includes(kind) || (kind === 'FOREIGN' && fallback))
        this.#says('lock', `${kind.toLowerCase()} of ${name} reads the whole table; add it as a constraint NOT VALID`)
    }
  }

  #addConstraint(table: string, constraint: Tree): void {
    const kind = String(constraint.contype).replace('CONSTR_', '')
    const name = `${constraint.conname ?? kind.toLowerCase()} of ${table}`
    this.#unproven.add(String(constraint.conname))
    if (['PRIMARY', 'UNIQUE'].includes(kind)) {
      if (!constraint.indexname) this.#says('lock', `${name}: create its index concurrently, then add it USING INDEX`)
    } else if (constraint.skip_validation !== true) this.#says('lock', `${name} without NOT VALID`)
    const columns = columnsOf(constraint)
    if (!columns.every((column) => this.#addedColumns.has(column)))
      this.#says('contract', `${name} refuses rows that older nodes may write`)
  }
}

const relationOf = (tree: Tree): string => String((tree.relation as Tree | undefined)?.relname)

function lastName(names: unknown): string {
  return textOf(last(names as Tree[])) ?? ''
}

/** The name in one entry of a DROP. */
function lastNameOf(entry: Tree): string {
  const [inner] = Object.values(entry) as [Tree]
  return lastName(inner.items ?? inner.objname ?? inner.names ?? [{ String: inner }])
}

function textOf(node: Tree): string | undefined {
  const inner = (node.String ?? node.A_Const) as { sval?: string | { sval?: string } } | undefined
  return typeof inner?.sval === 'object' ? inner.sval.sval : inner?.sval
}

/** Whether a default has the same value for all rows, so that adding the column rewrites no table. */
function isStable(expression: Tree): boolean {
  const [[kind, tree]] = Object.entries(expression) as [[string, Tree]]
  if (kind === 'A_Const' || kind === 'SQLValueFunction') return true
  if (kind === 'TypeCast') return isStable(tree.arg as Tree)
  if (kind === 'A_ArrayExpr') return ((tree.elements ?? []) as Tree[]).every(isStable)
  return kind === 'FuncCall' && lastName(tree.funcname) === 'now'
}

function columnsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(columnsOf)
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'ColumnRef') return [lastName((value as Tree).fields)]
    if (key === 'keys' || key === 'fk_attrs') return (value as Tree[]).map((name) => textOf(name) ?? '')
    return columnsOf(value)
  })
}

function signatureOf({ parameters, returnType }: Tree): string {
  return JSON.stringify([parameters ?? [], returnType], (key, value: unknown) =>
    key === 'location' || key === 'name' ? undefined : value,
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await loadModule()
  const migrations = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: basename(file, '.sql'), sql: readFileSync(`${FOLDER}/${file}`, 'utf8') }))
  const findings = unsafeIn(migrations)
  const excepts = (exception: Exception, { migration, rule }: Finding) =>
    exception.migration === migration && exception.rule === rule
  for (const finding of findings) {
    if (EXCEPTIONS.some((exception) => excepts(exception, finding))) continue
    const { migration, line, rule, says } = finding
    console.error(`db/migrations/${migration}.sql:${line}: ${says}. ${ADVICE[rule]}`)
    process.exitCode = 1
  }
  for (const exception of EXCEPTIONS) {
    if (findings.some((finding) => excepts(exception, finding))) continue
    console.error(
      `scripts/checks/migrations.ts: the exception of ${exception.migration} (${exception.rule}) is not needed.`,
    )
    process.exitCode = 1
  }
}
