import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { DeskAuditRow } from '#contract/desk/audit.ts'
import type { DeskDeposit } from '#contract/desk/deposits.ts'
import type { DeskReversal } from '#contract/desk/reversals.ts'
import type { DeskUserPicture } from '#contract/desk/users.ts'
import type { Problem } from '#contract/problem.ts'
import { parsePublicId } from '#kernel/id.ts'
import { signInOperator } from '#server/desk/access/sign-in.ts'
import { deskLimits, inviteFromHost } from '#server/desk/index.ts'
import { deskChecks } from '#server/invariants/index.ts'
import { filesKey } from '#server/platform/files/index.ts'
import { openOutbox } from '#server/platform/mail/index.ts'
import { openSeal } from '#server/platform/seal.ts'
import { totpCode } from '#server/platform/totp.ts'
import { contactLimits } from '#server/support/index.ts'
import { ORDER, type Reply, startWholeApp, type Trader, type WholeApp } from '#tests/support/app.ts'
import { DESK_PASSWORD, type DeskOperator, deskItems, operator, signInAgain } from '#tests/support/desk.ts'
import { photo } from '#tests/support/pictures.ts'

let app: WholeApp
let items: ReturnType<typeof deskItems>
let finance: DeskOperator[]
let risk: DeskOperator[]
let admin: DeskOperator[]
let auditor: DeskOperator

beforeAll(async () => {
  app = await startWholeApp()
  items = deskItems(app)
  const two = (role: 'finance' | 'risk' | 'admin') => Promise.all([operator(app, [role]), operator(app, [role])])
  finance = await two('finance')
  risk = await two('risk')
  admin = await two('admin')
  auditor = await operator(app, ['auditor', 'compliance'])
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  expect(broken, 'the money and the records add up after all of it').toEqual([])
})

const refusal = ({ status, json }: Reply) => [status, json?.code]
const data = <T>({ status, json, text }: Reply): T => {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return json!.data as T
}
const auditOf = async (kind: string, id: string) =>
  data<DeskAuditRow[]>(await auditor.ask('GET', `/audit?item_kind=${kind}&item_id=${id}`))
const notices = async ({ token }: Trader) =>
  data<{ kind: string; title: string; text: string }[]>(await app.send('GET', '/api/notices', { token }))
const twenty = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, n) => work(n)))

