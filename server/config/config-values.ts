import * as z from 'zod/mini'
import { readAddress } from '../platform/files/s3.ts'
import { CONNECTING, type Connecting } from './plain-connections.ts'

/* The kinds of values that settings have in the environment. */

export const bool = z.pipe(
  z.enum(['on', 'off']),
  z.transform((value: 'on' | 'off') => value === 'on'),
)
export const whole = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d+$/, 'must be a whole number')),
    z.pipe(
      z.transform(Number),
      z.number().check(z.gte(min, `must be at least ${min}`), z.lte(max, `must be at most ${max}`)),
    ),
  )

export const key32 = z
  .string()
  .check(
    z.regex(/^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/, 'must be 32 bytes, written as base64 or as 64 hex digits'),
  )

export function pairOf(text: string): [string, string][] {
  const at = text.indexOf('=')
  return at < 0 ? [] : [[text.slice(0, at), text.slice(at + 1)]]
}

export const namesOf = (list: string): string[] => list.split(',').map((name) => name.trim())
export const isConnecting = (name: string): name is Connecting => CONNECTING.some((one) => one === name)

export function isBucket(text: string): boolean {
  if (!/^s3\+https?:\/\//.test(text)) return false
  try {
    readAddress(text)
    return true
  } catch {
    return false
  }
}

export const folderOrBucket = z
  .string()
  .check(
    z.refine(
      (text) => isBucket(text) || !/^[\w+]+:\/\//.test(text),
      'must be a folder or s3+https://KEY:SECRET@host/bucket',
    ),
  )
