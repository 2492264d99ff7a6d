import type { Reply } from './servers/app.ts'

/** Returns a rejection's status and code. */
export const refusal = ({ status, json }: Reply) => [status, json?.code]

/** Returns the data of a successful reply. Throws for any other. */
export const data = <T>({ status, json, text }: Reply): T => {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return json!.data as T
}

/** Runs `work` twenty times in parallel. */
export const twenty = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, n) => work(n)))
