import { fieldProblem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'

let passwords: Promise<ReadonlySet<string>> | undefined

/** Returns the 42,000 most common passwords that are long enough here, in lower case. Loaded by the first use. */
const commonPasswords = (): Promise<ReadonlySet<string>> => (passwords ??= load())

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((one) => String(one).toLowerCase()))
}

/**
 * Rejects a new password that is among the most common ones, or that is one of these words (the brand, the owner's
 * address) with at most four digits or signs around it. Throws `validation_failed` on `password`.
 */
export async function rejectCommonPassword(password: string, words: readonly string[]): Promise<void> {
  const plain = password.normalize('NFKC').trim().toLowerCase()
  if ((await commonPasswords()).has(plain))
    throw fieldProblem('password', 'is one of the most common passwords. Choose another.')
  const bare = plain.replace(/^[^\p{L}]{0,4}/u, '').replace(/[^\p{L}]{0,4}$/u, '')
  const own = words.flatMap((word) => [word, first(word.split('@'))]).map((word) => word.toLowerCase())
  if (own.some((word) => word !== '' && (word === plain || word === bare)))
    throw fieldProblem('password', 'is too easy to guess. Choose another.')
}
