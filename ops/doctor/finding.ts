/** The result of one check of the doctor. */
import { first } from '#kernel/must.ts'

export interface Finding {
  /** The part of the installation: `clock`. */
  part: string
  /** `problem`: something is wrong now. `warning`: something will go wrong, or can't be seen from here. */
  state: 'ok' | 'warning' | 'problem'
  /** The finding, as one sentence. */
  says: string
  /** How to fix it, as one sentence; none if all is well. */
  fix?: string
}

export const ok = (part: string, says: string): Finding => ({ part, state: 'ok', says })
export const warning = (part: string, says: string, fix: string): Finding => ({ part, state: 'warning', says, fix })
export const problem = (part: string, says: string, fix: string): Finding => ({ part, state: 'problem', says, fix })

/** Turns a check that fails unexpectedly into a problem, so that the others still run. */
export async function attempt(part: string, fix: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [problem(part, `The check failed: ${reasonOf(error)}.`, fix)]
  }
}

/** An error's own words, on one line and without addresses, which may contain passwords. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  const text = message === '' ? (code ?? 'it gave no reason') : message
  return first(text.replace(/[\w+]+:\/\/\S+/g, '(address)').split('\n')).replace(/\.$/, '')
}

/** Rejects work that takes longer. */
export async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), seconds * 1000)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Formats a length of time: `3 min`. */
export function lengthOf(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, 'days'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ]
  const [size, name] = units.find(([size]) => ms >= 2 * size) ?? [1000, 's']
  return `${Math.round(ms / size)} ${name}`
}
