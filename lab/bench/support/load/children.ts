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

/** A helper process of this folder that answers one message at a time. */
export interface Helper {
  pid: number
  ask<Answer>(message: object): Promise<Answer>
  end(): void
}

export function startHelper(file: string): Helper {
  const child = fork(new URL(`./${file}`, import.meta.url), { stdio: 'inherit', serialization: 'advanced' })
  return {
    pid: child.pid!,
    ask: <Answer>(message: object) =>
      new Promise<Answer>((resolve, reject) => {
        const ended = (code: number | null) => reject(new Error(`${file} ended with code ${code}`))
        child.once('exit', ended)
        child.once('message', (answer) => {
          child.off('exit', ended)
          resolve(answer as Answer)
        })
        child.send(message)
      }),
    end: () => void child.kill('SIGKILL'),
  }
}

/** Replies to each message of `startHelper` with what `answer` returns, one at a time. */
export function answerAsHelper<Message>(answer: (message: Message) => Promise<unknown> | unknown): void {
  process.on('message', (message) => {
    Promise.resolve(answer(message as Message)).then(
      (result) => process.send!(result ?? {}),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
}
