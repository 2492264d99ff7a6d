import type { Who } from '../../platform/http/index.ts'

const CACHE_MAX = 50_000

interface Cached extends Who {
  /** `performance.now()` after which the cached token is invalid, whatever the database says. */
  until: number
}

/** Valid access tokens, by their hash. */
interface SessionCache {
  get(key: string): Cached | undefined
  has(key: string): boolean
  remember(key: string, entry: Cached): void
  /** Forgets all tokens of a session. */
  forget(sessionId: bigint): void
  clear(): void
}

export function createSessionCache(): SessionCache {
  const cache = new Map<string, Cached>()
  const tokensOf = new Map<bigint, Set<string>>()

  function remember(key: string, entry: Cached): void {
    if (cache.size >= CACHE_MAX) {
      const [oldest] = cache.values()
      if (oldest) forget(oldest.sessionId)
    }
    cache.set(key, entry)
    const tokens = tokensOf.get(entry.sessionId) ?? new Set()
    tokens.add(key)
    tokensOf.set(entry.sessionId, tokens)
  }

  function forget(sessionId: bigint): void {
    for (const key of tokensOf.get(sessionId) ?? []) cache.delete(key)
    tokensOf.delete(sessionId)
  }

  return {
    get: (key) => cache.get(key),
    has: (key) => cache.has(key),
    remember,
    forget,
    clear() {
      cache.clear()
      tokensOf.clear()
    },
  }
}
