import { type ReactNode, Suspense, useState } from 'react'

/** Mounts a lazily loaded dialog when it's first needed, and keeps it mounted so that it can fade. */
export function Loaded({ when, children }: { when: boolean; children: ReactNode }) {
  const [wanted, setWanted] = useState(when)
  if (when && !wanted) setWanted(true)
  return wanted ? <Suspense>{children}</Suspense> : null
}
