import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPasswords } from '#server/identity/passwords/password.ts'
import { startContract } from '#tests/support/contract.ts'
import { operator } from '#tests/support/people/desk.ts'
import { draws } from '#tests/support/random.ts'
import { startWholeApp } from '#tests/support/servers/app.ts'
import { compareTimes, medianDifference } from './timing/compare.ts'

/** Largest accepted difference in ms: far below network noise, and less than any step that a response could skip. */
const BOUND_MS = 3
const MEASURING = { widthMs: 2, longestMs: 4_000 }

/** Hashing takes about 5 ms: less noise than at the shipped cost, and a skipped hash is still visible. */
const app = await startWholeApp({}, { passwordCost: { memory: 4_096, passes: 2, parallelism: 1 } })
const scene = await startContract(app)
afterAll(scene.stop)

let unknown = 0
const nobody = () => `nobody-${unknown++}@example.org`
const post = (path: string, body: object) => app.send('POST', `/api${path}`, { body })

describe('a known and an unknown address take the same time', () => {
  const subjects: Record<string, () => Promise<(email?: string) => Promise<{ status: number; text: string }>>> = {
    "a trader's sign-in": async () => {
      const { email } = await app.register()
      return (other = email) => post('/auth/login', { email: other, password: 'not this' })
    },
    'the sign-in of a trader with a second factor': async () => {
      const { email } = (await scene.withTotp()).trader
      return (other = email) => post('/auth/login', { email: other, password: 'not this', code: '000000' })
    },
    'a request for passkey options': async () => {
      const { email } = await app.confirmedTrader()
      return (other = email) => post('/auth/login/passkey-options', { email: other, password: 'not this' })
    },
    'a request to reset the password': async () => {
      const { email } = await app.confirmedTrader()
      return (other = email) => app.send('GET', `/api/auth/reset-password?email=${encodeURIComponent(other)}`)
    },
    'a registration of an unconfirmed address': async () => {
      const { email } = await app.register()
      let attempts = 0
      return (other = email) => {
        const password = `analytical engine ${attempts++}`
        const body = { firstname: 'Eve', lastname: 'Byron', email: other, phone: '+44 20 7946 0000', password }
        return post('/auth/register', { ...body, confirmPassword: password })
      }
    },
    "an operator's sign-in": async () => {
      const { email } = await operator(app, ['support'])
      return (other = email) => post('/desk/auth/login', { email: other, password: 'not this', code: '000000' })
    },
  }

  test.each(Object.entries(subjects))(
    '%s',
    async (_what, prepare) => {
      const ask = await prepare()
      const [known, notKnown] = [await ask(), await ask(nobody())]
      expect(notKnown.status).toBe(known.status)
      const difference = await compareTimes(
        () => ask(nobody()),
        () => ask(),
        MEASURING,
      )
      const says = `known minus unknown: ${JSON.stringify(difference)}`
      expect(difference.low, says).toBeLessThan(BOUND_MS)
      expect(difference.high, says).toBeGreaterThan(-BOUND_MS)
    },
    60_000,
  )

  test('so do a wrong password and a wrong code at the desk', async () => {
    const { email } = await operator(app, ['support'])
    const difference = await compareTimes(
      () => post('/desk/auth/login', { email, password: 'not this', code: '000000' }),
      () => post('/desk/auth/login', { email, password: 'difference engine', code: '000000' }),
      MEASURING,
    )
    expect(difference.low, JSON.stringify(difference)).toBeLessThan(BOUND_MS)
    expect(difference.high, JSON.stringify(difference)).toBeGreaterThan(-BOUND_MS)
  })
})

describe('the comparison', () => {
  test('detects a planted difference of 5 ms, and reports none without one', async () => {
    const server = createServer(async (request, response) => {
      if (request.url === '/slow') await sleep(6)
      else if (request.url === '/fast') await sleep(1)
      response.end('x')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ask = (path: string) => async () => (await fetch(origin + path)).text()
    const planted = await compareTimes(ask('/fast'), ask('/slow'), MEASURING)
    expect(planted.low, JSON.stringify(planted)).toBeGreaterThan(BOUND_MS)
    const turned = await compareTimes(ask('/slow'), ask('/fast'), MEASURING)
    expect(turned.high).toBeLessThan(-BOUND_MS)
    const same = await compareTimes(ask('/fast'), ask('/fast'), MEASURING)
    expect(same.low).toBeLessThan(BOUND_MS)
    expect(same.high).toBeGreaterThan(-BOUND_MS)
  })

  test('finds the median under heavy noise, with few false alarms', () => {
    const { normal, chance } = draws(3)
    const noise = () => 4 * normal() + (chance(0.05) ? 60 : 0)
    const intervals = (shift: number) =>
      Array.from({ length: 400 }, () => medianDifference(Array.from({ length: 200 }, () => shift + noise() - noise())))
    expect(intervals(0).filter(({ low, high }) => low > BOUND_MS || high < -BOUND_MS)).toEqual([])
    expect(intervals(0).filter(({ low, high }) => low > 0 || high < 0).length).toBeLessThanOrEqual(2)
    expect(intervals(8).filter(({ low }) => low > BOUND_MS).length).toBe(400)
    expect(medianDifference([1, 2, 3]).low).toBe(Number.NEGATIVE_INFINITY)
  })
})

test('a password takes the same work whether or not one is stored', async () => {
  const passwords = openPasswords()
  const stored = await passwords.hash('right')
  const verify = (hash: string | undefined) => () => passwords.verify('wrong', hash)
  const { low, high } = await compareTimes(verify(undefined), verify(stored), MEASURING)
  expect(low).toBeLessThan(BOUND_MS)
  expect(high).toBeGreaterThan(-BOUND_MS)
})
