import type { ComplaintStatus } from '#contract/terms.ts'

/** Allowed status changes of a complaint. `Proposed` becomes `Open` again when an operator sends the proposal back. */
export const COMPLAINT_NEXT: Record<ComplaintStatus, readonly ComplaintStatus[]> = {
  Open: ['Proposed'],
  Proposed: ['Open', 'Rejected', 'Upheld'],
  Rejected: [],
  Upheld: [],
}

/** Returns who has a complaint now, as text; undefined once it is closed. */
export function heldBy(status: ComplaintStatus, checked: boolean): string | undefined {
  if (status === 'Open') return checked ? 'Operator (reviewing)' : 'Our system (checking the records)'
  return status === 'Proposed' ? 'Second operator (deciding)' : undefined
}
