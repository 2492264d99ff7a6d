export { escapeHtml, type Letter, setLetter } from './letter.ts'
export { type MailboxDeps, mailboxPlugin } from './mailbox.ts'
export { enqueue, type KeptMail, lettersTo, type Mail } from './outbox.ts'
export { type SmtpOptions, startMailWorker } from './worker.ts'
