/**
 * Returns an address without what its owner can vary and still receive its e-mails: upper case, a `+tag`, and the dots
 * that Gmail ignores. Two addresses with one key belong to one person. `email_key_of` in the database returns the same.
 */
export function emailKeyOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const [mailbox = ''] = local.split('+')
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGmail ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`
}

export const isSamePerson = (email: string, other: string): boolean => emailKeyOf(email) === emailKeyOf(other)
