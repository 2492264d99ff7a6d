import { CallError, messageOf } from './client.ts'

const RETRY_MAX_MS = 5_000
const NOT_CONFIGURED = 'not_configured'

/** Whether a failed read may succeed later: no answer, or a server in trouble. */
export const mayPass = (error: unknown): boolean =>
  error instanceof CallError && (error.status === undefined || error.status >= 500) && error.code !== NOT_CONFIGURED

/** How long to wait before the next try, milliseconds: 1, 2, 4 and then every 5 seconds, spread by a quarter. */
export const retryDelayMs = (failures: number, random = Math.random): number =>
  Math.min(1_000 * 2 ** failures, RETRY_MAX_MS) * (0.75 + random() / 4)

/** The retries of every query: until it succeeds, also where the browser believes that it is offline. */
export const RETRIES = {
  retry: (_failures: number, error: Error) => mayPass(error),
  retryDelay: (failures: number) => retryDelayMs(failures),
  networkMode: 'always',
} as const

/** Why a read failed, as `ListError` of `web/ui` shows it. */
export interface Problem {
  message: string
  /** Another try is under way or comes by itself. */
  isRetrying: boolean
  onRetry: () => void
}

interface Readable {
  error: unknown
  /** Why the last try failed, while more tries follow. */
  failureReason: unknown
  fetchStatus: 'fetching' | 'paused' | 'idle'
  refetch: () => unknown
}

/** The problem of a query from its first failed try until one succeeds. */
export function problemOf(query: Readable): Problem | undefined {
  const { error, failureReason, fetchStatus, refetch } = query
  const failure = failureReason ?? error
  if (!failure) return undefined
  return { message: messageOf(failure), isRetrying: fetchStatus !== 'idle', onRetry: () => void refetch() }
}
