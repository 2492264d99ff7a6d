import { readFileSync } from 'node:fs'

/** Preloaded into a server: shifts its `Date` by the seconds in `SHIFT_FILE`, which is read ten times a second. */
const TrueDate = Date
const LOOK_EVERY_MS = 100

let shiftMs = 0
let lookedAt = Number.NEGATIVE_INFINITY

function now(): number {
  if (performance.now() - lookedAt > LOOK_EVERY_MS) {
    lookedAt = performance.now()
    shiftMs = Number(readFileSync(process.env.SHIFT_FILE!, 'utf8')) * 1_000
  }
  return TrueDate.now() + shiftMs
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [now()] : given, self),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