async function asSuper(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: app.superUrl })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('joining and signing in', () => {
  const login = (body: object) => app.send('POST', '/api/desk/auth/login', { body })

  test('accepts an invitation once, and activates the account only with a code', async () => {
    const email = 'joining@desk.example'
    const { token } = await inviteFromHost(app.db, { email, roles: ['support'] })
    const early = await app.send('POST', '/api/desk/auth/join/confirm', { body: { token, code: '123456' } })
    expect(refusal(early)).toEqual([422, 'invalid_hash'])
    const { secret, otpauth_url } = data<{ secret: string; otpauth_url: string }>(
      await app.send('POST', '/api/desk/auth/join', { body: { token, password: DESK_PASSWORD } }),
    )
    expect(otpauth_url).toMatch(/^otpauth:\/\/totp\/.*joining%40desk\.example\?.*secret=/)
    const past = totpCode(secret, Date.now() - 30_000)
    expect(refusal(await login({ email, password: DESK_PASSWORD, code: past })), 'not before its code').toEqual([
      422,
      'invalid_credentials',
    ])
    const wrong = await app.send('POST', '/api/desk/auth/join/confirm', { body: { token, code: '000000' } })
    expect(refusal(wrong)).toEqual([422, 'invalid_credentials'])
    const replies = await twenty(() => app.send('POST', '/api/desk/auth/join/confirm', { body: { token, code: past } }))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(422)])
    const again = await app.send('POST', '/api/desk/auth/join', { body: { token, password: 'another one' } })
    expect(refusal(again)).toEqual([422, 'invalid_hash'])
    expect(refusal(await login({ email, password: DESK_PASSWORD, code: past })), 'the code that joined').toEqual([
      422,
      'invalid_credentials',
    ])
    expect((await login({ email, password: DESK_PASSWORD, code: totpCode(secret) })).status).toBe(200)
  })

  test('expires a link after 15 minutes', async () => {
    const { token } = await inviteFromHost(app.db, { email: 'late@desk.example', roles: ['risk'] })
    const { rows } = await app.pool.query<{ minutes: number }>(
      `select extract(epoch from expires_at - created_at)::int / 60 as minutes from operator_invitations
       where email = 'late@desk.example'`,
    )
    expect(rows).toEqual([{ minutes: 15 }])
    await asSuper(`update operator_invitations set expires_at = now() where email = 'late@desk.example'`)
    const reply = await app.send('POST', '/api/desk/auth/join', { body: { token, password: DESK_PASSWORD } })
    expect(refusal(reply)).toEqual([422, 'invalid_hash'])
  })

  test('accepts a code once, even twenty times at once', async () => {
    const { email, secret } = await operator(app, ['support'])
    const body = { email, password: DESK_PASSWORD, code: totpCode(secret, Date.now() + 30_000) }
    const replies = await twenty(() => login(body))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(422)])
    expect(refusal(await login(body))).toEqual([422, 'invalid_credentials'])
  })

  test('gives the same response for an unknown address, a wrong password and a wrong code', async () => {
    const { email, secret } = await operator(app, ['support'])
    const code = totpCode(secret, Date.now() + 30_000)
    const replies = await Promise.all([
      login({ email: 'nobody@desk.example', password: DESK_PASSWORD, code }),
      login({ email, password: 'wrong', code }),
      login({ email, password: DESK_PASSWORD, code: '000000' }),
    ])
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(refusal(replies[0]!)).toEqual([422, 'invalid_credentials'])
  })

  test('allows five wrong codes, or ten wrong passwords, in 15 minutes', async () => {
    const from = { ip: '192.0.2.1', userAgent: '', cookies: {}, setCookie: () => undefined }
    const seal = openSeal(filesKey(app.folder, undefined), 'operator')
    const mail = openOutbox(() => undefined)
    const clock = { now: Date.now, agrees: () => true }
    const deps = { db: app.db, clock, limits: deskLimits(1), seal, mail, brand: 'Cleartick', publicUrl: () => '' }
    const tries = async (form: { email: string; password: string; code: string }, times: number) => {
      const codes: string[] = []
      for (let n = 0; n < times; n++)
        codes.push(
          await signInOperator(deps, form, from).then(
            () => 'in',
            (problem: Problem) => problem.code,
          ),
        )
      return codes
    }
    const { email, secret } = await operator(app, ['support'])
    const good = { email, password: DESK_PASSWORD, code: totpCode(secret, Date.now() + 30_000) }
    expect(await tries({ ...good, code: '000000' }, 5)).toEqual(Array(5).fill('invalid_credentials'))
    expect(await tries(good, 1), 'the right one too').toEqual(['too_many_requests'])
    for (const unknown of [(await operator(app, ['support'])).email, 'nobody@desk.example'])
      expect(await tries({ ...good, email: unknown, password: 'wrong' }, 11)).toEqual([
        ...Array(10).fill('invalid_credentials'),
        'too_many_requests',
      ])
    const another = await operator(app, ['support'])
    const code = totpCode(another.secret, Date.now() + 30_000)
    expect(await tries({ ...good, email: another.email, code }, 1), 'nobody else waits').toEqual(['in'])
  })

  test('ends a session after 12 hours and on sign-out', async () => {
    const one = await operator(app, ['support'])
    const { rows } = await app.pool.query<{ hours: number }>(
      `select extract(epoch from expires_at - created_at)::int / 3600 as hours from operator_sessions where operator_id = $1`,
      [one.id],
    )
    expect(rows).toEqual([{ hours: 12 }])
    await asSuper(`update operator_sessions set expires_at = now() where operator_id = ${one.id}`)
    expect(refusal(await one.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
    const again = await signInAgain(app, one, Date.now() + 30_000)
    expect((await again.ask('POST', '/auth/logout')).status).toBe(200)
    expect(refusal(await again.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
  })

  test('ends sessions at once when access ends or roles change', async () => {
    const one = await operator(app, ['support'])
    const path = `/operators/${one.id}`
    expect((await one.ask('GET', '/auth/me')).status).toBe(200)
    const change = data<{ id: string }>(
      await admin[0]!.ask('POST', `${path}/roles`, { body: { roles: ['risk'], reason: 'moved' } }),
    )
    expect(change).toMatchObject({ kind: 'roles', roles: ['risk'], status: 'Pending', own: true })
    expect((await one.ask('GET', '/auth/me')).json, 'nothing has changed yet').toMatchObject({
      data: { roles: ['support'] },
    })
    const approve = (who: DeskOperator) => who.ask('POST', `/operator-changes/${change.id}/approve`)
    expect(refusal(await approve(admin[0]!))).toEqual([409, 'second_person_required'])
    const replies = await Promise.all(Array.from({ length: 5 }, () => approve(admin[1]!)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect(refusal(await one.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
    const again = await signInAgain(app, one, Date.now() + 30_000)
    expect(again.roles).toEqual(['risk'])
    expect((await admin[0]!.ask('POST', `${path}/end`, { body: { reason: 'left' } })).status).toBe(200)
    expect(refusal(await again.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
    expect(refusal(await admin[0]!.ask('POST', `${path}/end`, { body: { reason: 'left' } }))).toEqual([
      409,
      'wrong_state',
    ])
    const self = `/operators/${admin[0]!.id}/end`
    expect(refusal(await admin[0]!.ask('POST', self, { body: { reason: 'bye' } }))).toEqual([409, 'own_item'])
  })

  test('takes two admins to invite, and e-mails the link to the invitee only', async () => {
    const body = { email: 'new@desk.example', roles: ['support', 'risk'] }
    const proposed = await admin[0]!.ask('POST', '/operators', { body })
    const { id } = data<{ id: string }>(proposed)
    expect(refusal(await admin[0]!.ask('POST', '/operators', { body }))).toEqual([409, 'wrong_state'])
    const approve = (who: DeskOperator) => who.ask('POST', `/operator-changes/${id}/approve`)
    expect(refusal(await approve(admin[0]!))).toEqual([409, 'second_person_required'])
    expect(refusal(await approve(finance[0]!))).toEqual([403, 'forbidden'])
    const approved = await approve(admin[1]!)
    expect(data(approved)).toMatchObject({ status: 'Approved', email: 'new@desk.example' })
    const [mail] = JSON.parse((await app.send('GET', '/mailbox.json?to=new@desk.example')).text) as {
      links: string[]
    }[]
    const token = new URL(mail!.links[0]!).searchParams.get('token')!
    expect(proposed.text + approved.text).not.toContain(token)
    expect((await app.send('POST', '/api/desk/auth/join', { body: { token, password: DESK_PASSWORD } })).status).toBe(
      200,
    )
    expect(data(await admin[0]!.ask('GET', '/operators?status=Invited'))).toContainEqual(
      expect.objectContaining({ email: 'new@desk.example', status: 'Invited', roles: ['support', 'risk'] }),
    )
    const known = { email: finance[0]!.email.toUpperCase(), roles: ['admin'] }
    expect(refusal(await admin[0]!.ask('POST', '/operators', { body: known }))).toEqual([409, 'already_exists'])
    const twice = { email: 'x@desk.example', roles: ['risk', 'risk'] }
    expect(refusal(await admin[0]!.ask('POST', '/operators', { body: twice }))).toEqual([422, 'validation_failed'])
  })
})

describe('deposits', () => {
  const approve = (who: DeskOperator, id: string, amount: number) =>
    who.ask('POST', `/deposits/${id}/approve`, { body: { amount } })

  test('credits on one approval up to the threshold, above it on two with the same amount', async () => {
    const small = await items.deposits(1_000)
    expect(data<DeskDeposit>(await approve(finance[0]!, small.id, 1_000))).toMatchObject({
      status: 'Approved',
      amount: 1_000,
      approvals: 1,
    })
    const large = await items.deposits(1_000)
    expect(data<DeskDeposit>(await approve(finance[0]!, large.id, 1_000.01))).toMatchObject({
      status: 'Pending',
      approvals: 1,
      approvals_needed: 2,
      claimed_by: null,
    })
    expect(refusal(await approve(finance[0]!, large.id, 1_000.01))).toEqual([409, 'second_person_required'])
    expect(refusal(await approve(finance[1]!, large.id, 1_000.02))).toEqual([409, 'wrong_state'])
    expect((await app.balances(large.trader)).balance).toBe(0)
    expect(data<DeskDeposit>(await approve(finance[1]!, large.id, 1_000.01))).toMatchObject({ status: 'Approved' })
    expect((await app.balances(large.trader)).balance).toBe(1_000.01)
    const rows = await auditOf('deposits', large.id)
    expect(rows.map(({ action, operator }) => [action, operator])).toEqual([
      ['approve', finance[1]!.email],
      ['approve', finance[0]!.email],
    ])
    expect(rows[0]).toMatchObject({
      before: { status: 'Pending', approvals: 1 },
      after: { status: 'Approved', amount: '1000.01' },
    })
  })

  test('adds up small deposits that one operator approves for one trader', async () => {
    const [first, second] = [await operator(app, ['finance']), await operator(app, ['finance'])]
    const { id, trader } = await items.deposits(600)
    const another = async (dollars: number) => {
      const body = new FormData()
      body.set('usd_amount', String(dollars))
      body.set('receipt', new Blob([new Uint8Array(await photo())], { type: 'image/jpeg' }), 'receipt.jpg')
      const reply = await app.send('POST', '/api/deposit', { token: trader.token, body })
      return data<{ deposit_id: string }>(reply).deposit_id
    }
    expect(data<DeskDeposit>(await approve(first, id, 600))).toMatchObject({ status: 'Approved' })
    const over = await another(500)
    const within = await another(400)
    const apart = await another(500)
    expect(data<DeskDeposit>(await approve(first, over, 500))).toMatchObject({ status: 'Pending', approvals_needed: 2 })
    expect(data<DeskDeposit>(await approve(first, within, 400))).toMatchObject({ status: 'Approved' })
    expect(data<DeskDeposit>(await approve(second, over, 500))).toMatchObject({ status: 'Approved' })
    expect(data<DeskDeposit>(await approve(second, apart, 500)), 'two people approved the other one').toMatchObject({
      status: 'Approved',
    })
    // Withdrawals count with deposits.
    const sent = await app.send('POST', '/api/withdraw', {
      token: trader.token,
      body: { amount: 100, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
    })
    const { withdraw_id: out } = data<{ withdraw_id: string }>(sent)
    expect(data(await first.ask('POST', `/withdrawals/${out}/approve`))).toMatchObject({ status: 'Pending' })
    // A day later it is forgotten.
    await asSuper(
      `set session_replication_role = 'replica'`,
      `update deposit_approvals set at = at - interval '24 hours' where operator_id = ${first.id}`,
    )
    expect(data<DeskDeposit>(await approve(first, await another(1_000), 1_000))).toMatchObject({ status: 'Approved' })
  })

  test('adds them up in the database too', async () => {
    const { id, trader } = await items.deposits(900)
    const other = await items.deposits(200)
    const who = await operator(app, ['finance'])
    data(await approve(who, id, 900))
    const number = parsePublicId(other.id)
    await expect(
      asSuper(
        'begin',
        `update deposits set user_id = ${trader.id} where id = ${number}`,
        `insert into deposit_approvals (deposit_id, operator_id, amount) values (${number}, ${who.id}, 20000)`,
        `update deposits set status = 'Approved', credited = 20000, decided_at = now() where id = ${number}`,
      ),
    ).rejects.toThrow(/lacks an approval/)
  })

  test('takes two people to reverse', async () => {
    const { id, trader } = await items.deposits(500)
    data(await approve(finance[0]!, id, 500))
    const propose = (who: DeskOperator, amount: number, reference = `R-${id}`) =>
      who.ask('POST', `/deposits/${id}/reverse`, { body: { amount, reference, reason: 'The bank called it back.' } })
    expect(refusal(await propose(finance[0]!, 500.01))).toEqual([409, 'wrong_state'])
    const reversal = data<DeskReversal>(await propose(finance[0]!, 200))
    expect(reversal).toMatchObject({ status: 'Pending', amount: 200, deposit_id: id, credited: 500, reversed: 0 })
    expect((await app.balances(trader)).balance, 'one person alone moves nothing').toBe(500)
    expect(refusal(await propose(finance[1]!, 100, 'another'))).toEqual([409, 'wrong_state'])
    const decide = (who: DeskOperator, what: 'approve' | 'reject', of = reversal.id) =>
      who.ask('POST', `/reversals/${of}/${what}`, what === 'reject' ? { body: { reason: 'No.' } } : {})
    for (const what of ['approve', 'reject'] as const)
      expect(refusal(await decide(finance[0]!, what))).toEqual([409, 'second_person_required'])
    const many = await twenty(() => decide(finance[1]!, 'approve'))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await app.balances(trader)).balance).toBe(300)
    expect(refusal(await propose(finance[0]!, 200)), 'the same reference again').toEqual([409, 'wrong_state'])
    const rejected = data<DeskReversal>(await propose(finance[1]!, 300, 'wrong one'))
    expect(data(await decide(finance[0]!, 'reject', rejected.id))).toMatchObject({ status: 'Rejected', reversed: 200 })
    expect((await auditOf('reversals', reversal.id)).map(({ action }) => action)).toEqual(['approve', 'propose'])
    expect((await app.balances(trader)).balance).toBe(300)
  })

  test('rejects one person on both sides of a reversal in the database', async () => {
    const { id } = await items.deposits(500)
    data(await approve(finance[0]!, id, 500))
    const number = parsePublicId(id)
    await expect(
      app.pool.query(
        `insert into reversal_proposals (deposit_id, amount, reference, reason, status, proposed_by, decided_by, decided_at)
         values ($1, 100, 'r', 'r', 'Approved', $2, $2, now())`,
        [number, finance[0]!.id],
      ),
    ).rejects.toThrow(/reversal_proposals_four_eyes/)
    await expect(
      app.pool.query(`insert into deposit_reversals (id, deposit_id, amount, reference) values (1, $1, 100, 'alone')`, [
        number,
      ]),
    ).rejects.toThrow(/neither an approved proposal/)
  })

  test('credits once on twenty approvals at once', async () => {
    const { id, trader } = await items.deposits(500)
    const many = await Promise.all(Array.from({ length: 3 }, () => operator(app, ['finance'])))
    const replies = await twenty((n) => approve(many[n % 3]!, id, 500))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies) expect([200, 409]).toContain(reply.status)
    expect((await app.balances(trader)).balance).toBe(500)
    expect(await auditOf('deposits', id)).toHaveLength(1)
  })

  test('notifies the trader in the app and by e-mail', async () => {
    const { id, trader } = await items.deposits(50)
    await finance[0]!.ask('POST', `/deposits/${id}/reject`, { body: { reason: 'Nothing arrived.' } })
    expect((await notices(trader)).map(({ text }) => text).join()).toContain('Nothing arrived.')
  })

  test('shows receipts and bank numbers to finance and audits each view', async () => {
    const { id } = await items.deposits()
    const receipt = await finance[0]!.ask('GET', `/deposits/${id}/receipt`)
    expect([receipt.status, receipt.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await auditOf('deposits', id)).map(({ action }) => action)).toEqual(['view'])
    const bank = await items.bank()
    const row = data<{ wallet: string }[]>(await finance[0]!.ask('GET', `/withdrawals?user=${bank.trader.id}`))[0]!
    expect(row.wallet).toBe('Bank, account ending 6789')
    expect(data(await finance[0]!.ask('GET', `/withdrawals/${bank.id}/bank`))).toMatchObject({
      account_number: '000123456789',
      routing_number: '021000021',
    })
    expect((await auditOf('withdrawals', bank.id)).map(({ action }) => action)).toEqual(['view'])
    const { rows } = await app.pool.query(`select * from audit where after::text like '%000123456789%'`)
    expect(rows).toEqual([])
  })
})

describe('withdrawals', () => {
  test('takes two people above the threshold, then anyone in finance pays', async () => {
    const { id, trader } = await items.withdrawals(2_000)
    const approve = (who: DeskOperator) => who.ask('POST', `/withdrawals/${id}/approve`)
    expect(data(await approve(finance[0]!))).toMatchObject({ status: 'Pending', approvals: 1, approvals_needed: 2 })
    const early = await finance[0]!.ask('POST', `/withdrawals/${id}/paid`, { body: { reference: 'TX-1' } })
    expect(refusal(early)).toEqual([409, 'wrong_state'])
    expect(data(await approve(finance[1]!))).toMatchObject({ status: 'Processing' })
    const paid = await finance[0]!.ask('POST', `/withdrawals/${id}/paid`, { body: { reference: 'TX-1' } })
    expect(data(paid)).toMatchObject({ status: 'Paid', reference: 'TX-1' })
    expect((await app.balances(trader)).balance).toBe(0)
    expect((await auditOf('withdrawals', id)).map(({ action }) => action)).toEqual(['paid', 'approve', 'approve'])
  })
})

describe('messages', () => {
  test('rejects the sixth message of an address in an hour', () => {
    const { fromNetwork } = contactLimits(1)
    for (let n = 0; n < 5; n++) fromNetwork.take('192.0.2.1')
    expect(() => fromNetwork.check('192.0.2.1')).toThrow(expect.objectContaining({ code: 'too_many_requests' }))
    fromNetwork.check('192.0.2.2')
  })

  test('reach the desk and the mailbox, are answered by e-mail, and closed', async () => {
    const support = await operator(app, ['support'])
    const { id, trader } = await items.messages('Where is my money?\r\nBcc: evil@example.org')
    const received = await app.send('GET', '/mailbox.json?to=support@cleartick.example')
    expect(received.text).toContain('Where is my money?')
    const reply = await support.ask('POST', `/messages/${id}/reply`, { body: { text: 'On its way.' } })
    expect(data(reply)).toMatchObject({ status: 'Open', replies: [{ email: support.email, text: 'On its way.' }] })
    const answered = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(trader.email)}`)
    expect(answered.text).toContain('On its way.')
    expect(data(await support.ask('POST', `/messages/${id}/close`))).toMatchObject({ status: 'Closed' })
    const late = await support.ask('POST', `/messages/${id}/reply`, { body: { text: 'More.' } })
    expect(refusal(late)).toEqual([409, 'wrong_state'])
  })

  test('treats markup as text and neutralises formulas in CSV', async () => {
    const words = ['<script>alert(1)</script>', '=HYPERLINK("http://evil.example")', '@SUM(1)', '+1', '-1', 'a\ud800b']
    const support = await operator(app, ['support'])
    for (const message of words) {
      // A name needs a letter.
      const body = { name: /\p{L}/u.test(message) ? message : 'Eve', email: 'eve@example.org', message }
      expect((await app.send('POST', '/api/public/contact', { body })).status).toBe(200)
    }
    const listed = await support.ask('GET', '/messages?limit=6')
    expect(data<{ message: string }[]>(listed).map(({ message }) => message)).toEqual(
      words.map((word) => word.toWellFormed()).reverse(),
    )
    const { text, headers } = await support.ask('GET', '/messages?format=csv')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="messages.csv"')
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
    for (const start of ["'@SUM(1)", "'+1", "'-1"]) expect(text).toContain(`,${start},`)
    for (const line of text.split('\r\n').slice(1))
      for (const cell of line.split(',')) expect(cell).not.toMatch(/^"?[=@+-]/)
  })
})

describe('a list', () => {
  test('contains every row once, in any page size and order, and as a file', async () => {
    for (let n = 0; n < 3; n++) await items.messages(`number ${n}`)
    const support = await operator(app, ['support'])
    const walk = async (query: string) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { json } = await support.ask('GET', `/messages?limit=2${query}${cursor ? `&cursor=${cursor}` : ''}`)
        seen.push(...(json!.data as { id: string }[]).map(({ id }) => id))
        cursor = json!.next_cursor as string | undefined
      } while (cursor)
      return seen
    }
    const seen = await walk('')
    expect(seen.length).toBeGreaterThan(2)
    expect(await walk('&order=oldest')).toEqual(seen.toReversed())
    expect(refusal(await support.ask('GET', '/messages?order=newest'))).toEqual([422, 'validation_failed'])
    const { text } = await support.ask('GET', '/messages?format=csv&limit=1')
    // One of the messages contains a line break.
    const ids = text.split('\r\n').flatMap((line) => /^(\d+),/.exec(line)?.[1] ?? [])
    expect(ids).toEqual(seen)
    for (const bad of ['x', '-1', '0', '1e3'])
      expect(refusal(await support.ask('GET', `/messages?cursor=${bad}`))).toEqual([422, 'validation_failed'])
  })
})

describe('locks', () => {
  const lock = (trader: Trader, body: object) =>
    risk[0]!.ask('POST', `/users/${trader.id}/locks`, { body: { reason: 'A look at the account.', ...body } })

  test('trading: rejects every further order of both accounts, even among twenty concurrent ones', async () => {
    const trader = await items.verified(100)
    await app.submit(trader)
    expect(data(await lock(trader, { trading: true }))).toMatchObject({ trading: true, deposits: false })
    for (const mode of ['demo', 'real'] as const) {
      const replies = await twenty(() =>
        app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, mode, amount: 1 } }),
      )
      for (const reply of replies) expect(refusal(reply)).toEqual([422, 'account_locked'])
    }
    expect(await app.balances(trader)).toEqual({ balance: 100, demo_balance: 9_990 })
    expect((await notices(trader))[0]).toMatchObject({ kind: 'account', title: expect.stringContaining('trading') })
    await lock(trader, { trading: false })
    await app.submit(trader)
  })

  test('trading: still replays the response of a stored key', async () => {
    const trader = await app.trader()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await app.submit(trader, {}, headers)
    await lock(trader, { trading: true })
    expect((await app.submit(trader, {}, headers)).trade_id).toBe(first.trade_id)
  })

  test('deposits and withdrawals', async () => {
    const trader = await items.verified(100)
    await lock(trader, { deposits: true, withdrawals: true })
    const body = { amount: 10, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }
    expect(refusal(await app.send('POST', '/api/withdraw', { token: trader.token, body }))).toEqual([
      422,
      'account_locked',
    ])
    const address = await app.send('GET', '/api/deposit/wallet-address', { token: trader.token })
    expect(refusal(address)).toEqual([422, 'account_locked'])
    await lock(trader, { deposits: false, withdrawals: false })
    expect((await app.send('POST', '/api/withdraw', { token: trader.token, body })).status).toBe(200)
  })

  test('sign-in: ends sessions and sockets within a second and rejects sign-in', async () => {
    const trader = await app.trader()
    const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/api/stream`)
    onTestFinished(() => socket.terminate())
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    await new Promise((resolve) => socket.once('open', resolve))
    const ready = new Promise((resolve) => socket.once('message', resolve))
    socket.send(JSON.stringify({ op: 'auth', token: trader.token }))
    await ready
    await lock(trader, { sign_in: true })
    const code = await Promise.race([closed, sleep(1_000)])
    expect(code).toBe(4401)
    expect(refusal(await app.send('GET', '/api/users/me', { token: trader.token }))).toEqual([401, 'unauthenticated'])
    const { email, password } = trader
    expect(refusal(await app.send('POST', '/api/auth/login', { body: { email, password } }))).toEqual([
      403,
      'sign_in_locked',
    ])
    await lock(trader, { sign_in: false })
    await app.trader(trader)
  })

  test('change only those that are named', async () => {
    const trader = await app.trader()
    expect(refusal(await lock(trader, {}))).toEqual([422, 'validation_failed'])
    await lock(trader, { trading: true })
    expect(data(await lock(trader, { deposits: true }))).toMatchObject({ trading: true, deposits: true })
    const picture = data<DeskUserPicture>(await auditor.ask('GET', `/users/${trader.id}`))
    expect(picture.locks).toEqual({ trading: true, deposits: true, withdrawals: false, sign_in: false })
    expect(picture.lock_reasons.map(({ kind, email }) => [kind, email])).toEqual([
      ['trading', risk[0]!.email],
      ['deposits', risk[0]!.email],
    ])
    await lock(trader, { trading: false, deposits: false })
  })
})

describe('adjustments', () => {
  const propose = (trader: Trader, body: object) =>
    finance[0]!.ask('POST', `/users/${trader.id}/adjustments`, { body: { reason: 'a mistake of ours', ...body } })
  const decide = (who: DeskOperator, id: string, step: 'approve' | 'reject') =>
    who.ask('POST', `/adjustments/${id}/${step}`, step === 'reject' ? { body: { reason: 'no' } } : {})

  test('move money once, only after a second operator approves, in both accounts', async () => {
    const trader = await app.trader()
    for (const [book, amount] of [
      ['real', 25.5],
      ['demo', -1_000.01],
    ] as const) {
      const { id } = data<{ id: string }>(await propose(trader, { book, amount }))
      expect((await app.balances(trader)).demo_balance).toBe(10_000)
      expect(refusal(await decide(finance[0]!, id, 'approve'))).toEqual([409, 'second_person_required'])
      expect(refusal(await decide(finance[0]!, id, 'reject'))).toEqual([409, 'second_person_required'])
      const replies = await twenty(() => decide(finance[1]!, id, 'approve'))
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    }
    expect(await app.balances(trader)).toEqual({ balance: 25.5, demo_balance: 8_999.99 })
    expect((await notices(trader)).map(({ title }) => title)).toEqual([
      '$1,000.01 was taken from your demo account',
      '$25.50 was added to your real account',
    ])
  })

  test('never go below zero, and a rejected approval leaves the proposal pending', async () => {
    const trader = await items.verified(10)
    const { id } = data<{ id: string }>(await propose(trader, { book: 'real', amount: -10.01 }))
    expect(refusal(await decide(finance[1]!, id, 'approve'))).toEqual([422, 'insufficient_balance'])
    const [row] = data<{ status: string }[]>(await finance[1]!.ask('GET', `/adjustments?user=${trader.id}`))
    expect(row).toMatchObject({ status: 'Pending', amount: -10.01 })
    expect((await auditOf('adjustments', id)).map(({ action }) => action)).toEqual(['propose'])
    expect(data(await decide(finance[1]!, id, 'reject'))).toMatchObject({ status: 'Rejected', decision_reason: 'no' })
  })

  test.each([0, -0, 0.001, 1e21, '5', null, [5], true])('%j is no amount', async (amount) => {
    const trader = await app.trader()
    expect(refusal(await propose(trader, { book: 'real', amount }))).toEqual([422, 'validation_failed'])
  })

  test('reject one person for both in the database', async () => {
    const trader = await app.trader()
    const { id } = data<{ id: string }>(await propose(trader, { book: 'real', amount: 5 }))
    const alone = app.pool.query(
      `update adjustments set status = 'Approved', decided_by = proposed_by, decided_at = now() where id = $1`,
      [id],
    )
    await expect(alone).rejects.toThrow(/adjustments_four_eyes/)
    await decide(finance[1]!, id, 'reject')
  })
})

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  test('creates a proposal once and always replays its first response', async () => {
    const { trader } = await items.users()
    const propose = (who: DeskOperator, amount: number, key = 'one adjustment') =>
      who.ask('POST', `/users/${trader.id}/adjustments`, {
        body: { book: 'demo', amount, reason: 'r' },
        headers: keyed(key),
      })
    const replies = await twenty(() => propose(finance[0]!, 5))
    const [first] = replies
    expect(first!.status).toBe(200)
    for (const reply of replies) expect(reply.json).toEqual(first!.json)
    const { id } = data<{ id: string }>(first!)
    data(await finance[1]!.ask('POST', `/adjustments/${id}/approve`))
    expect((await propose(finance[0]!, 5)).json).toEqual(first!.json)
    expect(refusal(await propose(finance[0]!, 6))).toEqual([409, 'idempotency_mismatch'])
    expect(data<{ id: string }>(await propose(finance[1]!, 5)).id, "another operator's key").not.toBe(id)
    expect(await auditOf('adjustments', id)).toHaveLength(2)
  })

  test('approves, rejects, reverses and pays once, replaying the first response', async () => {
    const deposit = await items.deposits(500)
    const withdrawal = await items.withdrawals(100)
    for (const [path, body] of [
      [`/deposits/${deposit.id}/approve`, { amount: 500 }],
      [`/deposits/${deposit.id}/reverse`, { amount: 10, reference: `K-${deposit.id}`, reason: 'r' }],
      [`/withdrawals/${withdrawal.id}/approve`, undefined],
      [`/withdrawals/${withdrawal.id}/paid`, { reference: 'TX' }],
    ] as const) {
      const sent = { headers: keyed(path), ...(body ? { body } : {}) }
      const first = await finance[0]!.ask('POST', path, sent)
      expect(first.status, first.text).toBe(200)
      const again = await finance[0]!.ask('POST', path, sent)
      expect([again.status, again.text]).toEqual([200, first.text])
    }
    expect(
      data<DeskDeposit>(
        await finance[1]!.ask('POST', `/deposits/${(await items.deposits(50)).id}/reject`, {
          body: { reason: 'r' },
          headers: keyed('reject'),
        }),
      ),
    ).toMatchObject({ status: 'Rejected' })
    expect((await app.balances(deposit.trader)).balance).toBe(500)
  })

  test('is free again after a rejection', async () => {
    const { id } = await items.deposits(50)
    const approve = (amount: number) =>
      finance[0]!.ask('POST', `/deposits/${id}/approve`, { body: { amount }, headers: keyed('tried twice') })
    data(await finance[1]!.ask('POST', `/deposits/${id}/claim`))
    expect(refusal(await approve(50))).toEqual([409, 'claimed'])
    data(await finance[1]!.ask('POST', `/deposits/${id}/release`))
    data(await approve(50))
  })
})

describe('voids', () => {
  const asked = (who: DeskOperator, id: string, reason = 'A wrong price was shown.') =>
    who.ask('POST', `/trades/${id}/void`, { body: { reason } })

  test('take two operators, return the stake and show the trader the reason', async () => {
    const { id, trader } = await items.trades({ amount: 120 })
    expect(data(await asked(risk[0]!, id))).toMatchObject({
      status: 'Pending',
      void: { proposed_by: { email: risk[0]!.email }, completed_by: null },
    })
    expect(refusal(await asked(risk[0]!, id))).toEqual([409, 'second_person_required'])
    expect((await app.balances(trader)).demo_balance).toBe(9_880)
    expect(data(await asked(risk[1]!, id, 'I agree'))).toMatchObject({
      status: 'Void',
      payout: 120,
      outcome_reason: expect.stringContaining('A wrong price was shown.'),
      void: { completed_by: { email: risk[1]!.email } },
    })
    expect((await app.balances(trader)).demo_balance).toBe(10_000)
    expect(refusal(await asked(risk[0]!, id))).toEqual([409, 'wrong_state'])
    expect((await notices(trader))[0]).toMatchObject({ kind: 'trade', text: expect.stringContaining('120.00') })
  })

  test('void once on twenty requests at once', async () => {
    const { id, trader } = await items.trades({ amount: 5 })
    await asked(risk[0]!, id)
    const replies = await twenty(() => asked(risk[1]!, id))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    expect((await app.balances(trader)).demo_balance).toBe(10_000)
  })
})

describe('settings', () => {
  const change = (body: object) => admin[0]!.ask('PATCH', '/settings', { body: { reason: 'a new year', ...body } })
  const decide = (who: DeskOperator, id: string, step: 'approve' | 'reject') =>
    who.ask('POST', `/settings/changes/${id}/${step}`, step === 'reject' ? { body: { reason: 'no' } } : {})

  test('take effect after a second admin approves', async () => {
    const before = data<Record<string, unknown>>(await admin[0]!.ask('GET', '/settings'))
    const { id } = data<{ id: string }>(
      await change({ stake_max: 5_000, symbol_limits: [{ symbol: 'ETHUSDT', open_max: 0 }] }),
    )
    expect(data(await admin[1]!.ask('GET', '/settings'))).toMatchObject({ stake_max: 10_000, waiting: [{ id }] })
    expect(refusal(await decide(admin[0]!, id, 'approve'))).toEqual([409, 'second_person_required'])
    expect(data(await decide(admin[1]!, id, 'approve'))).toMatchObject({
      status: 'Approved',
      changes: { stake_max: 5_000 },
      before: { stake_max: 10_000 },
    })
    expect(refusal(await decide(admin[1]!, id, 'reject'))).toEqual([409, 'wrong_state'])
    await sleep(1_200)
    const trader = await items.verified(100)
    const submit = (order: object) =>
      app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, ...order } })
    expect(refusal(await submit({ amount: 5_000.01 }))).toEqual([422, 'limit_reached'])
    expect(refusal(await submit({ symbol: 'ETHUSDT', mode: 'real' }))).toEqual([422, 'limit_reached'])
    const back = data<{ id: string }>(
      await change({ stake_max: 10_000, symbol_limits: [{ symbol: 'ETHUSDT', open_max: null }] }),
    )
    await decide(admin[1]!, back.id, 'approve')
    expect(data(await admin[0]!.ask('GET', '/settings'))).toEqual(before)
  })

  test('leave open trades running when the limit is lowered', async () => {
    const trader = await app.trader()
    await app.submit(trader, { amount: 500 })
    for (const open_stake_max of [100, 50_000]) {
      const { id } = data<{ id: string }>(await change({ open_stake_max }))
      await decide(admin[1]!, id, 'approve')
      expect(await app.broken()).toEqual([])
    }
  })

  test.each([
    {},
    { stake_max: 0 },
    { stake_max: '5' },
    { symbol_limits: [{ symbol: 'NOPE', open_max: 1 }] },
    { symbol_limits: [{ symbol: 'SPX', open_max: 1 }] },
    { btc_address: 'nonsense' },
    { btc_address: '0x52908400098527886E0F7030069857D2E4169EE7' },
    { eth_address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
    { deposit_two_person_amount: -1 },
  ])('%j is refused', async (body) => {
    expect(refusal(await change(body))).toEqual([422, 'validation_failed'])
  })
})

