import type { PublishedKey } from './verify.js'

/** A signed statement of the total owed to all traders. Bytes are hex, times are Unix ms. */
export interface SolvencyStatement {
  number: number
  time: number
  /** Number of traders who are owed something. */
  accounts: number
  /** US dollars, with two decimals. */
  total: string
  root: string
  /** sha256 of the previous statement's signed text; zeros for the first. */
  previous: string
  /** Id of the key that signed. */
  key: string
  signature: string
}

export interface SolvencyProof {
  type: 'cleartick solvency proof'
  version: 1
  /** The trader's e-mail address. */
  account: string
  nonce: string
  balances: { available: string; open_trades: string; withdrawals: string }
  /** Where the entry is in the tree, and the sibling nodes on its path to the root. */
  position: number
  path: { hash: string; sum: string }[]
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

export function entryText(of: Pick<SolvencyProof, 'account' | 'nonce' | 'balances'>): string
