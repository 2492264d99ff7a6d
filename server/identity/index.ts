export { closureRoutes, emailChangeRoutes } from './accounts/account-routes.ts'
export { startClosures } from './accounts/close-account.ts'
export { blockedUsers, isLocked, type Locks, locksOf, locksOfOthers, setLock } from './accounts/locks.ts'
export { ageCheck } from './accounts/profile/age.ts'
export { profileRoutes } from './accounts/profile/profile-routes.ts'
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
  requireConfirmed,
  setPlan,
  shownUser,
  similarAccounts,
  usersOfMailboxes,
} from './accounts/store.ts'
export { refuseWithdrawalPause, withdrawalPause } from './accounts/withdrawal-pauses.ts'
export type { IdentityDeps, Submission } from './deps.ts'
export {
  approveFactorReset,
  checkFactorReset,
  type FactorResetDeps,
  startFactorResets,
} from './factors/factor-reset.ts'
export { sealedTotpSecrets } from './factors/sealed-secrets.ts'
export { secondFactorOf } from './factors/second-factor.ts'
export { secondFactorRoutes } from './factors/second-factor-routes.ts'
export { identityLimits } from './limits.ts'
export { signInLinkMail } from './mails.ts'
export { checkConfirmedPassword, confirmOwner } from './passwords/change-password.ts'
export { endOnboarding } from './passwords/one-time-token.ts'
export { openPasswords, type PasswordCost, type Passwords } from './passwords/password.ts'
export { startResetWorker } from './passwords/reset-password.ts'
export { hashOf, newSecret } from './passwords/secret.ts'
export { identityRoutes } from './routes.ts'
export { deviceOf } from './sessions/device.ts'
export {
  endSignInLink,
  issueSignInLink,
  knownDevice,
  NOBODY,
  rememberDevice,
  validLink,
} from './sessions/known-device.ts'
export { isSessionActive } from './sessions/session-store.ts'
export { type IdentityTopics, removeDeadSessions, type Sessions, startSessions } from './sessions/sessions.ts'
export { signInGuard } from './sessions/sign-in-guard.ts'
export { requireStepUp } from './sessions/step-up.ts'
