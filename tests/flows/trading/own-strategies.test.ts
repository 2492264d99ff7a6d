import { beforeAll, describe, expect, test } from 'vitest'
import { OWN_STRATEGIES, type OwnStrategy, type RuleBody } from '#contract/trading/own-strategies.ts'
import { sql } from '#server/platform/database/db.ts'
import { sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'

const RSI = { indicator: 'rsi', inputs: [14], output: 'value' }
const RULE: RuleBody = {
  buy: { join: 'all', conditions: [{ left: RSI, crosses: 'above', right: { number: '30' } }] },
  sell: { join: 'all', conditions: [] },
}
const BODY = { name: 'Dips', rule: RULE, duration: 300, symbols: ['ETHUSDT', 'BTCUSDT'], zone: 'europe/berlin' }

let app: WholeApp
beforeAll(async () => {
  app = await sharedApp()
})

const send = (method: string, path: string, { token }: Pick<Trader, 'token'>, body?: object) =>
  app.send(method, `/api/strategies${path}`, { token, ...(body && { body }) })
const listOf = async (trader: Trader) => (await send('GET', '', trader)).json!.data as OwnStrategy[]

async function saved(trader: Trader, change: object = {}): Promise<OwnStrategy> {
  const reply = await send('POST', '', trader, { ...BODY, ...change })
  expect(reply.status, reply.text).toBe(200)
  return reply.json!.data as OwnStrategy
}

const versionsOf = async (id: string) =>
  (
    await sql<{
      version: number
      rule: RuleBody
    }>`select version, rule from own_strategy_versions where strategy_id = ${id} order by version`.execute(app.db)
  ).rows

describe('own strategies', () => {
  test('are saved and listed with their sentence, newest first', async () => {
    const ada = await app.trader()
    expect(await listOf(ada)).toEqual([])
    const dips = await saved(ada)
    const other = await saved(ada, { name: 'Other' })
    expect(dips).toMatchObject({ name: 'Dips', kind: 'rule', version: 1, zone: 'Europe/Berlin', key: `own-${dips.id}` })
    expect(dips.rule).toEqual(RULE)
    expect(dips.sentence).toBe('Buys when RSI(14) crosses above 30, on 5-minute candles of ETHUSDT and BTCUSDT.')
    expect(await listOf(ada)).toEqual([other, dips])
  })

  test('are private: to others they do not exist', async () => {
    const [ada, eve] = [await app.trader(), await app.trader()]
    const { id } = await saved(ada)
    expect(await listOf(eve)).toEqual([])
    expect((await send('PUT', `/${id}`, eve, { ...BODY, version: 1 })).status).toBe(404)
    expect((await send('DELETE', `/${id}`, eve)).status).toBe(404)
    expect(await listOf(ada)).toHaveLength(1)
  })

  test('have names that differ, whatever their case, until one is archived', async () => {
    const ada = await app.trader()
    const { id } = await saved(ada)
    const again = await send('POST', '', ada, { ...BODY, name: 'DIPS' })
    expect(again.status).toBe(409)
    expect(again.json).toMatchObject({ code: 'already_exists', errors: [{ field: 'name' }] })
    const other = await saved(ada, { name: 'Other' })
    expect((await send('PUT', `/${other.id}`, ada, { ...BODY, name: 'dips', version: 1 })).status).toBe(409)
    expect((await send('PUT', `/${id}`, ada, { ...BODY, name: 'DIPS', version: 1 })).status).toBe(200)
    expect((await send('DELETE', `/${id}`, ada)).status).toBe(200)
    expect((await send('DELETE', `/${id}`, ada)).status).toBe(404)
    await saved(ada, { name: 'dips' })
  })

  test('get a new version when the rule changes, and none when it does not', async () => {
    const ada = await app.trader()
    const { id } = await saved(ada)
    const put = (change: object) => send('PUT', `/${id}`, ada, { ...BODY, version: 1, ...change })
    expect((await put({})).json!.data).toMatchObject({ version: 1 })
    expect((await put({ name: 'New name' })).json!.data).toMatchObject({ version: 1, name: 'New name' })
    const changed = await put({ duration: 60 })
    expect(changed.json!.data).toMatchObject({ version: 2, duration: 60, name: 'Dips' })
    // The same change arrives twice: it is there already.
    expect((await put({ duration: 60 })).json!.data).toMatchObject({ version: 2 })
    expect((await versionsOf(id)).map(({ version }) => version)).toEqual([1, 2])
  })

  test('refuse the change of a version that is no longer the newest, and say what to do', async () => {
    const ada = await app.trader()
    const { id } = await saved(ada)
    const put = (duration: number) => send('PUT', `/${id}`, ada, { ...BODY, version: 1, duration })
    const replies = await Promise.all([put(60), put(180)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = replies.find(({ status }) => status === 409)
    expect(refused?.json).toMatchObject({
      code: 'wrong_state',
      message: "This strategy was changed elsewhere meanwhile: it's at version 2. Open it again to change that one.",
    })
    expect(await versionsOf(id)).toHaveLength(2)
  })

  test(`are at most ${OWN_STRATEGIES.active} an account, also when the last two come at once`, async () => {
    const ada = await app.trader()
    for (let n = 1; n < OWN_STRATEGIES.active; n++) await saved(ada, { name: `Rule ${n}` })
    const replies = await Promise.all(['One', 'Two'].map((name) => send('POST', '', ada, { ...BODY, name })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(replies.find(({ status }) => status === 422)?.json).toMatchObject({ code: 'limit_reached' })
    expect(await listOf(ada)).toHaveLength(OWN_STRATEGIES.active)
  })

  test(`have at most ${OWN_STRATEGIES.versions} versions`, async () => {
    const ada = await app.trader()
    const { id } = await saved(ada)
    for (let version = 2; version <= OWN_STRATEGIES.versions; version++) {
      await sql`insert into own_strategy_versions (strategy_id, version, rule, duration_seconds, symbol_ids, zone)
        select strategy_id, ${version}, rule, duration_seconds, symbol_ids, zone from own_strategy_versions
        where strategy_id = ${id} and version = 1`.execute(app.db)
      await sql`update own_strategies set version = ${version} where id = ${id}`.execute(app.db)
    }
    const reply = await send('PUT', `/${id}`, ada, { ...BODY, duration: 60, version: OWN_STRATEGIES.versions })
    expect(reply.json).toMatchObject({ code: 'limit_reached' })
  })

  test('name the field of what is wrong', async () => {
    const ada = await app.trader()
    const rule = { ...RULE, sell: { join: 'any', conditions: [{ left: RSI, is: 'above', right: { price: 'close' } }] } }
    const { status, json } = await send('POST', '', ada, { ...BODY, rule })
    expect(status).toBe(422)
    expect(json).toMatchObject({
      errors: [{ field: 'rule.sell.conditions.0.right', message: expect.stringMatching(/unit of prices/) }],
    })
    expect(await listOf(ada)).toEqual([])
  })
})

test('versions cannot be changed or deleted, nor skipped, by the database', async () => {
  const ada = await app.trader()
  const { id } = await saved(ada)
  await expect(
    sql`update own_strategy_versions set zone = 'UTC' where strategy_id = ${id}`.execute(app.db),
  ).rejects.toThrow()
  await expect(sql`delete from own_strategy_versions where strategy_id = ${id}`.execute(app.db)).rejects.toThrow()
  await expect(sql`delete from own_strategies where id = ${id}`.execute(app.db)).rejects.toThrow()
  // A version that does not exist, one that is skipped, and a change of what is archived.
  await expect(sql`update own_strategies set version = 2 where id = ${id}`.execute(app.db)).rejects.toThrow()
  await expect(sql`update own_strategies set version = 3 where id = ${id}`.execute(app.db)).rejects.toThrow(/skips/)
  await send('DELETE', `/${id}`, ada)
  await expect(sql`update own_strategies set archived_at = null where id = ${id}`.execute(app.db)).rejects.toThrow(
    /archived/,
  )
  expect(await versionsOf(id)).toHaveLength(1)
})
