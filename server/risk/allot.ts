/** What a lane has of one room, in cents. */
interface LaneRoom {
  lane: number
  /** Granted and not used yet. */
  open: bigint
  /** The largest profit that one of its orders had no room for; 0 if none was refused room. */
  wanted: bigint
}

interface Allotment {
  lane: number
  /** Added to what is granted; below 0: reduced. */
  change: bigint
}

const largest = (a: bigint, b: bigint) => (a > b ? a : b)
const least = (a: bigint, b: bigint) => (a < b ? a : b)

/**
 * Shares what may still be lost among lanes: what each wants first, then equal parts. `room`: the bound without the
 * worst loss, of which the lanes have some already. Grants at once only what no lane has, so that the sum never passes
 * the room, whatever lanes use meanwhile; what it takes from a lane is granted in the next round.
 */
export function allot(room: bigint, lanes: readonly LaneRoom[]): Allotment[] {
  if (lanes.length === 0) return []
  const total = largest(room, 0n)
  let rest = total
  const aims = lanes.map(({ wanted }) => {
    const aim = wanted > rest ? 0n : wanted
    rest -= aim
    return aim
  })
  const share = rest / BigInt(lanes.length)
  const open = lanes.reduce((sum, one) => sum + one.open, 0n)
  let free = largest(total - open, 0n)
  // Reduced only where the lanes have more than there is, or one of them needs it.
  const isShort = open > total || lanes.some((one) => one.wanted > one.open + free && one.wanted <= total)
  return lanes.flatMap(({ lane, open: has, wanted }, place) => {
    const aim = (aims[place] ?? 0n) + share
    if (has > aim) return isShort ? [{ lane, change: aim - has }] : []
    if (wanted <= has && 2n * has >= aim) return []
    const change = least(aim - has, free)
    free -= change
    return change > 0n ? [{ lane, change }] : []
  })
}
