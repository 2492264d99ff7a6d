import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
