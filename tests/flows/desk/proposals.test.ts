import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { proposal } from '#contract/desk/parts.ts'
import { PROPOSAL_STATUSES } from '#contract/desk/terms.ts'
import { defineProposal } from '#server/desk/actions/define-proposal.ts'
import type { DeskDeps } from '#server/desk/deps.ts'
import { operatorChanges } from '#server/desk/office/operator-changes.ts'
import { settingsChanges } from '#server/desk/office/settings.ts'
import { QUEUES } from '#server/desk/queues/index.ts'
import { deskChecks } from '#server/invariants/checks/desk.ts'
import type { WhoOperates } from '#server/platform/http/index.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'

/** Attacked by SQL, with the application's login: every kind of the desk, and those that other rooms make. */
const KINDS: string[] = [
  ...[...QUEUES.filter((queue) => 'decide' in queue), settingsChanges, operatorChanges].map(({ name }) => name),
  'rulings',
  'voids',
  'deposit-rejections',
  'deposit-returns',
]

const WITHDRAWABLE = ['rulings', 'venue-switches']

let database: TestDatabase
let app: pg.Client
let owner: pg.Client
/** Two operators, and the first one's account from before they left. */
let ids: { ann: string; bob: string; formerAnn: string }
beforeAll(async () => {
  database = await createTestDatabase()
  app = await connectTo(database.appUrl)
  owner = await connectTo(database.ownerUrl)
  const { rows } = await owner.query(`
    insert into operators (email, password_hash, totp_secret, roles, ended_at) values
      ('ann@desk.example', 'x', 'x', '{admin}', null), ('bob@desk.example', 'x', 'x', '{admin}', null),
      ('ANN+former@desk.example', 'x', 'x', '{admin}', now())
    returning id`)
  ids = { ann: rows[0].id, bob: rows[1].id, formerAnn: rows[2].id }
})
afterAll(async () => {
  await Promise.all([app.end(), owner.end()])
  await database.drop()
})

const propose = async (kind: string, subject: string | null = null): Promise<string> => {
  const { rows } = await app.query(
    `insert into proposals (kind, subject, payload, reason, proposed_by) values ($1, $2, '{"amount": 5}', 'r', $3) returning id`,
    [kind, subject, ids.ann],
  )
  return rows[0].id
}
const decide = (kind: string, id: string, by: string, status = 'Approved') =>
  app.query('update proposals set status = $4, decided_by = $3, decision_reason = $5 where kind = $1 and id = $2', [
    kind,
    id,
    by,
    status,
    status === 'Rejected' ? 'r' : null,
  ])

describe.each(KINDS)('the application cannot, by SQL, for %s', (kind) => {
  test('decide with one person, under one address or two accounts of it', async () => {
    const id = await propose(kind)
    for (const status of ['Approved', 'Rejected'])
      for (const by of [ids.ann, ids.formerAnn])
        await expect(decide(kind, id, by, status), `${status} by ${by}`).rejects.toThrow(/own proposal/)
    await decide(kind, id, ids.bob)
  })

  test('insert what is decided, or date a decision', async () => {
    await expect(
      app.query(
        `insert into proposals (kind, reason, status, proposed_by, decided_by, decided_at) values ($1, 'r', 'Approved', $2, $3, now())`,
        [kind, ids.ann, ids.bob],
      ),
    ).rejects.toThrow(/permission denied/)
    const id = await propose(kind)
    await expect(
      app.query(
        `update proposals set status = 'Approved', decided_by = $3, decided_at = 'infinity' where kind = $1 and id = $2`,
        [kind, id, ids.bob],
      ),
    ).rejects.toThrow(/permission denied/)
  })

  test.each([
    "payload = '{}'",
    "subject = 'x'",
    "reason = 'x'",
    "kind = 'x'",
    'proposed_at = now()',
    'proposed_by = proposed_by + 1',
  ])('change what was proposed: %s', async (change) => {
    const id = await propose(kind)
    const statement = `update proposals set ${change} where kind = '${kind}' and id = ${id}`
    await expect(app.query(statement)).rejects.toThrow(/permission denied/)
    await expect(owner.query(statement), 'nor can the owner').rejects.toThrow(/final/)
  })

  test('change or delete what is decided', async () => {
    const id = await propose(kind)
    await decide(kind, id, ids.bob)
    await expect(decide(kind, id, ids.bob, 'Rejected')).rejects.toThrow(/final/)
    await expect(
      owner.query(`update proposals set status = 'Pending' where kind = $1 and id = $2`, [kind, id]),
    ).rejects.toThrow(/final/)
    for (const statement of ['delete from proposals', 'truncate proposals']) {
      await expect(app.query(statement)).rejects.toThrow(/permission denied/)
      await expect(owner.query(`${statement}${statement.startsWith('truncate') ? ' cascade' : ''}`)).rejects.toThrow(
        /final/,
      )
    }
  })

  test('propose twice about one subject', async () => {
    const id = await propose(kind, 'one')
    await expect(propose(kind, 'one')).rejects.toThrow(/proposals_pending/)
    await decide(kind, id, ids.bob, 'Rejected')
    await propose(kind, 'one')
  })

  test('withdraw, unless the kind allows it', async () => {
    const withdrawn = decide(kind, await propose(kind), ids.ann, 'Withdrawn')
    if (WITHDRAWABLE.includes(kind)) await withdrawn
    else await expect(withdrawn).rejects.toThrow(/proposals_withdrawn/)
  })
})

