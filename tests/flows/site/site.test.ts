import { afterAll, beforeAll, expect, test } from 'vitest'
import { contactMessage } from '#contract/messages/support.ts'
import { startWholeApp } from '../../support/servers/app.ts'

let app: Awaited<ReturnType<typeof startWholeApp>>
beforeAll(async () => {
  app = await startWholeApp({ BRAND: 'Northwind "&" Co' })
})
afterAll(() => app.stop())

const write = (body: Record<string, string>) =>
  app.send('POST', '/api/public/contact', {
    body: { name: 'Ada Byron', email: 'ada@example.org', message: 'May I ask?', ...body },
  })
const kept = () => app.db.selectFrom('contact_messages').select('message').execute()
async function mailed(): Promise<string[]> {
  const answer = await app.send('GET', '/mailbox.json?to=support@cleartick.example')
  return (JSON.parse(answer.text) as { text: string }[]).map(({ text }) => text)
}

test('stores a message for the desk and e-mails it to support', async () => {
  expect((await write({ website: '' })).json).toEqual({ status: true, message: contactMessage })
  expect(await kept()).toEqual([{ message: 'May I ask?' }])
  expect((await mailed()).join()).toContain('May I ask?')
})

test('answers a bot that fills the honeypot as usual, and stores nothing', async () => {
  const before = (await mailed()).length
  const answer = await write({ website: 'https://pills.example', message: 'Buy pills' })
  expect([answer.status, answer.json]).toEqual([200, { status: true, message: contactMessage }])
  expect(await kept()).toEqual([{ message: 'May I ask?' }])
  expect(await mailed()).toHaveLength(before)
})

test("the sitemap and robots.txt contain the installation's URL", async () => {
  const robots = await app.send('GET', '/robots.txt')
  expect(robots.text).toContain(`Sitemap: http://localhost:${app.port}/sitemap.xml`)
  const sitemap = await app.send('GET', '/sitemap.xml')
  expect(sitemap.headers.get('content-type')).toMatch(/^application\/xml/)
  expect(sitemap.text).toContain(`<loc>http://localhost:${app.port}/about-us</loc>`)
})

test("the web app manifest has the operator's name", async () => {
  const manifest = await app.send('GET', '/site.webmanifest')
  expect(manifest.headers.get('content-type')).toMatch(/^application\/manifest\+json/)
  expect(JSON.parse(manifest.text)).toMatchObject({ name: 'Northwind "&" Co', short_name: 'Northwind "&" Co' })
})
