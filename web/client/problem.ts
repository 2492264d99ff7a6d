import { CallError, messageOf } from './client.ts'

const RETRY_MAX_MS = 5_000
const NOT_CONFIGURED = 'not_configured'

/** Whether a failed read may succeed later: no response, or a server error. */
export const mayPass = (error: unknown): boolean =>
  error instanceof CallError && (error.status === undefined || error.status >= 500) && error.code !== NOT_CONFIGURED

/** Returns the delay before the next retry, milliseconds: 1, 2, 4 and then every 5 seconds, with 25% jitter. */
export const retryDelayMs = (failures: number, random = Math.random): number =>
  Math.min(1_000 * 2 ** failures, RETRY_MAX_MS) * (0.75 + random() / 4)

/** Retry options of every query: retry until it succeeds, even if the browser believes it's offline. */
export const RETRIES = {
  retry: (_failures: number, error: Error) => mayPass(error),
  retryDelay: (failures: number) => retryDelayMs(failures),
  networkMode: 'always',
} as const

/** Why a read failed, as shown by `ListError` of `web/ui`. */
export interface Problem {
  message: string
  /** A retry is running or scheduled. */
  isRetrying: boolean
  onRetry: () => void
}

interface Readable {
  error: unknown
  /** Why the last attempt failed, while retries continue. */
  failureReason: unknown
  fetchStatus: 'fetching' | 'paused' | 'idle'
  refetch: () => unknown
}

/** Returns the problem of a query from its first failed attempt until one succeeds. */
export function problemOf(query: Readable): Problem | undefined {
  const { error, failureReason, fetchStatus, refetch } = query
  const failure = failureReason ?? error
  if (!failure) return undefined
  return { message: messageOf(failure), isRetrying: fetchStatus !== 'idle', onRetry: () => void refetch() }
}
