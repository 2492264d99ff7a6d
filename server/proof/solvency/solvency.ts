import { createHmac, hash, randomBytes } from 'node:crypto'
import { assert } from '#kernel/assert.ts'
import { type Usd, usdToText } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { entryText, type SolvencyProof, type SolvencyStatement, statementText } from '#packages/verify/solvency.js'
import { emailsOf } from '../../identity/index.ts'
import { type Owed, owedToTraders } from '../../ledger/index.ts'
import { type Db, inSnapshot, inTransaction, type Snapshot, sql } from '../../platform/database/db.ts'
import { type ProofKey, publishKey } from '../key.ts'
import { entryNode, NODE_BYTES, pathIn, readNode, rootOfSums, sumTree } from './sum-tree.ts'

/** Statements whose entries are kept, so that traders can still ask for their proof. */
const KEPT = 31
const ROWS_AT_ONCE = 500

export interface StatementRow {
  number: number
  t: bigint
  traders: number
  total: Usd
  root: Buffer
  previous: Buffer
  key: string
  signature: Buffer
}

interface Built {
  t: number
  secret: Buffer
  entries: Owed[]
  nodes: Buffer
}

/** Makes, signs and stores a statement of the total owed to all traders, from one snapshot. Returns its number. */
export async function makeStatement(db: Db, key: ProofKey): Promise<number> {
  const built = await inSnapshot(db, build)
  assert(await publishKey(db, key), 'a statement is signed by a key that counts')
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<StatementRow>`select * from solvency_statements order by number desc limit 1`.execute(tx)
    const last = rows[0]
    const root = rootOfSums(built.nodes)
    const statement = {
      number: (last?.number ?? 0) + 1,
      time: built.t,
      accounts: built.entries.length,
      total: usdToText(root.sum as Usd),
      root: root.hash.toString('hex'),
      previous: previousOf(last).toString('hex'),
    }
    const { number } = statement
    // Of two at the same time, the second fails here.
    await sql`
      insert into solvency_statements (number, t, traders, total, root, previous, key, signature)
      values (${number}, ${statement.time}, ${statement.accounts}, ${root.sum}, ${root.hash},
        ${Buffer.from(statement.previous, 'hex')}, ${key.id}, ${key.sign(statementText(statement))})`.execute(tx)
    await sql`insert into solvency_trees (number, secret, nodes) values (${number}, ${built.secret}, ${built.nodes})`.execute(
      tx,
    )
    for (let from = 0; from < built.entries.length; from += ROWS_AT_ONCE) {
      const page = built.entries.slice(from, from + ROWS_AT_ONCE)
      await sql`
        insert into solvency_entries (number, user_id, position, available, staked, held)
        select ${number}, e.user_id, ${from} + e.place - 1, e.available, e.staked, e.held
        from unnest(${page.map((one) => one.user_id)}::bigint[], ${page.map((one) => one.available)}::bigint[],
          ${page.map((one) => one.staked)}::bigint[], ${page.map((one) => one.held)}::bigint[])
          with ordinality as e(user_id, available, staked, held, place)`.execute(tx)
    }
    await sql`delete from solvency_trees where number <= ${number - KEPT}`.execute(tx)
    return number
  })
}

async function build(snapshot: Snapshot): Promise<Built> {
  // It locks nothing, and hashes a million entries in between.
  await sql`set local idle_in_transaction_session_timeout = '1min'`.execute(snapshot)
  const { rows } = await sql<{ t: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as t`.execute(snapshot)
  const secret = randomBytes(32)
  const entries: Owed[] = []
  const leaves: Buffer[] = []
  for await (const page of owedToTraders(snapshot, secret)) {
    leaves.push(await entryNodes(snapshot, secret, page))
    entries.push(...page)
  }
  return { t: first(rows).t, secret, entries, nodes: await sumTree(Buffer.concat(leaves)) }
}

/** Returns the entries of these traders, one after the other. */
export async function entryNodes(db: Snapshot, secret: Buffer, page: readonly Owed[]): Promise<Buffer> {
  const emails = await emailsOf(
    db,
    page.map(({ user_id }) => user_id),
  )
  return Buffer.concat(
    page.map((one) =>
      entryNode(entryText(entryOf(one, emails.get(one.user_id) ?? '', secret)), one.available + one.staked + one.held),
    ),
  )
}

const entryOf = (
  owed: Owed,
  account: string,
  secret: Buffer,
): Pick<SolvencyProof, 'account' | 'nonce' | 'balances'> => ({
  account,
  nonce: createHmac('sha256', secret).update(String(owed.user_id)).digest('hex'),
  balances: {
    available: usdToText(owed.available),
    open_trades: usdToText(owed.staked),
    withdrawals: usdToText(owed.held),
  },
})

export const previousOf = (last: StatementRow | undefined): Buffer =>
  last ? hash('sha256', statementText(toStatement(last)), 'buffer') : Buffer.alloc(32)

export const toStatement = (row: StatementRow): SolvencyStatement => ({
  number: row.number,
  time: Number(row.t),
  accounts: row.traders,
  total: usdToText(row.total),
  root: row.root.toString('hex'),
  previous: row.previous.toString('hex'),
  key: row.key,
  signature: row.signature.toString('hex'),
})

/** Returns the newest statement, or undefined before the first. */
export async function newestStatement(db: Db): Promise<SolvencyStatement | undefined> {
  const { rows } = await sql<StatementRow>`select * from solvency_statements order by number desc limit 1`.execute(db)
  return rows[0] && toStatement(rows[0])
}

/**
 * Returns the newest statement, and a user's proof that their balances are part of it: none if nothing was owed to them.
 */
export async function solvencyOf(
  db: Db,
  userId: bigint,
): Promise<{ statement: SolvencyStatement | null; proof: SolvencyProof | null }> {
  return inSnapshot(db, async (snapshot) => {
    const { rows } = await sql<StatementRow & Pick<Owed, 'user_id'> & { public_key: Buffer }>`
      select s.*, k.public_key from solvency_statements s join proof_keys k on k.id = s.key
      order by number desc limit 1`.execute(snapshot)
    const row = rows[0]
    if (!row) return { statement: null, proof: null }
    const statement = toStatement(row)
    const { rows: found } = await sql<Owed & { position: number; secret: Buffer }>`
      select e.*, t.secret from solvency_entries e join solvency_trees t on t.number = e.number
      where e.number = ${row.number} and e.user_id = ${userId}`.execute(snapshot)
    const own = found[0]
    if (!own) return { statement, proof: null }
    const account = (await emailsOf(snapshot, [userId])).get(userId) ?? ''
    return {
      statement,
      proof: {
        type: 'cleartick solvency proof',
        version: 1,
        ...entryOf(own, account, own.secret),
        position: own.position,
        path: await readPath(snapshot, row, own.position),
        statement,
        key: { id: row.key, public_key: row.public_key.toString('hex') },
      },
    }
  })
}

async function readPath(
  db: Snapshot,
  { number, traders }: StatementRow,
  position: number,
): Promise<SolvencyProof['path']> {
  const offsets = pathIn(traders, position).map((place) => place * NODE_BYTES + 1)
  const { rows } = await sql<{ node: Buffer }>`
    select substring(t.nodes from p.at for ${sql.lit(NODE_BYTES)}) as node
    from solvency_trees t, unnest(${offsets}::int[]) with ordinality as p(at, place) where t.number = ${number}
    order by p.place`.execute(db)
  return rows.map(({ node }) => {
    const { hash: hashed, sum } = readNode(node)
    return { hash: hashed.toString('hex'), sum: usdToText(sum as Usd) }
  })
}
