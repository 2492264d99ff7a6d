export { composeMail, escapeHtml, type MailDraft } from './draft.ts'
export { type MailboxDeps, mailboxPlugin } from './mailbox.ts'
export { type KeptMail, type Mail, type Outbox, openOutbox } from './outbox.ts'
export { type SmtpOptions, startMailWorker } from './worker.ts'
