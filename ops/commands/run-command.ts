import { type ParseArgsConfig, parseArgs } from 'node:util'
import { isDatabaseDown, sqlState } from '#server/platform/database/db.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'

/** Arguments that a command doesn't take. The message names the first of them; the usage is printed below it. */
export class WrongArguments extends StartProblem {}

export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/**
 * Runs a command of the command line, then ends the process: with 1 if it returns false, or fails. `--help` prints the
 * usage.
 */
export function runCommand(usage: string, work: (args: string[]) => Promise<boolean | undefined>): void {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    say(usage)
    return
  }
  work(args).then(
    (isDone) => process.exit(isDone === false ? 1 : 0),
    (error: unknown) => {
      process.stderr.write(`${whyNot(error)}\n${error instanceof WrongArguments ? `\n${usage}\n` : ''}`)
      process.exit(1)
    },
  )
}

/** Reads options and arguments. Throws `WrongArguments`, with the one that is wrong. */
export function readArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new WrongArguments(`${(error as Error).message.split('. ')[0]?.replace(/\.$/, '')}.`)
  }
}

/** Refuses what is left over of the arguments. */
export function noMore([first]: readonly string[]): void {
  if (first !== undefined) throw new WrongArguments(`Unexpected argument '${first}'.`)
}

/** Why a file can't be written or read, by the system's code. */
const FILE_PROBLEMS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EIO: 'the disk reports an error',
}

/** Returns one sentence for errors that the operator can fix; anything else is a bug and keeps its stack trace. */
export function whyNot(error: unknown): string {
  if (error instanceof StartProblem) return error.message
  const state = sqlState(error)
  if (state === '28P01' || state === '28000') return 'The database rejected the user name or password in its URL.'
  if (state === '3D000') return "The database in the URL doesn't exist."
  if (state === '42P01') return 'This database has no Cleartick tables yet, or older ones. Start the server once.'
  if (state === '42703' || state === '42883')
    return 'This database has the tables of another version. Start the server of this version once, or run npm run migrate.'
  if (state === '42501') return 'The role in the URL lacks permissions. Use the owner or a superuser.'
  if (isDatabaseDown(error)) return "Can't reach the database. Check that it's running and that its URL is right."
  const { code, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const problem = FILE_PROBLEMS[code ?? '']
  if (problem !== undefined && path !== undefined) return `Can't use ${path}: ${problem}.`
  return `That failed: ${error instanceof Error ? error.stack : String(error)}`
}
