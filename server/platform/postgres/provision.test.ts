import type pg from 'pg'
import { escapeIdentifier } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { type DatabaseUrls, externalUrls, withDatabase, withRole } from './provision.ts'

async function connected(url: string): Promise<pg.Client> {
  const client = await connectTo(url)
  onTestFinished(() => client.end())
  return client
}

test("on an external PostgreSQL, the server uses a separate login that can't become the owner", async () => {
  const { superUrl } = await testDatabase()
  const login = `cleartick_server_${new URL(superUrl).pathname.slice(1)}`
  const [first, second] = await Promise.all([externalUrls(superUrl), externalUrls(superUrl)])
  expect(second, 'every node arrives at the same login').toEqual(first)
  expect(first.owner).toBe(superUrl)
  const client = await connected(first.app)
  const who = await client.query('select current_user as effective, session_user as login')
  expect(who.rows).toEqual([{ effective: login, login }])
  await client.query('reset role')
  await expect(client.query('update transfers set amount = 1')).rejects.toThrow(/permission denied/)
  await expect(client.query('drop table transfers')).rejects.toThrow(/must be owner/)
  await expect(client.query('set role cleartick_owner')).rejects.toThrow(/permission denied/)
  expect((await client.query('select count(*)::int as n from users')).rows).toEqual([{ n: 0 }])
})

test('a second installation on the same PostgreSQL leaves the login of the first as it is', async () => {
  const here = await testDatabase()
  const longest = `${'€'.repeat(20)}"_9`
  const client = await connected(inject('superUrl'))
  await client.query(`create database ${escapeIdentifier(longest)} template template0`)
  onTestFinished(async () => {
    await client.query(`drop database ${escapeIdentifier(longest)} with (force)`)
  })
  const first = await externalUrls(here.superUrl)
  const second = await externalUrls(withDatabase(inject('superUrl'), encodeURIComponent(longest)))
  const loginOf = async ({ app }: DatabaseUrls) => {
    const one = await connected(app)
    return (await one.query<{ name: string }>('select session_user as name')).rows[0]!.name
  }
  expect(await loginOf(second)).toMatch(/^cleartick_server_[0-9a-f]{32}$/)
  expect(await loginOf(first)).toBe(`cleartick_server_${new URL(here.superUrl).pathname.slice(1)}`)
})

test.each([
  { lacks: 'CREATEROLE', may: '' },
  { lacks: "the application's role, which another owner created", may: 'createrole' },
])("explains what to do if the owner can't create the login for lack of $lacks", async ({ may }) => {
  const { superUrl } = await testDatabase()
  await externalUrls(superUrl)
  const client = await connected(inject('superUrl'))
  const login = escapeIdentifier(`cleartick_server_${new URL(superUrl).pathname.slice(1)}`)
  await client.query(`drop role ${login}`)
  await client.query(`create role poor_owner login password 'poor' ${may}`)
  onTestFinished(async () => {
    await client.query(`drop role if exists ${login}`)
    await client.query('drop role poor_owner')
  })
  const url = withRole(superUrl, 'poor_owner', 'poor')
  await expect(externalUrls(url)).rejects.toThrow(
    /Give it CREATEROLE and, if another .* cleartick_app, .* with admin option\. Or set DATABASE_APP_URL/,
  )
})
