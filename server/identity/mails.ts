import type { MailDraft } from '../platform/mail/index.ts'

/**
 * The e-mails of this room. They contain nothing that a user typed, not even a name: someone else may have registered
 * the address, and would get us to send their words.
 */
export const confirmMail = (to: string, publicUrl: string, hash: string): MailDraft => ({
  to,
  subject: 'Confirm your e-mail address',
  budget: 'confirm',
  paragraphs: [
    'Welcome! An account was opened with this e-mail address.',
    "Confirm that it's yours. The link works once and expires in 24 hours.",
  ],
  action: { label: 'Confirm my address', url: `${publicUrl}/verify-email?hash=${hash}` },
  after: ["If this wasn't you, you can close the account. It can't take deposits until the address is confirmed."],
  other: { label: "This wasn't me", url: `${publicUrl}/not-my-account?hash=${hash}` },
})

export const resetMail = (to: string, publicUrl: string, hash: string): MailDraft => ({
  to,
  subject: 'Reset your password',
  budget: 'none',
  paragraphs: [
    'Hello,',
    'Use this link to choose a new password. It works once, expires in one hour and signs you out everywhere.',
  ],
  action: { label: 'Choose a new password', url: `${publicUrl}/auth/reset-password?hash=${hash}` },
  after: ["If you didn't request this, ignore this e-mail. Your password won't change."],
})

export const signInLinkMail = (to: string, url: string): MailDraft => ({
  to,
  subject: 'Sign in to your account',
  budget: 'none',
  paragraphs: [
    "There were many failed attempts to sign in to your account, so we need to check that it's you.",
    'Open this link on the device you want to sign in on. It works for one hour, together with your password.',
  ],
  action: { label: 'Continue to sign in', url },
  after: ["If you weren't trying to sign in, ignore this e-mail. No one can use the link without your password."],
})

export const passwordChangedMail = (to: string, publicUrl: string): MailDraft => ({
  to,
  subject: 'Your password was changed',
  budget: 'none',
  paragraphs: [
    'Hello,',
    'Your password was just changed, and your other devices were signed out.',
    "If this was you, there's nothing to do.",
  ],
  action: { label: "This wasn't me", url: `${publicUrl}/auth/forgot-password` },
  after: ["You'll get a link to set a new password that only you know."],
})

export const newDeviceMail = (
  to: string,
  publicUrl: string,
  hash: string,
  signIn: { device: string; address: string; at: Date },
): MailDraft => ({
  to,
  subject: 'New sign-in to your account',
  budget: 'none',
  paragraphs: [
    'Hello,',
    `Someone signed in to your account from a new device or network: ${signIn.device}, from ${signIn.address}, on ${minute(signIn.at)} UTC.`,
    "If this was you, there's nothing to do.",
  ],
  action: { label: "This wasn't me", url: `${publicUrl}/not-my-sign-in?hash=${hash}` },
  after: [
    'One press there signs out every device and freezes withdrawals until you set a new password. The link works once, for 7 days.',
  ],
})

export const factorResetMail = (to: string, publicUrl: string, hash: string, dueAt: Date): MailDraft => ({
  to,
  subject: 'Your second factor will be removed',
  budget: 'none',
  paragraphs: [
    'Hello,',
    `Our support team was asked to remove the second factor of your account (authenticator app, passkeys, recovery codes). This happens on ${minute(dueAt)} UTC.`,
    "If you asked for it, there's nothing to do. If you didn't, stop it now and change your password.",
  ],
  action: { label: 'Stop the removal', url: `${publicUrl}/stop-factor-reset?hash=${hash}` },
  after: ['The link works once, until then. You can also stop it on the Security screen while you are signed in.'],
})

export const changeEmailMail = (to: string, publicUrl: string, hash: string): MailDraft => ({
  to,
  subject: 'Change of your e-mail address',
  budget: 'none',
  paragraphs: [
    'Hello,',
    'Someone who knows your password asked to move your account to another e-mail address. Nothing changes until both addresses have confirmed.',
    'If this was you, confirm it here. The link works once and expires in 24 hours.',
  ],
  action: { label: 'Review the change', url: `${publicUrl}/change-email?hash=${hash}` },
  after: ["If it wasn't you, cancel the change. That also signs out every device and freezes withdrawals."],
  other: { label: "This wasn't me", url: `${publicUrl}/not-my-change?hash=${hash}` },
})

export const newEmailMail = (to: string, publicUrl: string, hash: string): MailDraft => ({
  to,
  subject: 'Confirm your new e-mail address',
  budget: 'confirm',
  paragraphs: [
    'Hello,',
    'Someone asked to move their account to this e-mail address. Nothing changes until both addresses have confirmed.',
    'If this was you, confirm it here. The link works once and expires in 24 hours.',
  ],
  action: { label: 'Review the change', url: `${publicUrl}/change-email?hash=${hash}` },
  after: ["If it wasn't you, you can cancel the change, or ignore this e-mail."],
  other: { label: "This wasn't me", url: `${publicUrl}/not-my-change?hash=${hash}` },
})

export const emailChangedMail = (to: string): MailDraft => ({
  to,
  subject: 'The e-mail address of your account was changed',
  budget: 'none',
  paragraphs: [
    'Hello,',
    'Both addresses confirmed it, so your account has its new e-mail address. Links that we sent to the old address no longer work.',
    'Your other devices were signed out, and withdrawals are paused for 24 hours.',
  ],
  after: ["If you didn't expect this, contact us now: nobody can withdraw in the next 24 hours."],
})

export const closingMail = (to: string, publicUrl: string, hash: string, dueAt: Date): MailDraft => ({
  to,
  subject: 'Your account will be closed',
  budget: 'none',
  paragraphs: [
    'Hello,',
    `You asked to close your account. This happens on ${minute(dueAt)} UTC, and it can't be undone after that.`,
    'Until then you can sign in, and keep it.',
  ],
  action: { label: 'Keep my account', url: `${publicUrl}/keep-account?hash=${hash}` },
  after: ["If you didn't ask for this, keep the account and set a new password: someone else knows yours."],
})

export const closedMail = (to: string): MailDraft => ({
  to,
  subject: 'Your account is closed',
  budget: 'none',
  paragraphs: [
    'Hello,',
    'Your account is closed. We erased your password, second factor, picture, phone number and settings.',
    'We keep your identity, payments and trades for as long as the law asks, as our privacy page says, and erase them then.',
  ],
  after: ['A self-exclusion stays in force: it also applies to a new account.'],
})

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
