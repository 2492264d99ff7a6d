import { useRef } from 'react'
import { newKey } from '#web/client/index.ts'

/**
 * Returns idempotency keys for a form that moves money: the same request gets the same key, a different one a new key.
 */
export function useKey(): (request: unknown) => string {
  const last = useRef({ request: '', key: '' })
  return (request) => {
    const text = JSON.stringify(request)
    if (last.current.request !== text) last.current = { request: text, key: newKey() }
    return last.current.key
  }
}
