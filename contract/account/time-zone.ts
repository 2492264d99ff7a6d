import * as z from 'zod/mini'
import { zoneNamed } from '#kernel/zone.ts'
import { text } from '../fields.ts'

/** The name of a time zone, as in IANA's database: `Asia/Kolkata`. Not a field of forms: the sign-in screen has no zones. */
export const timeZone = text(64).check(z.refine((value) => zoneNamed(value) !== undefined, 'must be a time zone'))
