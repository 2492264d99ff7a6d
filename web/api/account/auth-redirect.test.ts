import { expect, test } from 'vitest'
import { userPlace } from './auth-redirect.ts'

const ORIGIN = 'https://cleartick.example'

test.each(['/user', '/user/plan', '/user/trade-history?mode=demo', '/user/deposit-log#12', '/user/no-such'])(
  'sign-in leads back to %s',
  (place) => expect(userPlace(place, ORIGIN)).toBe(place),
)

test.each([
  null,
  '',
  'user/plan',
  '/',
  '/auth/signin',
  '/desk',
  '/userland',
  '//evil.example/user/plan',
  '/\\evil.example/user',
  '\\\\evil.example/user',
  'https://evil.example/user/plan',
  'javascript:alert(1)//user',
  '/user/../desk',
  '/user/..//evil.example',
  '/user\\..\\..\\desk',
])('sign-in never leads to %j', (place) => expect(userPlace(place, ORIGIN)).toBeUndefined())
