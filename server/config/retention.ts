import type { SiteValues } from '#contract/site.ts'

/**
 * How long what identifies people is kept, in days, with the bounds of each setting: the keys are those of `SITE_FILE`, so
 * that the privacy page names the periods that the server keeps.
 */
const RETENTION = {
  /** Pictures of documents, after a newer one replaced them or the account was closed. Five years, as the law asks. */
  documents: { key: 'keepDocumentsDays', from: 365, to: 3_650 },
  /** Live chats and contact messages, after the last word. */
  conversations: { key: 'keepConversationsDays', from: 30, to: 3_650 },
  /** Sign-ins with their IP addresses, after they end. */
  sign_ins: { key: 'keepSignInsDays', from: 30, to: 400 },
} as const

export type Retention = Record<keyof typeof RETENTION, number>

/** Returns the bounds of a key of `SITE_FILE` that is a period; undefined for others. */
export const retentionBounds = (key: string): { from: number; to: number } | undefined =>
  Object.values(RETENTION).find((rule) => rule.key === key)

/** Returns the periods of an installation. */
export const retentionOf = (site: SiteValues): Retention => ({
  documents: Number(site[RETENTION.documents.key]),
  conversations: Number(site[RETENTION.conversations.key]),
  sign_ins: Number(site[RETENTION.sign_ins.key]),
})
