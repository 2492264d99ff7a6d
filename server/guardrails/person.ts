import { emailKeyOf } from '#kernel/email-key.ts'
import type { Person, PersonKeys } from './deps.ts'

/** Returns a name without case, accents, punctuation and surplus spaces. */
const nameKeyOf = (firstname: string, lastname: string): string =>
  `${firstname} ${lastname}`
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

export const keysOf = ({ email, firstname, lastname, dateOfBirth }: Person): PersonKeys => ({
  emailKey: emailKeyOf(email),
  nameKey: nameKeyOf(firstname, lastname),
  dateOfBirth,
})
