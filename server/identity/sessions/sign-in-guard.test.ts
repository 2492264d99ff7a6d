import { expect, test } from 'vitest'
import { Problem } from '#contract/problem.ts'
import { openRateLimits } from '../../platform/http/limits/rate-limit.ts'
import { signInGuard } from './sign-in-guard.ts'

const BOUNDS = { perOrigin: 10, perNetwork: 100, perAccount: 100 }
const stranger = (network: string) => ({ network, device: undefined, link: undefined })

function tries(begin: () => () => void, most = 1_000): { passed: number; refusal?: string } {
  for (let passed = 0; passed < most; passed++) {
    try {
      begin()
    } catch (error) {
      if (error instanceof Problem) return { passed, refusal: error.code }
      throw error
    }
  }
  return { passed: most }
}

test('allows a stranger ten attempts per account, in parallel too', () => {
  const guard = signInGuard(openRateLimits(1), 'passwords', BOUNDS)
  expect(tries(() => guard.begin('eve', stranger('a')))).toEqual({ passed: 10, refusal: 'sign_in_link_required' })
  expect(tries(() => guard.begin('ada', stranger('a')))).toEqual({ passed: 10, refusal: 'sign_in_link_required' })
})

test('allows a network a hundred attempts across all accounts', () => {
  const guard = signInGuard(openRateLimits(1), 'passwords', BOUNDS)
  let account = 0
  expect(tries(() => guard.begin(`account ${account++}`, stranger('a')))).toEqual({
    passed: 100,
    refusal: 'sign_in_link_required',
  })
})

test("strangers can't lock out the owner, who has separate limits for known devices and the e-mailed link", () => {
  const guard = signInGuard(openRateLimits(1), 'passwords', BOUNDS)
  let network = 0
  expect(tries(() => guard.begin('eve', stranger(`network ${network++}`)))).toEqual({
    passed: 100,
    refusal: 'sign_in_link_required',
  })
  expect(tries(() => guard.begin('eve', { ...stranger('home'), device: 'd' }))).toEqual({
    passed: 10,
    refusal: 'too_many_requests',
  })
  expect(tries(() => guard.begin('eve', { ...stranger('home'), link: 'l' }))).toEqual({
    passed: 10,
    refusal: 'too_many_requests',
  })
})

test('strangers who fill every counter refuse other strangers, but no known device and no link', () => {
  const guard = signInGuard(openRateLimits(1), 'passwords', BOUNDS)
  for (let n = 0; n < 100_000; n++) guard.begin(`account ${n}`, stranger(`network ${n}`))
  expect(tries(() => guard.begin('eve', stranger('home')))).toEqual({ passed: 0, refusal: 'sign_in_link_required' })
  expect(tries(() => guard.begin('eve', { ...stranger('home'), device: 'd' })).passed).toBe(10)
  expect(tries(() => guard.begin('eve', { ...stranger('home'), link: 'l' })).passed).toBe(10)
})

test("a guesser on the owner's own network can't use up the owner's link", () => {
  const guard = signInGuard(openRateLimits(1), 'passwords', BOUNDS)
  for (let account = 0; account < 100; account++) guard.begin(`account ${account}`, stranger('shared'))
  expect(tries(() => guard.begin('eve', stranger('shared')))).toEqual({ passed: 0, refusal: 'sign_in_link_required' })
  expect(tries(() => guard.begin('eve', { ...stranger('shared'), link: 'l' })).passed).toBe(10)
})

test('a correct attempt is refunded in every counter', () => {
  const guard = signInGuard(openRateLimits(1), 'passwords', BOUNDS)
  for (let n = 0; n < 500; n++) guard.begin('eve', stranger('a'))()
  expect(tries(() => guard.begin('eve', stranger('a'))).passed).toBe(10)
})
