import type { Letter } from '../platform/mail/index.ts'

/**
 * The letters of this room. A letter to an address that nobody has confirmed holds no words of the person who typed
 * it: it may go to a stranger.
 */
export const confirmLetter = (to: string, publicUrl: string, hash: string): Letter => ({
  to,
  subject: 'Please confirm your e-mail address',
  paragraphs: [
    'Welcome. Somebody, hopefully you, opened an account with this address.',
    'Please confirm that the address is yours. The link works once and for 24 hours.',
  ],
  action: { label: 'Confirm my address', url: `${publicUrl}/verify-email?hash=${hash}` },
  after: ['If it was not you, there is nothing to do: without the confirmation the account cannot take deposits.'],
})

export const resetLetter = (to: string, firstname: string | undefined, publicUrl: string, hash: string): Letter => ({
  to,
  subject: 'Reset your password',
  paragraphs: [
    greeting(firstname),
    'Here is the link to choose a new password. It works once and for one hour; using it signs you out everywhere.',
  ],
  action: { label: 'Choose a new password', url: `${publicUrl}/auth/reset-password?hash=${hash}` },
  after: ['If you did not ask for it, you can leave this letter alone. Your password stays as it is.'],
})

export const passwordChangedLetter = (to: string, firstname: string | undefined, publicUrl: string): Letter => ({
  to,
  subject: 'Your password was changed',
  paragraphs: [
    greeting(firstname),
    'The password of your account has just been changed, and other devices were signed out.',
    'If this was you, all is well.',
  ],
  action: { label: 'It was not me', url: `${publicUrl}/auth/forgot-password` },
  after: ['That page sends you a link to set a password that only you know.'],
})

export const newDeviceLetter = (
  to: string,
  firstname: string | undefined,
  publicUrl: string,
  signIn: { device: string; address: string; at: Date },
): Letter => ({
  to,
  subject: 'A new sign-in to your account',
  paragraphs: [
    greeting(firstname),
    `Somebody signed in to your account with a device that we have not seen before: ${signIn.device}, from ${signIn.address}, on ${minute(signIn.at)} UTC.`,
    'If this was you, all is well.',
  ],
  action: { label: 'It was not me', url: `${publicUrl}/auth/forgot-password` },
  after: ['Choosing a new password there signs out every device.'],
})

export const factorResetLetter = (to: string, publicUrl: string, hash: string, dueAt: Date): Letter => ({
  to,
  subject: 'Your second factor will be removed',
  paragraphs: [
    'Hello,',
    `Our support was asked to remove the second factor (authenticator app, passkeys, recovery codes) of your account. This happens on ${minute(dueAt)} UTC.`,
    "If you asked for it, there's nothing to do. If you didn't, stop it now and change your password.",
  ],
  action: { label: 'Stop the removal', url: `${publicUrl}/stop-factor-reset?hash=${hash}` },
  after: [
    'The link works once, until then. You can also stop it on the Change password screen while you are signed in.',
  ],
})

/** Only what looks like a name greets: a 'name' with an address or a price in it would make our letter somebody's advertisement. */
const greeting = (firstname: string | undefined) =>
  firstname !== undefined && /^[\p{L}\p{M}'’ -]{1,40}$/u.test(firstname) ? `Hello ${firstname},` : 'Hello,'

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
