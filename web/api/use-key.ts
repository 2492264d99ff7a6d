import { useRef } from 'react'
import { newKey } from './client.ts'

/** Keys for a form that moves money: the same request once more is a repeat, another one is another. */
export function useKey(): (request: unknown) => string {
  const last = useRef({ request: '', key: '' })
  return (request) => {
    const text = JSON.stringify(request)
    if (last.current.request !== text) last.current = { request: text, key: newKey() }
    return last.current.key
  }
}
