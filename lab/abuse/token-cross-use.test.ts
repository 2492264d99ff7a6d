import { globSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { LENGTH } from '#contract/fields.ts'
import { startContract } from '#tests/support/contract.ts'
import { BEHIND_PROXY, startWholeApp } from '#tests/support/servers/app.ts'
import { type EntryPoint, type EntryPointName, entryPointsOf } from './tokens/entry-points.ts'
import { type Kind, kindsOf, METRICS_TOKEN, takesSignals, WEBHOOK_SECRET } from './tokens/kinds.ts'

const app = await startWholeApp({
  ...{ METRICS_TOKEN, ...BEHIND_PROXY },
  ...{ CARD_PROVIDER: 'stripe', STRIPE_SECRET_KEY: 'sk_test_unused', STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
})
const scene = await startContract(app)
/** A node of the same installation that limits, so that sign-in can need a link. */
const node = await app.otherNode({ ROLES: 'web', RATE_LIMITS: 'on' })
afterAll(async () => {
  await node.stop()
  await scene.stop()
})
/** Maximum length of a code at the desk. */
const DESK_CODE_MAX = 20
const entryPoints: Record<EntryPointName, EntryPoint> = entryPointsOf({
  app,
  limited: node.origin,
  picture: scene.picture,
  strategy: (await takesSignals(scene, await app.trader())).strategy,
})
const kinds: Record<string, Kind> = await kindsOf(scene, node.origin)

describe.each(Object.entries(kinds))('a %s', (_name, { issue, opens, also = [], isSingleUse }) => {
  test('works only where it is meant to', async () => {
    const { value, holder } = await issue()
    const got: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const [name, { present, refusal }] of Object.entries(entryPoints)) {
      if ([...opens, ...also].includes(name as EntryPointName)) continue
      got[name] = await present(value, holder)
      expected[name] = refusal
      // A value no longer than a code counts as a wrong code. Without a factor, the code is ignored.
      const isTraderCode = name === "a code at the trader's sign-in"
      if (refusal[1] === 'validation_failed' && value.length <= (isTraderCode ? LENGTH.factorCode : DESK_CODE_MAX))
        expected[name] = isTraderCode && !holder.hasFactor ? [200, undefined] : [422, 'invalid_credentials']
      if (refusal[1] === 'step_up_required' && !holder.hasFactor) expected[name] = [409, 'wrong_state']
      // Without a factor, the password alone signs in, and no call requires a step-up.
      if (name === 'a passkey at the sign-in' && !holder.hasFactor) expected[name] = [200, undefined]
      if (name === 'a passkey for a step-up' && (!holder.hasFactor || opens.includes('the step-up')))
        expected[name] = [409, 'wrong_state']
    }
    expect(got).toEqual(expected)
    // The token was valid all along.
    for (const name of opens) expect((await entryPoints[name].present(value, holder))[0], name).toBe(200)
    if (!isSingleUse) return
    const last = opens.at(-1)!
    const [status, code] = await entryPoints[last].present(value, holder)
    expect(status, `${last} a second time: ${code}`).toBeGreaterThanOrEqual(400)
  })
})

test('the table has every secret that the source gives out', () => {
  const made = new Set(Object.values(kinds).map(({ madeIn }) => madeIn.split('#')[0]!))
  const found = new Set<string>()
  for (const file of globSync('server/**/*.ts', { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue
    const source = readFileSync(`${ROOT}/${file}`, 'utf8')
    if (
      /\bnewSecret\(\)|\bgenerate(Registration|Authentication)Options\(|randomBytes\([^()]+\)\.toString\('base64url'\)|randomInt\(/.test(
        source,
      ) &&
      !NOT_GIVEN_OUT.includes(file)
    )
      found.add(file)
    for (const [, purpose] of source.matchAll(/issueToken\(\w+, '(\w+)'/g)) found.add(`one-time ${purpose}`)
  }
  // A token may open several places.
  const purposes = new Set(
    Object.values(kinds).flatMap(({ madeIn }) => /one-time-token\.ts#(\w+)/.exec(madeIn)?.[1] ?? []),
  )
  made.delete('server/config/config.ts')
  expect([...found].sort()).toEqual([...made, ...[...purposes].map((purpose) => `one-time ${purpose}`)].sort())
})

const ROOT = new URL('../..', import.meta.url).pathname

/** Files whose keys and passwords stay on this machine, or whose values aren't secret. */
const NOT_GIVEN_OUT = [
  'ops/backup/key.ts',
  'ops/backup/restore.ts',
  'server/identity/passwords/secret.ts',
  // Referral codes.
  'server/identity/accounts/referral-code.ts',
  'server/platform/files/store.ts',
  'server/platform/postgres/embedded.ts',
  'server/platform/postgres/provision.ts',
  // The parts of balances.
  'server/proof/solvency/solvency.ts',
]