describe('users', () => {
  test('are found by e-mail, name and number, with all their details', async () => {
    const { trader } = await items.withdrawals(40)
    await app.submit(trader)
    for (const q of [trader.email.slice(0, 15).toUpperCase(), trader.id, 'eve byr']) {
      const { json } = await auditor.ask('GET', `/users?q=${encodeURIComponent(q)}&limit=200`)
      expect(
        (json!.data as { id: string }[]).map(({ id }) => id),
        q,
      ).toContain(trader.id)
    }
    for (const q of ['%', '_', '\\', "' or 1=1 --"])
      expect((await auditor.ask('GET', `/users?q=${encodeURIComponent(q)}`)).json!.data, q).toEqual([])
    const picture = data<DeskUserPicture>(await auditor.ask('GET', `/users/${trader.id}`))
    expect(picture).toMatchObject({
      id: trader.id,
      email: trader.email,
      accounts: { real: { balance: 0, hold: 40, escrow: 0, owed: 0 }, demo: { balance: 9_990, escrow: 10 } },
      withdrawals: [{ amount: 40, status: 'Pending' }],
      own: false,
    })
    expect(picture.sessions).toHaveLength(1)
    const ledger = data<{ change: number; balance: number; cause: string }[]>(
      await auditor.ask('GET', `/users/${trader.id}/ledger?book=real`),
    )
    expect(ledger.map(({ cause, change, balance }) => [cause, change, balance])).toEqual([
      ['withdraw_hold', -40, 0],
      ['deposit_credit', 40, 40],
    ])
  })

  test('have notes that only the desk sees and no one changes', async () => {
    const trader = await app.trader()
    const text = '<img src=x onerror=alert(1)>'
    expect(data(await risk[0]!.ask('POST', `/users/${trader.id}/notes`, { body: { text } }))).toMatchObject({ text })
    const picture = data<DeskUserPicture>(await auditor.ask('GET', `/users/${trader.id}`))
    expect(picture.notes).toMatchObject([{ text, email: risk[0]!.email }])
    await expect(app.pool.query('delete from notes')).rejects.toThrow(/denied|final/)
  })
})

