import type { PublishedKey } from './verify.js'

/** A signed statement of the total owed to all traders. Bytes are hex, times are Unix ms. */
export interface SolvencyStatement {
  number: number
  time: number
  /** Number of traders who are owed something. */
  accounts: number
  /** Number of entries of the tree; absent in statements of version 1, in which each trader has one. */
  entries?: number
  /** US dollars, with two decimals. */
  total: string
  /** What the house itself owned, in US dollars; below zero if it owed more. Absent in statements before version 3. */
  equity?: string
  root: string
  /** sha256 of the previous statement's signed text; zeros for the first. */
  previous: string
  /** Id of the key that signed. */
  key: string
  signature: string
}

/** A part of a trader's balances. */
export interface SolvencyEntry {
  nonce: string
  balances: { available: string; open_trades: string; withdrawals: string }
  /** Where the entry is in the tree, and the sibling nodes on its path to the root. */
  position: number
  path: { hash: string; sum: string }[]
}

/** Files of version 1, whose only entry is in the proof itself, and of version 2, without equity, are checked too. */
export interface SolvencyProof {
  type: 'cleartick solvency proof'
  version: 2 | 3
  /** The trader's e-mail address. */
  account: string
  entries: SolvencyEntry[]
  statement: SolvencyStatement
  key: { id: string; public_key: string }
}

export type SolvencyStepName = 'form' | 'keys' | 'statement' | 'balances' | 'path' | 'root'

export const SOLVENCY_STEPS: Record<SolvencyStepName, string>

export interface SolvencyStep {
  step: SolvencyStepName
  title: string
  ok: boolean
  says: string
}

export function verifySolvency(
  text: string,
  options?: { published?: readonly PublishedKey[] | undefined; newer?: readonly PublishedKey[] },
): Promise<{ ok: boolean; steps: SolvencyStep[]; proof: SolvencyProof | undefined }>

export function statementText(statement: Omit<SolvencyStatement, 'key' | 'signature'>): string

export function entryText(account: string, entry: Pick<SolvencyEntry, 'nonce' | 'balances'>): string
