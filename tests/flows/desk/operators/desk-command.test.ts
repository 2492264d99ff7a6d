import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWholeApp, type WholeApp } from '#tests/support/servers/app.ts'

const COMMAND = fileURLToPath(new URL('../../../../ops/commands/desk-command.ts', import.meta.url))
let app: WholeApp
let folder: string
beforeAll(async () => {
  app = await startWholeApp()
  folder = mkdtempSync(join(tmpdir(), 'cleartick-desk-'))
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
  expect(broken).toEqual([])
})

/** Runs the command as `npm run desk --` does, next to the running server. */
function desk(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: app.superUrl, PORT: String(app.port) }
  const child = spawn(process.execPath, [COMMAND, ...args], { env })
  let out = ''
  let err = ''
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

test('prints a link that joins, while the server runs', async () => {
  const { code, out } = await desk('invite', 'Ada@Desk.example', 'finance,risk')
  expect(code).toBe(0)
  const link = new URL(out.trim())
  expect(`${link.origin}${link.pathname}`).toBe(`http://localhost:${app.port}/desk/join`)
  const reply = await app.send('POST', '/api/desk/auth/join', {
    body: { token: link.searchParams.get('token'), password: 'difference engine' },
  })
  expect(reply.json).toMatchObject({
    data: { email: 'Ada@Desk.example', secret: expect.stringMatching(/^[A-Z2-7]+$/) },
  })
})

test.each([
  [[]],
  [['invite']],
  [['invite', 'ada@desk.example']],
  [['invite', 'ada', 'risk']],
  [['invite', 'ada@desk.example', 'root']],
  [['invite', 'ada@desk.example', 'risk,']],
  [['invite', 'ada@desk.example\r\nBcc: x@y.zz', 'risk']],
  [['dismiss', 'ada@desk.example', 'risk']],
  [['invite', 'ada@desk.example', 'risk', 'more']],
])('prints the usage for %j and invites no one', async (args) => {
  const { rows } = await app.pool.query('select count(*) from operator_invitations')
  const { code, out, err } = await desk(...args)
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('Usage: npm run desk -- invite EMAIL ROLE[,ROLE]')
  expect((await app.pool.query('select count(*) from operator_invitations')).rows).toEqual(rows)
})
