import type { Letter } from '../platform/mail/index.ts'

/**
 * The e-mails of this room. They contain nothing that a user typed, not even a name: someone else may have registered
 * the address, and would get us to send their words.
 */
export const confirmLetter = (to: string, publicUrl: string, hash: string): Letter => ({
  to,
  subject: 'Please confirm your e-mail address',
  budget: 'link',
  paragraphs: [
    'Welcome. Somebody, hopefully you, opened an account with this address.',
    'Please confirm that the address is yours. The link works once and for 24 hours.',
  ],
  action: { label: 'Confirm my address', url: `${publicUrl}/verify-email?hash=${hash}` },
  after: ['If it was not you, there is nothing to do: without the confirmation the account cannot take deposits.'],
})

export const resetLetter = (to: string, publicUrl: string, hash: string): Letter => ({
  to,
  subject: 'Reset your password',
  budget: 'link',
  paragraphs: [
    'Hello,',
    'Here is the link to choose a new password. It works once and for one hour; using it signs you out everywhere.',
  ],
  action: { label: 'Choose a new password', url: `${publicUrl}/auth/reset-password?hash=${hash}` },
  after: ['If you did not ask for it, you can leave this letter alone. Your password stays as it is.'],
})

export const signInLinkLetter = (to: string, url: string): Letter => ({
  to,
  subject: 'Sign in to your account',
  budget: 'link',
  paragraphs: [
    'There were many failed attempts to sign in to your account, so we ask for one more proof that it is you.',
    'Open this link on the device you want to sign in on. It works for one hour, together with your password.',
  ],
  action: { label: 'Continue to sign in', url },
  after: ["If you weren't trying to sign in, ignore this e-mail. Nobody can use the link without your password."],
})

export const passwordChangedLetter = (to: string, publicUrl: string): Letter => ({
  to,
  subject: 'Your password was changed',
  paragraphs: [
    'Hello,',
    'The password of your account has just been changed, and other devices were signed out.',
    'If this was you, all is well.',
  ],
  action: { label: 'It was not me', url: `${publicUrl}/auth/forgot-password` },
  after: ['That page sends you a link to set a password that only you know.'],
})

export const newDeviceLetter = (
  to: string,
  publicUrl: string,
  signIn: { device: string; address: string; at: Date },
): Letter => ({
  to,
  subject: 'A new sign-in to your account',
  paragraphs: [
    'Hello,',
    `Somebody signed in to your account with a device that we have not seen before: ${signIn.device}, from ${signIn.address}, on ${minute(signIn.at)} UTC.`,
    'If this was you, all is well.',
  ],
  action: { label: 'It was not me', url: `${publicUrl}/auth/forgot-password` },
  after: ['Choosing a new password there signs out every device.'],
})

export const factorResetLetter = (to: string, publicUrl: string, hash: string, dueAt: Date): Letter => ({
  to,
  subject: 'Your second factor will be removed',
  budget: 'link',
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

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
