import { randomInt } from 'node:crypto'

/** 8 consonants (no vowels, so no accidental words), without look-alikes of digits. */
const LETTERS = 'BCDFGHJKMNPQRSTVWXYZ'

export const newReferralCode = () => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
