import { fork } from 'node:child_process'

/** Runs a load generator of this folder with `job` in a separate process, and returns what it sends back. */
export function inChild<Result>(file: string, job: unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(`./${file}`, import.meta.url), { stdio: 'inherit' })
    child.once('message', (result) => resolve(result as Result))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${file} ended with code ${code}`)))
    child.send(job as object)
  })
}
