import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noMore, readArguments, WrongArguments, whyNot } from '#ops/commands/run-command.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'ops', 'commands')
const commands = readdirSync(FOLDER).filter((name) => /^runCommand\(/m.test(readFileSync(join(FOLDER, name), 'utf8')))

test('there are eleven commands', () => {
  expect(commands).toHaveLength(11)
})

test.each(commands)('%s says how it is used, on standard output, and needs no installation for that', (name) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(FOLDER, name), '--help'], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, DATA_DIR: '/nowhere' },
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain(`npm run ${name.replace(/(-command)?\.ts$/, '')}`)
})

test('names the argument that is wrong', () => {
  const options = { day: { type: 'string' } } as const
  expect(readArguments({ args: ['--day', '2026-11-22'], options }).values).toEqual({ day: '2026-11-22' })
  for (const [args, says] of [
    [['--dya', 'x'], "Unknown option '--dya'."],
    [['--day'], "Option '--day <value>' argument missing."],
    [['all'], "Unexpected argument 'all'."],
  ] as const)
    expect(() => readArguments({ args: [...args], options })).toThrow(new WrongArguments(says))
  noMore([])
  expect(() => noMore(['erase', 'all'])).toThrow(new WrongArguments("Unexpected argument 'erase'."))
})

test('explains in a sentence what an operator can cause, and keeps the trace of a bug', () => {
  const of = (code: string, path?: string) => Object.assign(new Error(code), { code, ...(path && { path }) })
  expect(whyNot(of('EROFS', '/mnt/backups/x'))).toBe("Can't use /mnt/backups/x: the disk is read-only.")
  expect(whyNot(of('ENOSPC', '/mnt/backups/x'))).toBe("Can't use /mnt/backups/x: the disk is full.")
  expect(whyNot(of('ECONNREFUSED'))).toMatch(/^Can't reach the database\./)
  expect(whyNot(of('42703'))).toMatch(/^This database has the tables of another version\./)
  expect(whyNot(new TypeError('a bug'))).toMatch(/^That failed: TypeError: a bug\n +at /)
})

test('a web of production without a build refuses to start, so that it never reports itself up', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const root = join(FOLDER, '..', '..')
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-unbuilt-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['server', 'kernel', 'contract', 'packages', 'db', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const start = () => {
    const env = {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), DATA_DIR: join(folder, 'data') },
      ...{ PUBLIC_URL: 'https://trade.example', SMTP_URL: 'smtps://user:pass@mail.example' },
      DATABASE_URL: 'postgres://app@127.0.0.1:1/none',
    }
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'server', 'start.js')], {
      ...{ env, cwd: folder, encoding: 'utf8', timeout: 120_000 },
    })
    return { says: stdout + stderr, status }
  }
  const refusal = 'The web app is not built. Run node scripts/ready.mjs build in the folder of the project.'
  const { says, status } = start()
  expect(says).toContain(refusal)
  expect(status).toBe(1)
  mkdirSync(join(folder, 'build', 'client'), { recursive: true })
  writeFileSync(join(folder, 'build', 'client', 'index.html'), '')
  // The next thing that it checks.
  expect(start().says).toContain(`Another program is using port ${port}.`)
})