test('the application cannot void a trade without an approval', async () => {
  const void1 = `insert into trade_voids (trade_id, reason, entered) values (1, 'r', true)`
  await expect(app.query(void1)).rejects.toThrow(/not approved by two/)
  await decide('voids', await propose('voids', '1'), ids.bob)
  await expect(app.query(void1), 'in a later transaction').rejects.toThrow(/not approved by two/)
})

test('a new kind takes one definition: it is listed, decided by another person, audited and verified', async () => {
  const fees: number[] = []
  const feeChanges = defineProposal({
    kind: 'fee-changes',
    of: 'fee change',
    schema: z.strictObject({ id: z.string(), fee: z.number(), ...proposal(PROPOSAL_STATUSES), own: z.boolean() }),
    waiting: (subject) => `A change of ${subject} is already waiting.`,
    apply: async (_, _tx, { payload }) => void fees.push(payload.fee),
    facts: ({ payload }: { payload: { fee: number } }) => payload,
    view: ({ payload }) => ({ fee: payload.fee }),
  })
  const deps = { db: database.db } as DeskDeps
  const who = (id: string, email: string) =>
    ({ operatorId: BigInt(id), email, roles: ['admin'] }) as unknown as WhoOperates
  const [ann, bob] = [who(ids.ann, 'ann@desk.example'), who(ids.bob, 'bob@desk.example')]
  const propose5 = () =>
    feeChanges.propose(deps, ann, async () => ({ subject: 'card', payload: { fee: 5 }, reason: 'It costs more.' }))
  const { id } = await propose5()
  await expect(propose5()).rejects.toThrow('A change of card is already waiting.')
  const approve = (by: WhoOperates) => feeChanges.decide(deps, by, BigInt(id), { status: 'Approved' })
  for (const same of [ann, who(ids.formerAnn, 'ANN+former@desk.example')])
    await expect(approve(same)).rejects.toMatchObject({ code: 'second_person_required' })
  expect(fees).toEqual([])
  expect(await approve(bob)).toMatchObject({
    id,
    fee: 5,
    status: 'Approved',
    decided_by: { email: 'bob@desk.example' },
  })
  expect(fees).toEqual([5])
  await expect(approve(bob)).rejects.toMatchObject({ code: 'wrong_state' })
  const { rows } = await app.query(
    `select action, operator, after from audit where item_kind = 'fee-changes' and item_id = $1 order by n`,
    [id],
  )
  expect(rows).toEqual([
    { action: 'propose', operator: 'ann@desk.example', after: { status: 'Pending', fee: 5 } },
    { action: 'approve', operator: 'bob@desk.example', after: { status: 'Approved', fee: 5 } },
  ])
  const records = deskChecks.find(({ says }) => says.includes('what another operator proposed'))!
  const unrecorded = async () => (await app.query(records.sql)).rows.filter(({ kind }) => kind === 'fee-changes')
  expect(await unrecorded()).toEqual([])
  await decide('fee-changes', await propose('fee-changes'), ids.bob)
  expect(await unrecorded(), 'decided past the desk').toHaveLength(1)
})

/** A row for the trigger of `complaint_rulings`, which fires for each row. */
const withComplaint = async () => {
  const { rows } = await owner.query(
    `with u as (insert into users (email, password_hash, firstname, lastname, referral_code)
       values ('t@example.org', 'x', 'T', 'R', 'ABCDEFGH') returning id)
     insert into complaints (user_id, item, item_id, reason, text) select id, 'deposit', 1, 'missing', '' from u returning id`,
  )
  const complaint = rows[0].id
  const { rows: proposals } = await owner.query(
    `insert into proposals (kind, subject, reason, proposed_by) values ('rulings', $1, 'r', $2) returning id`,
    [complaint, ids.ann],
  )
  await owner.query(
    `insert into complaint_rulings (id, complaint_id, upheld, finding, remedy, credit) values ($1, $2, true, 'our_mistake', 'credit', 100)`,
    [proposals[0].id, complaint],
  )
}

/** Details of kinds that move money, with what they would say. */
const DETAILS: Record<string, string> = {
  'capital-moves': `capital_moves (id, amount, reference) values (ID, 100, 'r')`,
  reversals: `reversal_proposals (id, deposit_id, amount, reference) values (ID, 1, 100, 'r')`,
  adjustments: `adjustments (id, user_id, mode, amount) values (ID, 1, 'real', 100)`,
  rulings: `complaint_rulings (id, complaint_id, upheld, finding, remedy, credit) values (ID, 1, true, 'our_mistake', 'credit', 100)`,
}

describe.each(Object.entries(DETAILS))('the details of %s', (kind, values) => {
  const insert = (id: string) => app.query(`insert into ${values.replace('ID', id)}`)

  test('come with a new proposal, and never later', async () => {
    await expect(insert('999999')).rejects.toThrow(/no new proposal/)
    const id = await propose(kind)
    await expect(insert(id), 'in a later transaction').rejects.toThrow(/no new proposal/)
    await decide(kind, id, ids.bob)
    await expect(insert(id), 'after the decision').rejects.toThrow(/no new proposal/)
  })

  test('never change', async () => {
    const [table] = values.split(' ')
    const change = `update ${table} set ${table === 'complaint_rulings' ? 'credit' : 'amount'} = 1`
    await expect(app.query(change)).rejects.toThrow(/permission denied/)
    await owner.query('begin')
    if (table === 'complaint_rulings') await withComplaint()
    await expect(owner.query(change)).rejects.toThrow(/final/)
    await owner.query('rollback')
    await expect(owner.query(`delete from ${table}`)).rejects.toThrow(/final/)
  })
})
