import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'
import { SITE, SITE_DEFAULTS, SITE_KEYS, type SiteKey, type SiteValues } from '#contract/site.ts'

const LONGEST = 60

/** What the operator may set for a key: text if its default is text, otherwise a number of at least 0. */
function rule(key: SiteKey) {
  if (typeof SITE[key].value === 'string') {
    return z.optional(
      z
        .string(`${key} must be a text`)
        .check(
          z.minLength(1, `${key} must not be empty`),
          z.maxLength(LONGEST, `${key} may have at most ${LONGEST} characters`),
        ),
    )
  }
  return z.optional(z.number(`${key} must be a number`).check(z.gte(0, `${key} must be at least 0`)))
}

const SiteFile = z.strictObject(Object.fromEntries(SITE_KEYS.map((key) => [key, rule(key)])))

/**
 * Returns the texts and figures of the public site: the defaults, overridden by the operator's file (JSON). Throws a
 * message for the person who starts the server if the file is unusable.
 */
export function readSiteValues(path: string | undefined): SiteValues {
  if (path === undefined) return SITE_DEFAULTS
  let unchecked: unknown
  try {
    unchecked = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`SITE_FILE names ${path}, which cannot be read as JSON: ${(error as Error).message}`)
  }
  const parsed = SiteFile.safeParse(unchecked)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) =>
      issue.code === 'unrecognized_keys' ? `  ${issue.keys.join(', ')}: no such key` : `  ${issue.message}`,
    )
    throw new Error(`SITE_FILE names ${path}, which cannot be used:\n${lines.join('\n')}`)
  }
  return { ...SITE_DEFAULTS, ...(parsed.data as Partial<SiteValues>) }
}
