/** Returns a seeded random number generator (mulberry32). */
export function draws(seed: number) {
  let state = seed >>> 0
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    /** Returns a number from 0 to below 1. */
    random,
    /** Returns an integer from 0 to below `limit`. */
    below: (limit: number): number => Math.floor(random() * limit),
    chance: (probability: number): boolean => random() < probability,
    pick: <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!,
    /** Returns a sample of the standard normal distribution. */
    normal: (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  }
}
