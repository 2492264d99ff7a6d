import type { Log } from './log.ts'

/**
 * Notifies other parts of the server after a commit. Notifications are hints: a listener that missed one finds the
 * change by reading. In-process today; the interface is what a bus between nodes will have.
 */
export interface Bus<Topics> {
  publish<T extends keyof Topics>(topic: T, message: Topics[T]): void
  subscribe<T extends keyof Topics>(topic: T, listener: (message: Topics[T]) => void): () => void
}

export function createBus<Topics>(log: Log): Bus<Topics> {
  const listeners = new Map<keyof Topics, Set<(message: never) => void>>()
  return {
    publish(topic, message) {
      for (const listener of listeners.get(topic) ?? []) {
        try {
          ;(listener as (message: Topics[typeof topic]) => void)(message)
        } catch (error) {
          log.error({ topic: String(topic), error: String(error) }, 'a listener failed')
        }
      }
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set)
      set.add(listener as (message: never) => void)
      return () => set.delete(listener as (message: never) => void)
    },
  }
}
