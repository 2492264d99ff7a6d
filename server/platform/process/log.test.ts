import { expect, test, vi } from 'vitest'
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

test('writes entries of each kind up to a limit, then their number', () => {
  vi.useFakeTimers()
  try {
    const lines: Record<string, unknown>[] = []
    const log = createLog('warn', { write: (line: string) => void lines.push(JSON.parse(line)) })
    const failed = () => log.warn({ security: 'sign_in_failed', network: '192.0.2.1' }, 'a security event')
    const denied = () => log.warn({ security: 'forbidden' }, 'a security event')
    for (let i = 0; i < 70; i++) failed()
    for (let i = 0; i < 63; i++) log.error({ error: String(i) }, 'a request failed')
    denied()
    log.info('not at this level')
    expect(lines).toHaveLength(121)
    expect(lines[0]).toMatchObject({ security: 'sign_in_failed', network: '192.0.2.1', msg: 'a security event' })
    vi.advanceTimersByTime(60_000)
    expect(lines).toHaveLength(122)
    expect(lines[121]).toMatchObject({ more: { sign_in_failed: 10, 'a request failed': 3 } })
    failed()
    expect(lines).toHaveLength(123)
    vi.advanceTimersByTime(120_000)
    expect(lines, 'nothing was left out').toHaveLength(123)
  } finally {
    vi.useRealTimers()
  }
})
