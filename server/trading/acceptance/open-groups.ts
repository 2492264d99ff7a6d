/** Maximum orders in flight, so that a click never waits behind more orders of this kind than these. */
const AT_ONCE = 200

/**
 * Returns a function that opens the trades of rows which nobody pressed a button for, some at a time, and each once however
 * often it's called. `open`: returns why there is no trade; undefined if there is one, or it will be tried again.
 */
export function openInGroups<Row, Reason>(steps: {
  nameOf(row: Row): string
  open(row: Row): Promise<Reason | undefined>
  refuse(refused: readonly { row: Row; reason: Reason }[]): Promise<void>
  /** Called after each group. */
  changed(rows: readonly Row[]): void
}): (rows: readonly Row[]) => Promise<void> {
  const underWay = new Set<string>()
  return async (rows) => {
    const mine = rows.filter((row) => !underWay.has(steps.nameOf(row)))
    for (const row of mine) underWay.add(steps.nameOf(row))
    try {
      for (let i = 0; i < mine.length; i += AT_ONCE) {
        const group = mine.slice(i, i + AT_ONCE)
        const reasons = await Promise.all(group.map((row) => steps.open(row)))
        const refused = group.flatMap((row, at) => (reasons[at] === undefined ? [] : [{ row, reason: reasons[at] }]))
        if (refused.length > 0) await steps.refuse(refused)
        steps.changed(group)
      }
    } finally {
      for (const row of mine) underWay.delete(steps.nameOf(row))
    }
  }
}
