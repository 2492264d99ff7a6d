import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DeskCallName, deskCalls } from '#contract/desk/index.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { type DeskOperator, deskItems, operator, type Waiting } from '#tests/support/people/desk.ts'
import { type Reply, sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'

let app: WholeApp
let items: ReturnType<typeof deskItems>
let trader: Trader
/** One operator per role, each with only that role. */
const of = {} as Record<OperatorRole, DeskOperator>
/** A second operator for the roles whose actions take two. */
const second = {} as Record<OperatorRole, DeskOperator>

beforeAll(async () => {
  app = await sharedApp()
  items = deskItems(app)
  trader = await app.trader()
  for (const role of OPERATOR_ROLES) of[role] = await operator(app, [role])
  for (const role of ['finance', 'risk', 'compliance', 'support', 'admin'] as const)
    second[role] = await operator(app, [role])
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  expect(broken, 'the money and the records add up after all of it').toEqual([])
})

const refusal = ({ status, json }: Reply) => [status, json?.code]
const endpointOf = (name: DeskCallName): Endpoint => deskCalls[name]
const NAMES = (Object.keys(deskCalls) as DeskCallName[]).filter((name) => endpointOf(name).access === 'operator')
const partsOf = (name: DeskCallName) => {
  const [method, path] = name.split(' ') as [string, string]
  return { method, path: `/api${path.replaceAll(/:\w+/g, '999999999')}` }
}

describe('access', () => {
  test.each(NAMES)('%s: allows its roles only', async (name) => {
    const { method, path } = partsOf(name)
    for (const token of [undefined, 'x'.repeat(43), trader.token]) {
      expect(refusal(await app.send(method, path, { token }))).toEqual([401, 'unauthenticated'])
    }
    if (name === 'POST /desk/auth/logout') return
    for (const role of OPERATOR_ROLES) {
      const reply = await app.send(method, path, { token: of[role].token })
      const may = endpointOf(name).roles?.includes(role) ?? true
      if (may) expect([401, 403, 500], `${role}: ${reply.text}`).not.toContain(reply.status)
      else expect(refusal(reply), role).toEqual([403, 'forbidden'])
    }
  })

  test("rejects an operator's token on the trader's calls", async () => {
    for (const path of ['/api/users/me', '/api/trading?mode=demo', '/api/auth/sessions'])
      expect(refusal(await app.send('GET', path, { token: of.admin.token }))).toEqual([401, 'unauthenticated'])
  })

  test('never lets support move money or an auditor change anything', () => {
    for (const name of NAMES) {
      const { roles = OPERATOR_ROLES } = endpointOf(name)
      if (name.startsWith('GET') || name.includes('/auth/')) continue
      expect(roles, name).not.toContain('auditor')
      if (/deposits|withdrawals|plan-requests|adjustments|reversals|settings|void/.test(name))
        expect(roles, name).not.toContain('support')
    }
  })
})

/** Every action of an operator on a trader's item. `again`: the response to repeating it. */
interface Action {
  name: DeskCallName
  role: OperatorRole
  make(): Promise<Waiting>
  body?: object
  again: [number, string]
  /** Whether another operator's claim blocks it. */
  queue: boolean
}

const ACTIONS: Action[] = [
  ...(
    [
      ['identity-checks', 'compliance', 'approve', undefined],
      ['identity-checks', 'compliance', 'reject', { reason: 'blurred' }],
      ['plan-requests', 'finance', 'approve', undefined],
      ['plan-requests', 'finance', 'reject', { reason: 'not now' }],
      ['deposits', 'finance', 'approve', { amount: 100 }],
      ['deposits', 'finance', 'reject', { reason: 'nothing came' }],
      ['withdrawals', 'finance', 'reject', { reason: 'no' }],
      ['messages', 'support', 'close', undefined],
      ['chats', 'support', 'close', undefined],
    ] as const
  ).map(
    ([queue, role, step, body]): Action => ({
      name: `POST /desk/${queue}/:id/${step}` as DeskCallName,
      role,
      make: () => items[queue](),
      ...(body === undefined ? {} : { body }),
      again: [409, 'wrong_state'],
      queue: true,
    }),
  ),
  {
    name: 'POST /desk/withdrawals/:id/approve',
    role: 'finance',
    make: () => items.withdrawals(1_000.01),
    again: [409, 'second_person_required'],
    queue: true,
  },
  {
    name: 'POST /desk/deposits/:id/approve',
    role: 'finance',
    make: () => items.deposits(2_000),
    body: { amount: 1_000.01 },
    again: [409, 'second_person_required'],
    queue: true,
  },
  ...(['deposits', 'withdrawals'] as const).map(
    (queue): Action => ({
      name: `POST /desk/${queue}/:id/withdraw-approval`,
      role: 'finance',
      make: async () => {
        const item = await items[queue](5_000)
        const body = queue === 'deposits' ? { body: { amount: 5_000 } } : {}
        expect((await of.finance.ask('POST', `/${queue}/${item.id}/approve`, body)).status).toBe(200)
        return item
      },
      again: [409, 'wrong_state'],
      queue: true,
    }),
  ),
  {
    name: 'POST /desk/trades/:id/void',
    role: 'risk',
    make: () => items.trades(),
    body: { reason: 'a wrong price' },
    again: [409, 'second_person_required'],
    queue: false,
  },
]

const call = (who: DeskOperator, { name, body }: Action, id: string) =>
  app.send('POST', `/api${name.split(' ')[1]!.replace(':id', id)}`, {
    token: who.token,
    ...(body === undefined ? {} : { body }),
  })

describe.each(ACTIONS.map((action) => [`${action.name} ${JSON.stringify(action.body ?? '')}`, action] as const))(
  '%s',
  (_name, action) => {
    test("works once, and never on the operator's own item", async () => {
      const { id, trader: owner } = await action.make()
      const self = await operator(app, [action.role], owner.email.toUpperCase())
      expect(refusal(await call(self, action, id)), 'own item').toEqual([409, 'own_item'])
      const reply = await call(of[action.role], action, id)
      expect(reply.status, reply.text).toBe(200)
      expect(refusal(await call(of[action.role], action, id)), 'again').toEqual(action.again)
    })

    if (action.queue) {
      test('is rejected while another operator has the claim', async () => {
        const { id } = await action.make()
        const queue = action.name.split('/')[2]!
        expect((await second[action.role].ask('POST', `/${queue}/${id}/claim`)).status).toBe(200)
        const reply = await call(of[action.role], action, id)
        expect(refusal(reply)).toEqual([409, 'claimed'])
        expect(reply.json!.message).toContain(second[action.role].email)
        expect(refusal(await of[action.role].ask('POST', `/${queue}/${id}/claim`))).toEqual([409, 'claimed'])
        expect(refusal(await of[action.role].ask('POST', `/${queue}/${id}/release`))).toEqual([409, 'claimed'])
        expect((await second[action.role].ask('POST', `/${queue}/${id}/release`)).status).toBe(200)
        expect((await call(of[action.role], action, id)).status).toBe(200)
      })
    }

    test('rejects unknown ids', async () => {
      for (const id of ['999999999', '0', '-1', 'x', '0000000000000', 'ZZZZZZZZZZZZZ', '99999999999999999999'])
        expect(refusal(await call(of[action.role], action, id)), id).toEqual([404, 'not_found'])
    })
  },
)

describe('own items', () => {
  test("can't be claimed, nor the own account locked or adjusted", async () => {
    const { id, trader: owner } = await items.deposits()
    const self = await operator(app, ['finance', 'risk'], owner.email)
    for (const [path, body] of [
      [`/users/${owner.id}/locks`, { trading: false, reason: 'me' }],
      [`/users/${owner.id}/adjustments`, { book: 'real', amount: 1, reason: 'me' }],
      [`/deposits/${id}/claim`, undefined],
    ] as const)
      expect(refusal(await self.ask('POST', path, body ? { body } : {})), path).toEqual([409, 'own_item'])
  })

  test('a returning operator is a new operator but not a second person', async () => {
    const { id } = await items.deposits(5_000)
    const first = await operator(app, ['finance'])
    expect((await first.ask('POST', `/deposits/${id}/approve`, { body: { amount: 5_000 } })).json).toMatchObject({
      data: { status: 'Pending', approvals: 1, approvals_needed: 2, claimed_by: null },
    })
    await of.admin.ask('POST', `/operators/${first.id}/end`, { body: { reason: 'left' } })
    const returned = await operator(app, ['finance'], first.email.toUpperCase())
    expect(returned.id).not.toBe(first.id)
    expect(refusal(await returned.ask('POST', `/deposits/${id}/approve`, { body: { amount: 5_000 } }))).toEqual([
      409,
      'second_person_required',
    ])
  })
})