describe('what is open', () => {
  test('exposure adds up by side', async () => {
    const exposure = async () =>
      data<{ symbol: string; buy: { trades: number; stake: number }; sell: { stake: number } }[]>(
        await risk[0]!.ask('GET', '/exposure?mode=demo'),
      ).find(({ symbol }) => symbol === 'XRPUSDT')
    expect(await exposure()).toBeUndefined()
    const trader = await app.trader()
    await app.submit(trader, { symbol: 'XRPUSDT', amount: 10 })
    await app.submit(trader, { symbol: 'XRPUSDT', amount: 20, trade_mode: 'Sell' })
    expect(await exposure()).toMatchObject({
      buy: { trades: 1, stake: 10 },
      sell: { trades: 1, stake: 20 },
      status: 'open',
    })
  })

  test('counts pending items in the overview', async () => {
    const { id } = await items.deposits(77)
    const queue = async () =>
      data<{ queues: { queue: string; waiting: number; unclaimed: number; mine: number; amount: number }[] }>(
        await finance[0]!.ask('GET', '/overview'),
      ).queues.find((one) => one.queue === 'deposits')!
    const before = await queue()
    expect(before.amount).toBeGreaterThanOrEqual(77)
    await finance[0]!.ask('POST', `/deposits/${id}/claim`)
    expect(await queue()).toMatchObject({ waiting: before.waiting, unclaimed: before.unclaimed - 1, mine: 1 })
    await finance[0]!.ask('POST', `/deposits/${id}/reject`, { body: { reason: 'no' } })
    expect(await queue()).toMatchObject({ waiting: before.waiting - 1, mine: 0 })
  })

  test('frees a claim after 30 minutes without an action', async () => {
    const { id } = await items.deposits()
    await finance[0]!.ask('POST', `/deposits/${id}/claim`)
    expect(refusal(await finance[1]!.ask('POST', `/deposits/${id}/claim`))).toEqual([409, 'claimed'])
    await asSuper(`update claims set acted_at = now() - interval '31 minutes'`)
    expect((await finance[1]!.ask('POST', `/deposits/${id}/claim`)).status).toBe(200)
    expect(refusal(await finance[0]!.ask('POST', `/deposits/${id}/claim`))).toEqual([409, 'claimed'])
  })

  test('lists every instrument in the feeds', async () => {
    const feeds = data<{ source: string; symbols: { status: string }[] }>(await auditor.ask('GET', '/feeds'))
    expect(feeds.source).toBe('simulation')
    expect(feeds.symbols).toHaveLength(82)
  })
})

