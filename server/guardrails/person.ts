import type { Person, PersonKeys } from './deps.ts'

/**
 * Returns an address without what its owner can vary and still receive its e-mails: upper case, a `+tag`, and the dots
 * that Gmail ignores.
 */
export function emailKeyOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const mailbox = local.split('+')[0]!
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGmail ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`
}

/** Returns a name without case, accents, punctuation and surplus spaces. */
export const nameKeyOf = (firstname: string, lastname: string): string =>
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
