import { createHmac, hash, randomBytes, randomInt } from 'node:crypto'
import { assert } from '#kernel/assert.ts'
import { type Usd, usd, usdToText } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import {
  entryText,
  type SolvencyEntry,
  type SolvencyProof,
  type SolvencyStatement,
  statementText,
} from '#packages/verify/solvency.js'
import { emailsOf } from '../../identity/index.ts'
import { capitalOf, houseResult, type Owed, owedToTraders, totalOf } from '../../ledger/index.ts'
import { type Db, inSnapshot, inTransaction, type Snapshot, sql } from '../../platform/database/db.ts'
import { type ProofKey, publishKey } from '../keys/key.ts'
import { entryNode, NODE_BYTES, nodeAt, pathIn, readNode, rootOfSums, sumTree } from './sum-tree.ts'

/** Statements whose entries are kept, so that traders can still ask for their proof. */
const KEPT = 31
const ROWS_AT_ONCE = 500
/** Entries of each trader. */
const PARTS = 2

export interface SolvencyStatementRow {
  number: number
  t: bigint
  traders: number
  /** Null in statements of version 1, in which each trader had one. */
  entries: number | null
  total: Usd
  /** Null in statements from before version 3. */
  equity: Usd | null
  root: Buffer
  previous: Buffer
  key: string
  signature: Buffer
}

/** A part of what is owed to a trader. */
export interface Entry extends Owed {
  part: number
}

interface Built {
  t: number
  secret: Buffer
  equity: Usd
  traders: number
  /** In the order of the tree. */
  entries: Entry[]
  nodes: Buffer
}

/**
 * Makes, signs and stores a statement of the total owed to all traders, and of what the house owns, from one snapshot.
 * Returns its number. In production, play money is no equity.
 */
export async function makeSolvencyStatement(db: Db, key: ProofKey, production: boolean): Promise<number> {
  const built = await inSnapshot(db, (snapshot) => build(snapshot, production))
  assert(await publishKey(db, key), 'a statement is signed by a key that counts')
  return inTransaction(db, async (tx) => {
    const { rows } =
      await sql<SolvencyStatementRow>`select * from solvency_statements order by number desc limit 1`.execute(tx)
    const last = rows[0]
    const root = rootOfSums(built.nodes)
    const statement = {
      number: (last?.number ?? 0) + 1,
      time: built.t,
      accounts: built.traders,
      entries: built.entries.length,
      total: usdToText(root.sum as Usd),
      equity: usdToText(built.equity),
      root: root.hash.toString('hex'),
      previous: previousOf(last).toString('hex'),
    }
    const { number } = statement
    // Of two at the same time, the second fails here.
    await sql`
      insert into solvency_statements (number, t, traders, entries, total, equity, root, previous, key, signature)
      values (${number}, ${statement.time}, ${statement.accounts}, ${statement.entries}, ${root.sum}, ${built.equity},
        ${root.hash}, ${Buffer.from(statement.previous, 'hex')}, ${key.id}, ${key.sign(statementText(statement))})`.execute(
      tx,
    )
    await sql`insert into solvency_trees (number, secret, nodes) values (${number}, ${built.secret}, ${built.nodes})`.execute(
      tx,
    )
    for (let from = 0; from < built.entries.length; from += ROWS_AT_ONCE) {
      const page = built.entries.slice(from, from + ROWS_AT_ONCE)
      await sql`
        insert into solvency_entries (number, user_id, part, position, available, staked, held)
        select ${number}, e.user_id, e.part, ${from} + e.place - 1, e.available, e.staked, e.held
        from unnest(${page.map((one) => one.user_id)}::bigint[], ${page.map((one) => one.part)}::smallint[],
          ${page.map((one) => one.available)}::bigint[], ${page.map((one) => one.staked)}::bigint[],
          ${page.map((one) => one.held)}::bigint[]) with ordinality as e(user_id, part, available, staked, held, place)`.execute(
        tx,
      )
    }
    await sql`delete from solvency_trees where number <= ${number - KEPT}`.execute(tx)
    return number
  })
}

