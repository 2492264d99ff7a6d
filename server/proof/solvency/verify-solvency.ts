import { type KeyObject, verify } from 'node:crypto'
import { must } from '#kernel/must.ts'
import { statementText } from '#packages/verify/solvency.js'
import { type Db, inSnapshot, type Snapshot, sql } from '../../platform/database/db.ts'
import { readKeys } from '../verify-proof.ts'
import { type Entry, entryNodes, previousOf, type SolvencyStatementRow, toSolvencyStatement } from './solvency.ts'
import { rootOfSums, sumTree } from './sum-tree.ts'

interface SolvencyVerdict {
  statements: number
  /** Statements whose entries are still kept. */
  trees: number
  /** The first thing that is wrong; undefined if all is well. */
  broken: string | undefined
}

const ENTRIES_AT_ONCE = 5_000

/**
 * Checks every statement of solvency: its key and signature, and that it follows the one before; and of those whose
 * entries are kept, that the entries lead to the root and add up to the total.
 */
export async function verifySolvencyStatements(db: Db): Promise<SolvencyVerdict> {
  const verdict: SolvencyVerdict = { statements: 0, trees: 0, broken: undefined }
  verdict.broken = await inSnapshot(db, async (snapshot) => {
    await sql`set local statement_timeout = 0`.execute(snapshot)
    const keys = await readKeys(snapshot)
    if (typeof keys === 'string') return keys
    const { rows } = await sql<SolvencyStatementRow>`select * from solvency_statements order by number`.execute(
      snapshot,
    )
    let last: SolvencyStatementRow | undefined
    for (const row of rows) {
      const wrong = await wrongWith(snapshot, row, { last, keys, verdict })
      if (wrong) return `statement ${row.number} of solvency: ${wrong}`
      verdict.statements++
      last = row
    }
    return undefined
  })
  return verdict
}

async function wrongWith(
  db: Snapshot,
  row: SolvencyStatementRow,
  {
    last,
    keys,
    verdict,
  }: { last: SolvencyStatementRow | undefined; keys: Map<string, KeyObject>; verdict: SolvencyVerdict },
): Promise<string | undefined> {
  if (!verify(null, Buffer.from(statementText(toSolvencyStatement(row))), must(keys.get(row.key)), row.signature))
    return 'its signature is wrong'
  if (row.number !== (last?.number ?? 0) + 1 || !row.previous.equals(previousOf(last)))
    return "it doesn't follow the one before"
  const { rows: trees } = await sql<{ secret: Buffer; nodes: Buffer }>`
    select secret, nodes from solvency_trees where number = ${row.number}`.execute(db)
  const tree = trees[0]
  // Of statements from before entries were split, none are kept.
  if (!tree || row.entries === null) return undefined
  const leaves: Buffer[] = []
  for (let after = -1; ; ) {
    const { rows } = await sql<Entry & { position: number }>`
      select * from solvency_entries where number = ${row.number} and position > ${after} order by position
      limit ${ENTRIES_AT_ONCE}`.execute(db)
    const gap = rows.find(({ position }, i) => position !== after + 1 + i)
    if (gap) return `the entry before ${gap.position} is missing`
    leaves.push(await entryNodes(db, tree.secret, rows, tree.nodes))
    after += rows.length
    if (rows.length < ENTRIES_AT_ONCE) {
      if (after + 1 !== row.entries) return `it has ${after + 1} entries instead of ${row.entries}`
      break
    }
  }
  const nodes = await sumTree(Buffer.concat(leaves))
  const root = rootOfSums(nodes)
  if (!root.hash.equals(row.root)) return "its root doesn't follow from its entries"
  if (root.sum !== row.total) return "its total isn't the sum of its entries"
  if (!nodes.equals(tree.nodes)) return 'its stored tree was changed'
  verdict.trees++
  return undefined
}
