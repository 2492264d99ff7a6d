import { expect, test } from 'vitest'
import { createLog } from './log.ts'

function linesOf(work: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  work(createLog('info', { write: (line) => void lines.push(line) }))
  return lines
}

test('hides fields that could hold a secret, in an entry and in its objects', () => {
  const secrets = Object.fromEntries(
    ['password', 'token', 'authorization', 'cookie', 'hash', 'session'].map((field) => [field, 'opensesame']),
  )
  const [line] = linesOf((log) => log.info({ ...secrets, call: secrets, req: { headers: secrets }, user: '7' }, 'said'))
  expect(line).not.toContain('opensesame')
  expect(JSON.parse(line!)).toMatchObject({ msg: 'said', user: '7', token: '[hidden]', call: { token: '[hidden]' } })
})

test('keeps an entry on one line, whatever it says', () => {
  const lines = linesOf((log) => log.info({ error: 'one\n{"level":50,"msg":"forged"}' }, 'a\r\nb'))
  expect(lines).toHaveLength(1)
  expect(lines[0]!.trimEnd()).not.toMatch(/[\r\n]/)
  expect(JSON.parse(lines[0]!)).toMatchObject({ error: 'one\n{"level":50,"msg":"forged"}', msg: 'a\r\nb' })
})