async function build(snapshot: Snapshot, production: boolean): Promise<Built> {
  // It locks nothing, and hashes a million entries in between.
  await sql`set local idle_in_transaction_session_timeout = '1min'`.execute(snapshot)
  const { rows } = await sql<{ t: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as t`.execute(snapshot)
  const equity = totalOf({ ...(await capitalOf(snapshot, { production })), result: await houseResult(snapshot) })
  const secret = randomBytes(32)
  const leaves: { entry: Entry; node: Buffer }[] = []
  let traders = 0
  for await (const page of owedToTraders(snapshot)) {
    traders += page.length
    const entries = page.flatMap(partsOf)
    const nodes = await entryNodes(snapshot, secret, entries)
    leaves.push(...entries.map((entry, at) => ({ entry, node: nodeAt(nodes, at) })))
  }
  await shuffle(leaves)
  const nodes = await sumTree(Buffer.concat(leaves.map(({ node }) => node)))
  return { t: first(rows).t, secret, equity, traders, entries: leaves.map(({ entry }) => entry), nodes }
}

/** Splits what is owed to a trader at random, so that an entry shows nobody's balance. */
function partsOf({ user_id, ...owed }: Owed): Entry[] {
  const parts: Entry[] = []
  let rest = owed
  for (let part = 0; part < PARTS - 1; part++) {
    const taken = {
      available: randomPart(rest.available),
      staked: randomPart(rest.staked),
      held: randomPart(rest.held),
    }
    parts.push({ user_id, part, ...taken })
    rest = {
      available: usd(rest.available - taken.available),
      staked: usd(rest.staked - taken.staked),
      held: usd(rest.held - taken.held),
    }
  }
  return [...parts, { user_id, part: PARTS - 1, ...rest }]
}

/** Returns an amount from 0 to this one. */
const randomPart = (amount: Usd): Usd => usd(BigInt(randomInt(Number(amount) + 1)))

/** Puts a list into a random order, and lets other work in between. */
async function shuffle(list: unknown[]): Promise<void> {
  for (let last = list.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[list[last], list[other]] = [list[other], list[last]]
    if (last % ROWS_AT_ONCE === 0) await new Promise(setImmediate)
  }
}

/**
 * Returns the nodes of these entries, one after the other. An entry binds the address that its trader had at the statement:
 * given a statement's `tree`, a former address counts too where it leads to the tree's node.
 */
export async function entryNodes(
  db: Snapshot,
  secret: Buffer,
  page: readonly (Entry & { position?: number })[],
  tree?: Buffer,
): Promise<Buffer> {
  const emails = await emailsOf(
    db,
    page.map(({ user_id }) => user_id),
  )
  return Buffer.concat(
    page.map((one) => {
      const [now = '', ...former] = emails.get(one.user_id) ?? []
      const node = nodeOfEntry(now, one, secret)
      if (!tree || one.position === undefined || former.length === 0) return node
      const stored = nodeAt(tree, one.position)
      return former.map((email) => nodeOfEntry(email, one, secret)).find((other) => other.equals(stored)) ?? node
    }),
  )
}

const nodeOfEntry = (email: string, entry: Entry, secret: Buffer): Buffer =>
  entryNode(entryText(email, entryOf(entry, secret)), entry.available + entry.staked + entry.held)

const entryOf = (owed: Entry, secret: Buffer): Pick<SolvencyEntry, 'nonce' | 'balances'> => ({
  nonce: createHmac('sha256', secret).update(`${owed.user_id} ${owed.part}`).digest('hex'),
  balances: {
    available: usdToText(owed.available),
    open_trades: usdToText(owed.staked),
    withdrawals: usdToText(owed.held),
  },
})

export const previousOf = (last: SolvencyStatementRow | undefined): Buffer =>
  last ? hash('sha256', statementText(toSolvencyStatement(last)), 'buffer') : Buffer.alloc(32)

export const toSolvencyStatement = (row: SolvencyStatementRow): SolvencyStatement => ({
  number: row.number,
  time: Number(row.t),
  accounts: row.traders,
  ...(row.entries === null ? {} : { entries: row.entries }),
  total: usdToText(row.total),
  ...(row.equity === null ? {} : { equity: usdToText(row.equity) }),
  root: row.root.toString('hex'),
  previous: row.previous.toString('hex'),
  key: row.key,
  signature: row.signature.toString('hex'),
})

/** Returns the newest statement, or undefined before the first. */
export async function newestSolvencyStatement(db: Db): Promise<SolvencyStatement | undefined> {
  const { rows } =
    await sql<SolvencyStatementRow>`select * from solvency_statements order by number desc limit 1`.execute(db)
  return rows[0] && toSolvencyStatement(rows[0])
}

/**
 * Returns the newest statement, and a user's proof that their balances are part of it: none if nothing was owed to them.
 */
export async function solvencyOf(
  db: Db,
  userId: bigint,
): Promise<{ statement: SolvencyStatement | null; proof: SolvencyProof | null }> {
  return inSnapshot(db, async (snapshot) => {
    const { rows } = await sql<SolvencyStatementRow & Pick<Owed, 'user_id'> & { public_key: Buffer }>`
      select s.*, k.public_key from solvency_statements s join proof_keys k on k.id = s.key
      order by number desc limit 1`.execute(snapshot)
    const row = rows[0]
    if (!row) return { statement: null, proof: null }
    const statement = toSolvencyStatement(row)
    const { rows: own } = await sql<Entry & { position: number; secret: Buffer; node: Buffer }>`
      select e.*, t.secret, substring(t.nodes from e.position * ${sql.lit(NODE_BYTES)} + 1 for ${sql.lit(NODE_BYTES)}) as node
      from solvency_entries e join solvency_trees t on t.number = e.number
      where e.number = ${row.number} and e.user_id = ${userId} order by e.part`.execute(snapshot)
    const [entry] = own
    if (!entry) return { statement, proof: null }
    const emails = (await emailsOf(snapshot, [userId])).get(userId) ?? []
    // The address at the statement, which may have changed since.
    const account =
      emails.find((email) => nodeOfEntry(email, entry, entry.secret).equals(entry.node)) ?? emails[0] ?? ''
    return {
      statement,
      proof: {
        type: 'cleartick solvency proof',
        version: statement.equity === undefined ? 2 : 3,
        account,
        entries: await Promise.all(
          own.map(async (one) => ({
            ...entryOf(one, one.secret),
            position: one.position,
            path: await readPath(snapshot, row, one.position),
          })),
        ),
        statement,
        key: { id: row.key, public_key: row.public_key.toString('hex') },
      },
    }
  })
}

async function readPath(
  db: Snapshot,
  { number, entries }: SolvencyStatementRow,
  position: number,
): Promise<SolvencyEntry['path']> {
  const offsets = pathIn(entries ?? 0, position).map((place) => place * NODE_BYTES + 1)
  const { rows } = await sql<{ node: Buffer }>`
    select substring(t.nodes from p.at for ${sql.lit(NODE_BYTES)}) as node
    from solvency_trees t, unnest(${offsets}::int[]) with ordinality as p(at, place) where t.number = ${number}
    order by p.place`.execute(db)
  return rows.map(({ node }) => {
    const { hash: hashed, sum } = readNode(node)
    return { hash: hashed.toString('hex'), sum: usdToText(sum as Usd) }
  })
}
