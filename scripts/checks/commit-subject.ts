/** Checks the subject of a commit, which `.githooks/commit-msg` passes on: its length, and that it is an imperative. */

import { readFileSync } from 'node:fs'
import { must } from '#kernel/must.ts'

const LONGEST = 72
const AREA = /^[a-z0-9][\w .,/-]*: /i
/** First words that are no verb, or one in another form. */
const NO_IMPERATIVE = /^(?:an?|the|its?|this|that|no|now|some|all|each|more|\w+(?:[^es]ed|[^nrw]ing|[^su]s))$/i
/** Verbs that look like another form. */
const VERBS = new Set(['focus', 'embed', 'shed', 'wed', 'bias', 'alias', 'canvas'])

/** Returns what is wrong with the subject of a commit message; undefined if nothing is. */
export function wrongSubject(message: string): string | undefined {
  const subject = message.split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? ''
  if (/^(?:Merge|Revert|fixup!|squash!|amend!) /.test(subject)) return undefined
  if (subject.length > LONGEST) return `The subject has ${subject.length} characters, at most ${LONGEST} are allowed.`
  if (!AREA.test(subject)) return "Begin with the area: 'trading: reject orders when the price is stale'."
  const [verb = ''] = subject.replace(AREA, '').split(' ')
  return NO_IMPERATIVE.test(verb) && !VERBS.has(verb.toLowerCase())
    ? `Say what the commit does in the imperative ('reject orders'), instead of '${verb} …'.`
    : undefined
}

if (import.meta.main) {
  const wrong = wrongSubject(readFileSync(must(process.argv[2]), 'utf8'))
  if (wrong) console.error(wrong)
  process.exit(wrong ? 1 : 0)
}
