/**
 * Migrates an empty database and writes `db/schema.sql` (the resulting schema, for readers and reviewers) and
 * `server/platform/database/db-types.ts` (its types for Kysely). `--check` writes nothing, and fails when the committed files
 * don't match the migrations.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '#server/platform/database/migrate.ts'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { provision } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'

const FILES = {
  schema: new URL('../db/schema.sql', import.meta.url),
  types: new URL('../server/platform/database/db-types.ts', import.meta.url),
}

/** Operators add values to these types (price lists), so their values aren't those of the migrations. */
const PAIRS: Record<string, string> = { strike_rate: 'StrikeRate', automatic_strike_rate: 'StrikeChoice' }

const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-schema-'))
const postgres = await startEmbedded({ dataDir, log: createLog('error'), unsafeFast: true })
try {
  const urls = await provision(postgres.superUrl, dataDir)
  await migrate(urls.owner)
  const client = new pg.Client({ connectionString: urls.owner })
  await client.connect()
  const made = { schema: await schemaSql(client), types: await kyselyTypes(client) }
  await client.end()
  if (process.argv.includes('--check')) {
    for (const [name, text] of Object.entries(made)) {
      const file = FILES[name as keyof typeof FILES]
      if (readFileSync(file, 'utf8') === text) continue
      console.error(
        `${file.pathname.split('/').slice(-2).join('/')} is not what the migrations make: run npm run db:dump`,
      )
      process.exitCode = 1
    }
  } else {
    writeFileSync(FILES.schema, made.schema)
    writeFileSync(FILES.types, made.types)
  }
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function schemaSql(client: pg.Client): Promise<string> {
  const parts = ['-- Made by `npm run db:dump` from db/migrations; do not edit.\n']
  const lines = async (query: string, values: unknown[] = []) =>
    (await client.query<{ line: string }>(query, values)).rows.map((row) => row.line)

  const enums = await lines(`
    select format(E'create type %I as enum (%s);\\n', t.typname, string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)) as line
    from pg_type t join pg_enum e on e.enumtypid = t.oid group by t.typname order by t.typname`)
  const domains = await lines(`
    select format(E'create domain %I as %s%s;\\n', t.typname, format_type(t.typbasetype, t.typtypmod),
        (select string_agg(' ' || pg_get_constraintdef(c.oid), '' order by c.conname) from pg_constraint c where c.contypid = t.oid)) as line
    from pg_type t join pg_namespace n on n.oid = t.typnamespace where n.nspname = 'public' and t.typtype = 'd' order by t.typname`)
  parts.push(...enums, ...domains)

  const sequences = await lines(`
    select format(E'create sequence %I as %s increment %s minvalue %s maxvalue %s start %s cache %s%s;\\n', c.relname, format_type(s.seqtypid, null),
        s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache, case when s.seqcycle then ' cycle' else '' end) as line
    from pg_class c join pg_sequence s on s.seqrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('i', 'a')) order by c.relname`)
  parts.push(...sequences)

  const functions = await lines(`
    select pg_get_functiondef(p.oid) || E';\\n' as line from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'public' and p.prokind = 'f' order by p.proname`)
  const aggregates = await lines(`
    select format(E'create aggregate %I(%s) (sfunc = %s, stype = %s, initcond = %L);\\n', p.proname, pg_get_function_arguments(p.oid),
      a.aggtransfn, format_type(a.aggtranstype, null), a.agginitval) as line
    from pg_proc p join pg_aggregate a on a.aggfnoid = p.oid join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'public' order by p.proname`)
  parts.push(...aggregates, ...functions)

  const tables = await client.query<{ name: string; oid: number; options: string | null }>(`
    select c.relname as name, c.oid, array_to_string(c.reloptions, ', ') as options
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> 'migrations' order by c.relname`)
  for (const table of tables.rows) {
    const columns = await lines(
      `select format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attidentity <> '' then ' generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity' else '' end,
        case when a.attnotnull then ' not null' else '' end,
        coalesce(case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
          else ' default ' || pg_get_expr(d.adbin, d.adrelid) end, '')) as line
       from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
      [table.oid],
    )
    const constraints = await lines(
      `select format('  constraint %I %s', conname, pg_get_constraintdef(oid)) as line from pg_constraint
       where conrelid = $1 and contype <> 'n' order by contype desc, conname`,
      [table.oid],
    )
    const options = table.options ? ` with (${table.options})` : ''
    parts.push(`create table ${table.name} (\n${[...columns, ...constraints].join(',\n')}\n)${options};`)
    parts.push(
      ...(await lines(
        `select pg_get_indexdef(i.indexrelid) || ';' as line from pg_index i
         where i.indrelid = $1 and not exists (select from pg_constraint c where c.conindid = i.indexrelid) order by 1`,
        [table.oid],
      )),
      ...(await lines(
        `select pg_get_triggerdef(oid) || ';' as line from pg_trigger where tgrelid = $1 and not tgisinternal order by tgname`,
        [table.oid],
      )),
      ...(await lines(
        `select format('grant %s on %I to cleartick_app;', lower(string_agg(privilege_type, ', ' order by privilege_type)), $1::text) as line
         from information_schema.role_table_grants where table_name = $1 and grantee = 'cleartick_app' having count(*) > 0`,
        [table.name],
      )),
      // Privileges on single columns, without those that the table's own imply.
      ...(await lines(
        `select format('grant %s (%s) on %I to cleartick_app;', lower(privilege_type), string_agg(column_name, ', ' order by column_name), $1::text) as line
         from information_schema.role_column_grants c where table_name = $1 and grantee = 'cleartick_app' and not exists (
           select from information_schema.role_table_grants t
           where t.table_name = c.table_name and t.grantee = c.grantee and t.privilege_type = c.privilege_type)
         group by privilege_type order by privilege_type`,
        [table.name],
      )),
      '',
    )
  }
  return `${parts.join('\n').trimEnd()}\n`
}

async function kyselyTypes(client: pg.Client): Promise<string> {
  const columns = await client.query<{
    table_name: string
    column_name: string
    type: string
    nullable: boolean
    optional: boolean
    always: boolean
    labels: string | null
  }>(`
    select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type,
      not a.attnotnull as nullable, (not a.attnotnull or a.atthasdef or a.attidentity <> '') as optional,
      (a.attidentity = 'a' or a.attgenerated <> '') as always,
      (select string_agg(quote_literal(e.enumlabel), ' | ' order by e.enumsortorder) from pg_enum e where e.enumtypid = a.atttypid) as labels
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> 'migrations' and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`)
  const byTable = Map.groupBy(columns.rows, (row) => row.table_name)
  const tables = [...byTable].map(([name, rows]) => {
    const fields = rows.map((row) => {
      const base = PAIRS[row.type] ?? row.labels ?? typeOf(row.type)
      const type = row.nullable ? `${base} | null` : base
      const wrapped = row.always
        ? `GeneratedAlways<${type}>`
        : row.optional && !row.nullable
          ? `Generated<${type}>`
          : type
      return `    ${row.column_name}: ${wrapped}`
    })
    return `  ${name}: {\n${fields.join('\n')}\n  }`
  })
  const used = ['Generated', 'GeneratedAlways'].filter((name) => tables.some((table) => table.includes(`${name}<`)))
  const imports = [
    ...(used.length ? [`import type { ${used.join(', ')} } from 'kysely'\n`] : []),
    "import type { OperatorRole, StrategyKey, StrikeChoice, StrikeRate } from '#contract/terms.ts'\n",
    "import type { Usd } from '#kernel/money.ts'\n",
  ]
  return `/** Made by \`npm run db:dump\` from the migrated schema; do not edit. */\n${imports.join('')}\nexport interface DB {\n${tables.join('\n')}\n}\n`
}

function typeOf(type: string): string {
  if (type.endsWith('[]')) return `${typeOf(type.slice(0, -2))}[]`
  switch (type) {
    case 'bigint':
      return 'bigint'
    case 'cents':
      return 'Usd'
    case 'strategy_key':
      return 'StrategyKey'
    case 'operator_roles':
      return 'OperatorRole[]'
    case 'smallint':
    case 'integer':
    case 'double precision':
    case 'real':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'bytea':
      return 'Buffer'
    case 'timestamp with time zone':
      return 'Date'
    case 'jsonb':
    case 'json':
      return 'unknown'
    default:
      return 'string'
  }
}
