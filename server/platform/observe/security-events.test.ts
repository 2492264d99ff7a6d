import { expect, test, vi } from 'vitest'
import { createLog } from '../process/log.ts'
import { securityEvent } from './security-events.ts'

test('logs each event up to a limit, then their number', () => {
  vi.useFakeTimers()
  try {
    const lines: Record<string, unknown>[] = []
    const log = createLog('warn', { write: (line: string) => void lines.push(JSON.parse(line)) })
    for (let i = 0; i < 70; i++) securityEvent(log, 'sign_in_failed', { user: '7', network: '192.0.2.1' })
    for (let i = 0; i < 3; i++) securityEvent(log, 'refused', { route: '/api/users/me' })
    expect(lines).toHaveLength(60)
    expect(lines[0]).toMatchObject({ security: 'sign_in_failed', user: '7', network: '192.0.2.1' })
    vi.advanceTimersByTime(60_000)
    expect(lines).toHaveLength(61)
    expect(lines[60]).toMatchObject({ security: 'more', sign_in_failed: 10, refused: 3 })
    securityEvent(log, 'refused', {})
    expect(lines).toHaveLength(62)
    vi.advanceTimersByTime(60_000)
    expect(lines, 'nothing was left out').toHaveLength(62)
  } finally {
    vi.useRealTimers()
  }
})
