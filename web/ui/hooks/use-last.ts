import { useState } from 'react'

/** Returns the last defined value, so that a modal keeps its content while it fades out. */
export function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