describe('the audit log', () => {
  const verify = async () =>
    data<{ ok: boolean; broken: string | null; rows: number }>(await auditor.ask('GET', '/audit/verify'))

  test('the application can neither change, remove nor forge a row', async () => {
    const forged = `insert into audit (n, at, operator, action, item_kind, item_id, previous, hash)
      values (1, '2000-01-01', 'forger', 'forge', 'x', 'x', sha256('x'), sha256('x'))`
    for (const statement of [
      forged,
      `update audit set why = 'x'`,
      'delete from audit',
      'truncate audit',
      `update audit_head set n = 0`,
      'delete from operator_actions',
      `update operator_actions set why = 'x'`,
    ])
      await expect(app.pool.query(statement)).rejects.toThrow(/denied/)
    // Whatever a writer says of number and hash, the database's own count.
    await asSuper(forged)
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('appends what a transaction recorded at its commit, in order, and not before', async () => {
    const { rows: before } = await verify()
    const client = await app.pool.connect()
    const record = (action: string) =>
      client.query(
        `insert into operator_actions (operator, action, item_kind, item_id) values ('somebody', '${action}', 'x', 'x')`,
      )
    await client.query('begin')
    await record('first')
    await record('second')
    expect(await verify()).toMatchObject({ ok: true, rows: before })
    await client.query('commit')
    await client.query('begin')
    await record('third')
    await client.query('rollback')
    client.release()
    expect(await verify()).toMatchObject({ ok: true, rows: before + 2 })
    const { rows: last } = await app.pool.query('select action from audit order by n desc limit 2')
    expect(last).toEqual([{ action: 'second' }, { action: 'first' }])
    await asSuper(
      'alter table operator_actions add constraint nothing_stays check (false)',
      'alter table operator_actions drop constraint nothing_stays',
    )
  })

  test('has no gap after fifty actions at once', async () => {
    const { rows } = await verify()
    const trader = await app.trader()
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        risk[n % 2]!.ask('POST', `/users/${trader.id}/notes`, { body: { text: `${n}` } }),
      ),
    )
    expect(await verify()).toMatchObject({ ok: true, rows: rows + 50 })
  })

  test('names a row that the superuser changed, removed, inserted or cut off', async () => {
    await verify()
    const { rows } = await app.pool.query<{ n: bigint }>('select max(n) as n from audit')
    const last = rows[0]!.n
    const tampered: [string, string, string][] = [
      ["update audit set why = 'x' where n = 5", 'row 5 was changed', 'why'],
      ["update audit set operator = 'x' where n = 7", 'row 7 was changed', 'operator'],
      ["update audit set at = at + interval '1 microsecond' where n = 3", 'row 3 was changed', 'at'],
      [`update audit set after = '{"x": 1}' where n = 2`, 'row 2 was changed', 'after'],
      ['update audit set user_id = 1 where n = 2', 'row 2 was changed', 'user'],
      ['delete from audit where n = 4', 'row 4 is missing', 'gap'],
      ['delete from audit where n = 1', 'row 1 is missing', 'first'],
      [`delete from audit where n = ${last}`, `row ${last} is missing`, 'last'],
      [
        `update audit a set why = 'x' where n = 6;
         update audit a set hash = audit_hash(a) where n = 6`,
        'row 7 does not follow row 6',
        'hash recomputed',
      ],
      [
        `update audit a set why = 'x' where n = ${last};
         update audit a set hash = audit_hash(a) where n = ${last}`,
        `row ${last} is not the one that was written last`,
        'last recomputed',
      ],
    ]
    for (const [statement, says, what] of tampered) {
      await asSuper('create table kept as select * from audit', 'set session_replication_role = replica', statement)
      expect(await verify(), what).toMatchObject({ ok: false, broken: says })
      await asSuper(
        'set session_replication_role = replica',
        'delete from audit',
        'insert into audit select * from kept',
        'drop table kept',
      )
      expect(await verify(), `after ${what}`).toMatchObject({ ok: true })
    }
  })
})

