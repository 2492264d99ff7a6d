export { ageCheck } from './age.ts'
export type { IdentityDeps, Submission } from './deps.ts'
export { deviceOf } from './device.ts'
export {
  approveFactorReset,
  type FactorResetDeps,
  factorResetById,
  proposeFactorReset,
  rejectFactorReset,
  startFactorResets,
} from './factor-reset.ts'
export { endSignInLink, issueSignInLink, knownDevice, NOBODY, rememberDevice, validLink } from './known-device.ts'
export { type IdentityLimits, identityLimits } from './limits.ts'
export { isLocked, type Locks, locksOf, setLock } from './locks.ts'
export { signInLinkMail } from './mails.ts'
export { endOnboarding } from './one-time-token.ts'
export { openPasswords, type PasswordCost, type Passwords } from './password.ts'
export { type ProfileDeps, profileRoutes } from './profile-routes.ts'
export { startResetWorker } from './reset-password.ts'
export { identityRoutes } from './routes.ts'
export { sealedTotpSecrets } from './sealed-secrets.ts'
export { secondFactorRoutes } from './second-factor-routes.ts'
export { hashOf, newSecret } from './secret.ts'
export { type IdentityTopics, type Sessions, startSessions } from './sessions.ts'
export { signInGuard } from './sign-in-guard.ts'
export { requireStepUp } from './step-up.ts'
export {
  type AccountRow,
  addressesOf,
  emailsOf,
  findAccountById,
  findAnyUser,
  findUser,
  hasConfirmedEmail,
  lockAccountById,
  lockAnyUser,
  lockPerson,
  setPlan,
  shownUser,
  similarAccounts,
} from './store.ts'
export { USER_COLUMNS, type UserRow } from './user.ts'
