import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import * as z from 'zod/mini'
import type { Asset } from '#contract/prices/proof.ts'
import { SITE, SITE_DEFAULTS, SITE_KEYS, type SiteKey, type SiteValues } from '#contract/site.ts'
import { retentionBounds } from './retention.ts'

const LONGEST = 60
const LONGEST_ADDRESS = 160

/** What the operator may set for a key: text if its default is text, otherwise a number of at least 0. */
function rule(key: SiteKey) {
  if (typeof SITE[key].value === 'string') {
    const longest = key === 'address' ? LONGEST_ADDRESS : LONGEST
    return z.optional(
      z
        .string(`${key} must be text`)
        .check(
          z.minLength(key === 'address' ? 0 : 1, `${key} must not be empty`),
          z.maxLength(longest, `${key} may have at most ${longest} characters`),
        ),
    )
  }
  const bounds = retentionBounds(key)
  if (bounds) {
    const { from, to } = bounds
    return z.optional(
      z
        .int(`${key} must be a whole number of days`)
        .check(z.gte(from, `${key} must be at least ${from}`), z.lte(to, `${key} must be at most ${to}`)),
    )
  }
  return z.optional(z.number(`${key} must be a number`).check(z.gte(0, `${key} must be at least 0`)))
}

const assetText = z
  .string('each of assets needs name, coin and address')
  .check(z.minLength(1, 'name, coin and address must not be empty'), z.maxLength(128, 'assets: too long'))

const SiteFile = z.strictObject({
  ...Object.fromEntries(SITE_KEYS.map((key) => [key, rule(key)])),
  assets: z.optional(
    z.array(
      z.strictObject(
        { name: assetText, coin: assetText, address: assetText },
        'each of assets needs name, coin and address',
      ),
      'assets must be a list',
    ),
  ),
  mapPicture: z.optional(z.string('mapPicture must be a path').check(z.minLength(1, 'mapPicture must not be empty'))),
})

export interface SiteFileContent {
  values: SiteValues
  /** Absolute path of the picture of the operator's address: JPEG, PNG or WebP. */
  mapPicture: string | undefined
  /** Addresses that the operator publishes as their own, shown next to what they owe. */
  assets: readonly Asset[]
}

/**
 * Returns the texts and figures of the public site: the defaults, overridden by the operator's file (JSON), whose
 * `mapPicture` is relative to the file. Throws a message for the person who starts the server if the file is unusable.
 */
export function readSiteFile(path: string | undefined): SiteFileContent {
  if (path === undefined) return { values: SITE_DEFAULTS, mapPicture: undefined, assets: [] }
  let unchecked: unknown
  try {
    unchecked = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`SITE_FILE: ${path} can't be read as JSON: ${(error as Error).message}`)
  }
  const parsed = SiteFile.safeParse(unchecked)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) =>
      issue.code === 'unrecognized_keys' ? `  ${issue.keys.join(', ')}: no such key` : `  ${issue.message}`,
    )
    throw new Error(`SITE_FILE: ${path} is invalid:\n${lines.join('\n')}`)
  }
  const { mapPicture, assets = [], ...given } = parsed.data
  return {
    values: { ...SITE_DEFAULTS, ...(given as Partial<SiteValues>) },
    assets,
    mapPicture: mapPicture === undefined ? undefined : resolve(dirname(path), mapPicture),
  }
}