test('verify finds actions without a record or without their money', async () => {
  const { id: check, trader } = await items['identity-checks']()
  await auditor.ask('POST', `/identity-checks/${check}/approve`)
  const { id: deposit } = await items.deposits()
  const number = parsePublicId(deposit)
  const [one, two] = [finance[0]!.id, finance[1]!.id]
  const user = trader.id
  const decided = `'r', 'Approved', ${one}, ${two}, now()`
  const forged: [string, string[]][] = [
    [
      `insert into adjustments (user_id, book, amount, reason, status, proposed_by, decided_by, decided_at)
       values (${user}, 'real', 5, ${decided})`,
      ['H2', 'L9'],
    ],
    [
      `insert into settings_changes (changes, before, reason, status, proposed_by, decided_by, decided_at)
       values ('{}', '{}', ${decided})`,
      ['H2'],
    ],
    [`insert into deposit_approvals values (${number}, ${one}, 5)`, ['H2']],
    [`insert into user_locks values (${user}, 'deposits', ${one}, 'r')`, ['H2']],
    [`update accounts set trading_locked = true where user_id = ${user}`, ['H2']],
    [`update users set sign_in_locked_at = now() where id = ${user}`, ['H2']],
    [`update identity_checks set status = 'Rejected', reason = 'r' where id = ${check}`, ['H2']],
    ['delete from audit where n = 9', ['H1']],
  ]
  const client = new pg.Client({ connectionString: app.superUrl })
  await client.connect()
  onTestFinished(() => client.end())
  for (const [statement, names] of forged) {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await client.query(statement)
    const broken = new Set<string>()
    for (const { name, sql } of deskChecks) if ((await client.query(sql)).rowCount) broken.add(name)
    await client.query('rollback')
    expect([...broken].sort(), statement).toEqual(names)
  }
})
