import { JsonText } from '../../platform/http/index.ts'

/** Each is at most 80 kB. */
const ANSWERS_KEPT = 200

/** Caches a response as text until the next frame; concurrent callers share one. */
export function answersOfOneFrame(frame: () => number) {
  let of = -1
  const answers = new Map<string, Promise<JsonText>>()
  return (key: string, make: () => Promise<object>): Promise<JsonText> => {
    if (of !== frame() || answers.size >= ANSWERS_KEPT) {
      answers.clear()
      of = frame()
    }
    const known = answers.get(key)
    if (known !== undefined) return known
    const made = make().then((answer) => new JsonText(JSON.stringify(answer)))
    answers.set(key, made)
    made.catch(() => answers.delete(key))
    return made
  }
}
