import { afterAll, describe, expect, test } from 'vitest'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { openRateLimits } from '#server/platform/http/limits/rate-limit.ts'
import { contactLimits } from '#server/support/index.ts'
import { operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'

const { app, items, risk, auditor, stop } = await startDesk()
afterAll(stop)

describe('messages', () => {
  test('rejects the sixth message of an address in an hour', () => {
    const { fromNetwork } = contactLimits(openRateLimits(1))
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

describe('users', () => {
  test('are exported with a column for each lock, and times in UTC', async () => {
    const { trader } = await items.withdrawals(40)
    const compliance = await operator(app, ['compliance'])
    await compliance.ask('POST', `/users/${trader.id}/locks`, { body: { deposits: true, reason: 'Checked.' } })
    const reply = await auditor.ask('GET', `/users?q=${encodeURIComponent(trader.email)}&format=csv`)
    const [head, row] = reply.text.split('\r\n').map((line) => line.split(','))
    const cells = Object.fromEntries(head!.map((name, at) => [name, row![at]]))
    expect(cells).toMatchObject({
      email: trader.email,
      locks_trading: 'false',
      locks_deposits: 'true',
      locks_withdrawals: 'false',
      locks_sign_in: 'false',
      'created_at (UTC)': expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}$/),
      'ended_at (UTC)': '',
    })
  })

  test('are found by e-mail, name, number, trade and request, with all their details', async () => {
    const { trader, id: withdrawal } = await items.withdrawals(40)
    const { trade_id } = await app.submit(trader)
    for (const q of [
      trader.email.slice(0, 15).toUpperCase(),
      trader.id,
      'eve byr',
      trade_id,
      withdrawal,
      withdrawal.toLowerCase(),
    ]) {
      const { json } = await auditor.ask('GET', `/users?q=${encodeURIComponent(q)}&limit=200`)
      expect(
        (json!.data as { id: string }[]).map(({ id }) => id),
        q,
      ).toContain(trader.id)
    }
    for (const q of ['%', '_', '\\', "' or 1=1 --", '0000000000000'])
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
